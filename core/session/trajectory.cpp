// SPDX-License-Identifier: Apache-2.0
#include "session/trajectory.h"

#include <QJsonArray>

#include <algorithm>

namespace kernelskill {

namespace {

std::optional<double> number(const QJsonValue &value)
{
    return value.isDouble() ? std::optional(value.toDouble()) : std::nullopt;
}

std::optional<Interval> interval(const QJsonValue &value)
{
    const QJsonArray ends = value.toArray();
    if (ends.size() != 2) return std::nullopt;
    return Interval{ends[0].toDouble(), ends[1].toDouble()};
}

std::optional<Speedup> speedupOf(const QJsonObject &data, const QString &name, TimeKind kind)
{
    const auto value = number(data.value(name));
    if (!value) return std::nullopt;
    const auto ends = interval(data.value(name + QStringLiteral("_interval")));
    return Speedup{*value, ends.value_or(Interval{*value, *value}), kind};
}

NodeState stateOf(const QString &verdict)
{
    switch (verdictFromString(verdict).value_or(Verdict::Failed)) {
    case Verdict::Verified:
        return NodeState::Verified;
    case Verdict::Unproven:
        return NodeState::Unproven;
    case Verdict::Suspect:
        return NodeState::Suspect;
    case Verdict::Wrong:
        return NodeState::Wrong;
    case Verdict::Failed:
        return NodeState::Failed;
    }
    return NodeState::Failed;
}

QList<ObservedChange> observedFrom(const QJsonArray &array)
{
    QList<ObservedChange> result;
    for (const QJsonValue &value : array) {
        const QJsonObject object = value.toObject();
        ObservedChange change;
        change.metric = object.value("metric").toString();
        change.promised = object.value("promised").toString();
        change.before = number(object.value("before"));
        change.after = number(object.value("after"));
        if (object.value("kept").isBool()) change.kept = object.value("kept").toBool();
        result.append(change);
    }
    return result;
}

// The fold itself: one short function a kind of event.
constexpr int mostLost = 10'000; // nodes a file may lack in a row

class Fold
{
public:
    explicit Fold(Trajectory &trajectory) : m_trajectory(trajectory) {}
    void apply(const QString &kind, const QJsonObject &data);

private:
    bool applyToRun(const QString &kind, const QJsonObject &data);
    bool applyToRound(const QString &kind, const QJsonObject &data);
    bool applyToNode(const QString &kind, const QJsonObject &data);
    void sessionStart(const QJsonObject &data);
    void nodeStart(const QJsonObject &data);
    void nodeCandidate(TrajectoryNode &node, const QJsonObject &data);
    void nodeEvaluated(TrajectoryNode &node, const QJsonObject &data);
    void nodePromoted(TrajectoryNode &node, const QJsonObject &data);
    void roleCall(const QJsonObject &data);
    RoundRecord &round(const QJsonObject &data);
    TrajectoryNode *node(const QJsonObject &data);
    TrajectoryNode *nodeWithId(int id);

    Trajectory &m_trajectory;
};

TrajectoryNode *Fold::node(const QJsonObject &data)
{
    return nodeWithId(data.value("node").toInt(-1));
}

TrajectoryNode *Fold::nodeWithId(int id)
{
    const auto found = std::ranges::lower_bound(m_trajectory.nodes, id, {}, &TrajectoryNode::id);
    return found == m_trajectory.nodes.end() || found->id != id ? nullptr : &*found;
}

RoundRecord &Fold::round(const QJsonObject &data)
{
    const int number = data.value("round").toInt();
    auto found = std::ranges::lower_bound(m_trajectory.rounds, number, {}, &RoundRecord::round);
    if (found == m_trajectory.rounds.end() || found->round != number) {
        found = m_trajectory.rounds.insert(found, RoundRecord{});
        found->round = number;
    }
    if (data.contains("base")) found->base = data.value("base").toInt(-1);
    return *found;
}

void Fold::sessionStart(const QJsonObject &data)
{
    m_trajectory.taskName = data.value("task").toString();
    m_trajectory.taskFolder = data.value("task_folder").toString();
    m_trajectory.taskBlob = data.value("task_blob").toString();
    m_trajectory.settings = data.value("settings").toObject();
    for (const QJsonValue &agent : data.value("agents").toObject()) {
        if (const QJsonObject recording = agent["recording"].toObject(); !recording.isEmpty())
            m_trajectory.recording = recording;
    }
}

void Fold::nodeStart(const QJsonObject &data)
{
    // A resume that does a step again starts its node again: what the interrupted step left is replaced.
    TrajectoryNode fresh;
    fresh.id = data.value("node").toInt();
    fresh.parent = data.value("parent").toInt(-1);
    if (fresh.parent >= fresh.id || fresh.parent < 0) fresh.parent = -1; // none, or a damaged file's
    fresh.round = data.value("round").toInt();
    fresh.kind = data.value("kind").toString();
    fresh.agent = data.value("agent").toString();
    fresh.isHuman = fresh.kind == QLatin1String("human");
    if (TrajectoryNode *known = node(data)) {
        fresh.pinned = known->pinned;
        fresh.note = known->note;
        *known = fresh;
        return;
    }
    if (fresh.id < 0 || fresh.id > m_trajectory.nodes.size() + mostLost) return; // no run numbers its nodes so
    // Every node has its number's place, also in a file that lost some.
    while (m_trajectory.nodes.size() < fresh.id) {
        TrajectoryNode lost;
        lost.id = int(m_trajectory.nodes.size());
        lost.round = fresh.round;
        lost.state = NodeState::Failed;
        lost.why = QStringLiteral("the file does not say how this node began");
        m_trajectory.nodes.append(lost);
    }
    m_trajectory.nodes.append(fresh);
}

void Fold::nodeCandidate(TrajectoryNode &node, const QJsonObject &data)
{
    node.candidateBlob = data.value("candidate_blob").toString();
    node.codeDigest = data.value("code_digest").toString();
    node.summary = data.value("summary").toString();
    node.method = data.value("method").toString();
    node.skill = data.value("skill").toString();
    node.plan = Plan::fromJson(data.value("plan").toObject());
    if (data.contains("recorded")) node.recorded = RecordedStep::fromJson(data.value("recorded").toObject());
}

void Fold::nodeEvaluated(TrajectoryNode &node, const QJsonObject &data)
{
    const TimeKind kind = timeKindFromString(data.value("kind").toString());
    node.state = stateOf(data.value("verdict").toString());
    node.evaluationBlob = data.value("evaluation_blob").toString();
    node.time_us = number(data.value("time_us"));
    node.interval_us = interval(data.value("interval"));
    node.speedup = speedupOf(data, QStringLiteral("speedup"), kind);
    node.stepSpeedup = speedupOf(data, QStringLiteral("step_speedup"), kind);
    // The event spells the step's interval without "speedup".
    if (const auto ends = interval(data.value("step_interval")); node.stepSpeedup && ends)
        node.stepSpeedup->interval = *ends;
    node.observed = observedFrom(data.value("observed").toArray());
    if (const QJsonObject work = data.value("work").toObject(); !work.isEmpty())
        node.work = NodeWork{work.value("flops").toDouble(), work.value("dram_bytes").toDouble(), work.value("time_us").toDouble()};
    node.predicted = observedFrom(data.value("predicted").toArray());
    node.divergence = data.value("divergence").toString();
    node.why = data.value("why").toString();
    node.stage.clear();
}

void Fold::nodePromoted(TrajectoryNode &node, const QJsonObject &data)
{
    if (data.value("base").toBool()) {
        if (TrajectoryNode *before = nodeWithId(m_trajectory.base)) before->isBase = false;
        node.isBase = node.wasBase = true;
        m_trajectory.base = node.id;
    }
    if (data.value("best").toBool()) {
        if (TrajectoryNode *before = nodeWithId(m_trajectory.best)) before->isBest = false;
        node.isBest = true;
        m_trajectory.best = node.id;
    }
}

void Fold::roleCall(const QJsonObject &data)
{
    m_trajectory.waiting.reset();
    if (!data.contains("tokens_in") && !data.contains("tokens_out") && !data.contains("cost_usd")) return;
    // One role call may have talked to the model more than once; "calls" says so.
    m_trajectory.llmCalls += data.value("calls").toInteger(1);
    m_trajectory.tokensIn += data.value("tokens_in").toInteger();
    m_trajectory.tokensOut += data.value("tokens_out").toInteger();
    m_trajectory.tokensCached += data.value("tokens_cached").toInteger();
    m_trajectory.cost_usd += data.value("cost_usd").toDouble();
    ModelUsage &usage = m_trajectory.usageByRole[data.value("role").toString()];
    usage.calls += data.value("calls").toInteger(1);
    usage.tokensIn += data.value("tokens_in").toInteger();
    usage.tokensCached += data.value("tokens_cached").toInteger();
    usage.tokensOut += data.value("tokens_out").toInteger();
    usage.cost_usd += data.value("cost_usd").toDouble();
}

bool Fold::applyToRun(const QString &kind, const QJsonObject &data)
{
    if (kind == u"session.start") {
        sessionStart(data);
    } else if (kind == u"memory.snapshot") {
        m_trajectory.policyBlob = data.value("policy_blob").toString();
        m_trajectory.skillsBlob = data.value("skills_blob").toString();
        m_trajectory.statisticsBlob = data.value("statistics_blob").toString();
    } else if (kind == u"role.call") {
        roleCall(data);
    } else if (kind == u"run.waiting") {
        m_trajectory.waiting = Waiting{data.value("until_ms").toInteger(), data.value("why").toString()};
    } else if (kind == u"run.paused") {
        m_trajectory.paused = true;
    } else if (kind == u"run.resumed") {
        m_trajectory.paused = false;
        m_trajectory.waiting.reset();
        m_trajectory.endedBy.clear();
        m_trajectory.endMessage.clear();
        if (data.contains("rounds")) m_trajectory.settings.insert("rounds", data.value("rounds"));
        for (const char *changed : {"budget", "agent_settings"}) {
            if (data.contains(QLatin1String(changed))) m_trajectory.settings.insert(QLatin1String(changed), data.value(QLatin1String(changed)));
        }
    } else if (kind == u"run.ended") {
        m_trajectory.endedBy = data.value("by").toString();
        m_trajectory.endMessage = data.value("message").toString();
        m_trajectory.waiting.reset();
        m_trajectory.paused = false;
    } else {
        return false;
    }
    return true;
}

bool Fold::applyToRound(const QString &kind, const QJsonObject &data)
{
    if (kind == u"round.start") {
        RoundRecord &record = round(data);
        record = RoundRecord{record.round, record.base, {}, {}, {}, {}};
    } else if (kind == u"round.features") {
        round(data).features = data.value("features").toObject().toVariantMap();
    } else if (kind == u"round.retrieval") {
        round(data).retrievalBlob = data.value("retrieval_blob").toString();
    } else if (kind == u"round.plan") {
        round(data).plan = Plan::fromJson(data.value("plan").toObject());
    } else if (kind == u"round.refused") {
        round(data).refusals.append(data.value("reason").toString());
    } else {
        return false;
    }
    return true;
}

bool Fold::applyToNode(const QString &kind, const QJsonObject &data)
{
    if (kind == u"node.start") {
        nodeStart(data);
        return true;
    }
    TrajectoryNode *found = node(data);
    if (!found) return false;
    if (kind == u"node.candidate")
        nodeCandidate(*found, data);
    else if (kind == u"node.evaluated")
        nodeEvaluated(*found, data);
    else if (kind == u"node.promoted")
        nodePromoted(*found, data);
    else if (kind == u"person.note")
        found->note = data.value("text").toString();
    else if (kind == u"person.prediction")
        found->prediction = Prediction::fromJson(data);
    else if (kind == u"person.pin")
        found->pinned = data.value("pinned").toBool();
    else if (kind == u"node.dropped") {
        found->state = NodeState::Failed;
        found->why = data.value("reason").toString();
    } else {
        return false;
    }
    return true;
}

void Fold::apply(const QString &kind, const QJsonObject &data)
{
    (void)(applyToRun(kind, data) || applyToRound(kind, data) || applyToNode(kind, data));
}

} // namespace

QJsonObject ModelUsage::toJson() const
{
    return {{"calls", calls}, {"tokens_in", tokensIn}, {"tokens_cached", tokensCached}, {"tokens_out", tokensOut}, {"cost_usd", cost_usd}};
}

bool canBeBuiltOn(const TrajectoryNode &node)
{
    return node.state == NodeState::Verified || node.state == NodeState::Unproven;
}

std::optional<NodeWork> workOf(const Profile &profile)
{
    NodeWork work;
    for (const KernelProfile &kernel : profile.kernels) {
        const auto flops = kernel.metric(QStringLiteral("fp32_flops")), bytes = kernel.metric(QStringLiteral("dram_bytes"));
        if (!flops || !bytes) return std::nullopt;
        work.flops += *flops;
        work.dramBytes += *bytes;
        work.time_us += kernel.duration_us;
    }
    if (work.flops <= 0 || work.dramBytes <= 0 || work.time_us <= 0) return std::nullopt;
    return work;
}

QString toString(NodeState state)
{
    switch (state) {
    case NodeState::Running:
        return QStringLiteral("running");
    case NodeState::Verified:
        return QStringLiteral("verified");
    case NodeState::Unproven:
        return QStringLiteral("unproven");
    case NodeState::Suspect:
        return QStringLiteral("suspect");
    case NodeState::Wrong:
        return QStringLiteral("wrong");
    case NodeState::Failed:
        return QStringLiteral("failed");
    }
    return {};
}

void Trajectory::apply(const Event &event)
{
    lastSequence = std::max(lastSequence, event.sequence);
    Fold(*this).apply(event.kind, event.data);
}

Trajectory Trajectory::fold(const QList<Event> &events)
{
    Trajectory trajectory;
    for (const Event &event : events)
        trajectory.apply(event);
    return trajectory;
}

const TrajectoryNode *Trajectory::node(int id) const
{
    const auto found = std::ranges::lower_bound(nodes, id, {}, &TrajectoryNode::id);
    return found == nodes.end() || found->id != id ? nullptr : &*found;
}

QList<int> Trajectory::bestPath() const
{
    QList<int> path;
    // A parent is always older than its child; anything else is a damaged file and ends the walk.
    for (const TrajectoryNode *step = node(best); step; step = node(step->parent)) {
        path.prepend(step->id);
        if (step->parent >= step->id) break;
    }
    return path;
}

int Trajectory::lastRound() const
{
    return rounds.isEmpty() ? 0 : rounds.last().round;
}

} // namespace kernelskill
