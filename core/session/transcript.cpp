// SPDX-License-Identifier: Apache-2.0
#include "session/transcript.h"

#include <QJsonDocument>

#include <algorithm>

namespace kernelskill {

namespace {

QString valueText(const QJsonValue &value)
{
    if (value.isBool()) return value.toBool() ? QStringLiteral("yes") : QStringLiteral("no");
    if (value.isDouble()) return QString::number(value.toDouble(), 'g', 6);
    return value.toVariant().toString();
}

QString pairs(const QJsonObject &object)
{
    QStringList lines;
    for (auto value = object.begin(); value != object.end(); ++value) {
        if (!value->isObject() && !value->isArray()) lines.append(QStringLiteral("%1: %2").arg(value.key(), valueText(*value)));
    }
    return lines.join(u'\n');
}

QString planText(const Plan &plan)
{
    QStringList lines{plan.method.isEmpty() || plan.method == plan.skill ? plan.skill
                                                                         : QStringLiteral("%1  %2").arg(plan.method, plan.skill)};
    for (auto value = plan.parameters.begin(); value != plan.parameters.end(); ++value)
        lines.append(QStringLiteral("  %1 = %2").arg(value.key(), valueText(*value)));
    for (const MetricPromise &promise : plan.promises)
        lines.append(QStringLiteral("  promises %1 %2").arg(promise.metric, promise.change));
    if (plan.overridesPolicy) lines.append(QStringLiteral("  although the policy does not allow it here"));
    return lines.join(u'\n');
}

QString diagnosisText(const Diagnosis &diagnosis)
{
    return QStringLiteral("error: %1\ncause: %2\nfix: %3").arg(diagnosis.errorClass, diagnosis.cause, diagnosis.fix);
}

// Goes through the events of the node's round once. A role's call stands just before what came of it, so that what is
// read next belongs to the entry that is open.
class Reading
{
public:
    Reading(const Trajectory &trajectory, const TrajectoryNode &node, const BlobReader &blob)
        : m_trajectory(trajectory), m_node(node), m_blob(blob)
    {
    }
    void apply(const Event &event);
    [[nodiscard]] QList<TranscriptEntry> entries() const { return m_entries; }

private:
    void roleCall(const Event &event);
    void features(const Event &event);
    void retrieval(const QJsonObject &data);
    void planned(const QJsonObject &data);
    void refused(const QJsonObject &data);
    void candidate(const Event &event);
    void evaluated(const Event &event);
    void predicted(const Event &event);
    void diagnosed(const QJsonObject &data);
    void ask(TranscriptEntry &entry);
    void addConversation(TranscriptEntry &entry, const QJsonObject &data) const;
    [[nodiscard]] QList<TranscriptPart> failureParts(int node) const;
    [[nodiscard]] QJsonObject json(const QString &digest) const
    {
        return digest.isEmpty() ? QJsonObject() : QJsonDocument::fromJson(m_blob(digest)).object();
    }
    [[nodiscard]] QString baseText(int base) const;
    TranscriptEntry &add(const QString &role, const QString &agent, qint64 time_ms);

    const Trajectory &m_trajectory;
    const TrajectoryNode &m_node;
    const BlobReader &m_blob;
    QList<TranscriptEntry> m_entries;
    QString m_ranking, m_case; // of the round
    QStringList m_refusals;
    Plan m_plan;
    Diagnosis m_diagnosis;
};

TranscriptEntry &Reading::add(const QString &role, const QString &agent, qint64 time_ms)
{
    TranscriptEntry entry;
    entry.role = role;
    entry.agent = agent;
    entry.time_ms = time_ms;
    entry.recorded = m_node.recorded && agent == u"replay";
    m_entries.append(entry);
    return m_entries.last();
}

QString Reading::baseText(int base) const
{
    const TrajectoryNode *node = m_trajectory.node(base);
    if (!node) return QStringLiteral("none");
    return QStringLiteral("node %1, %2%3").arg(base).arg(toString(node->state), node->summary.isEmpty() ? QString() : QStringLiteral(": ") + node->summary);
}

// What the evaluator said of a failing candidate: findings, checks, then the compiler's and the program's output.
QList<TranscriptPart> Reading::failureParts(int id) const
{
    const TrajectoryNode *node = m_trajectory.node(id);
    if (!node) return {};
    const Evaluation evaluation = Evaluation::fromJson(json(node->evaluationBlob));
    QList<TranscriptPart> parts{{QStringLiteral("Failing candidate"), baseText(id), false}};
    QStringList lines;
    for (const Finding &finding : evaluation.findings)
        lines.append(finding.line > 0 ? QStringLiteral("%1:%2: %3").arg(finding.file).arg(finding.line).arg(finding.message) : finding.message);
    for (const Check &check : evaluation.checks) {
        if (check.outcome != u"passed")
            lines.append(check.detail.isEmpty() ? QStringLiteral("%1: %2").arg(check.name, check.outcome)
                                                : QStringLiteral("%1: %2, %3").arg(check.name, check.outcome, check.detail));
    }
    if (!lines.isEmpty()) parts.append({QStringLiteral("What failed"), lines.join(u'\n'), false});
    if (!evaluation.log.trimmed().isEmpty()) parts.append({QStringLiteral("Compiler and program output"), evaluation.log.trimmed(), true});
    return parts;
}

// The structured request, as far as the events hold it.
void Reading::ask(TranscriptEntry &entry)
{
    if (entry.role == u"generator") {
        entry.asked.append({QStringLiteral("Task"), m_trajectory.taskName, false});
    } else if (entry.role == u"features") {
        entry.asked.append({QStringLiteral("Code"), baseText(m_node.parent), false});
    } else if (entry.role == u"planner") {
        entry.asked.append({QStringLiteral("Base"), baseText(m_node.parent), false});
        if (!m_case.isEmpty()) entry.asked.append({QStringLiteral("Case"), m_case, false});
        entry.asked.append({QStringLiteral("Allowed, best first"), m_ranking, false});
        if (!m_refusals.isEmpty()) entry.asked.append({QStringLiteral("Refused so far"), m_refusals.join(u'\n'), false});
    } else if (entry.role == u"optimizer") {
        entry.asked.append({QStringLiteral("Base"), baseText(m_node.parent), false});
        entry.asked.append({QStringLiteral("Plan"), planText(m_plan), false});
        if (!m_plan.rationale.isEmpty()) entry.asked.append({QStringLiteral("Reasons"), m_plan.rationale, false});
    } else if (entry.role == u"diagnoser") {
        entry.asked = failureParts(m_node.parent);
    } else if (entry.role == u"repairer") {
        entry.asked = failureParts(m_node.parent);
        entry.asked.append({QStringLiteral("Diagnosis"), diagnosisText(m_diagnosis), false});
    }
}

// What a model was told and said, where an agent reported it.
void Reading::addConversation(TranscriptEntry &entry, const QJsonObject &data) const
{
    for (const QJsonValue &value : json(data.value("messages_blob").toString()).value("messages").toArray())
        entry.messages.append({value["from"].toString(), value["text"].toString(), value["note"].toString()});
    const QString transcript = data.value("transcript_blob").toString();
    if (!transcript.isEmpty()) entry.answered.append({QStringLiteral("In its own words"), QString::fromUtf8(m_blob(transcript)), false});
}

void Reading::roleCall(const Event &event)
{
    const QJsonObject &data = event.data;
    TranscriptEntry &entry = add(data.value("role").toString(), data.value("agent").toString(), event.time_ms);
    entry.wall_ms = data.value("wall_ms").toDouble(-1);
    entry.tokensIn = data.value("tokens_in").toInteger();
    entry.tokensOut = data.value("tokens_out").toInteger();
    entry.tokensCached = data.value("tokens_cached").toInteger();
    entry.facts = data.value("facts").toObject();
    entry.cost_usd = data.value("cost_usd").toDouble();
    const bool paid = data.contains("tokens_in") || data.contains("cost_usd");
    entry.calls = data.value("calls").toInt(paid ? 1 : 0);
    entry.error = data.value("error").toString().section(QStringLiteral(": "), 1);
    entry.outcome = entry.error;
    ask(entry);
    addConversation(entry, data);
}

void Reading::features(const Event &event)
{
    const bool called = !m_entries.isEmpty() && m_entries.last().role == u"features";
    TranscriptEntry &entry = called ? m_entries.last() : add(QStringLiteral("features"), event.data.value("agent").toString(), event.time_ms);
    const QJsonObject found = event.data.value("features").toObject();
    if (!called) {
        ask(entry);
        entry.asked.append({QStringLiteral("Not asked again"), QStringLiteral("An earlier round on this base has them."), false});
    }
    entry.answered.append({QStringLiteral("Features"), pairs(found), false});
    if (entry.error.isEmpty()) entry.outcome = QStringLiteral("%1 features").arg(found.size());
}

void Reading::retrieval(const QJsonObject &data)
{
    m_case = data.value("chosen_case").toString();
    QStringList lines;
    for (const QJsonValue &method : data.value("allowed").toArray()) {
        const QString number = method["method"].toString();
        lines.append(QStringLiteral("%1. %2%3").arg(lines.size() + 1)
                         .arg(method["skill"].toString(), number.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(number)));
    }
    m_ranking = lines.join(u'\n');
}

void Reading::planned(const QJsonObject &data)
{
    m_plan = Plan::fromJson(data.value("plan").toObject());
    // What a person put in the place of the planner's plan is the person's.
    const QString agent = data.value("agent").toString();
    auto planner = std::find_if(m_entries.rbegin(), m_entries.rend(), [](const TranscriptEntry &entry) { return entry.role == u"planner"; });
    if (planner == m_entries.rend() || agent == u"person") {
        TranscriptEntry &entry = add(QStringLiteral("planner"), agent, 0);
        ask(entry);
        planner = m_entries.rbegin();
    }
    planner->answered.append({QStringLiteral("Plan"), planText(m_plan), false});
    if (!m_plan.rationale.isEmpty()) planner->answered.append({QStringLiteral("Reasons"), m_plan.rationale, false});
    planner->outcome = m_plan.skill;
}

void Reading::refused(const QJsonObject &data)
{
    const QString reason = data.value("reason").toString();
    m_refusals.append(reason);
    if (m_entries.isEmpty()) return;
    TranscriptEntry &entry = m_entries.last();
    const Plan plan = Plan::fromJson(data.value("plan").toObject());
    if (entry.role == u"planner" && !plan.skill.isEmpty()) {
        entry.answered.append({QStringLiteral("Plan"), planText(plan), false});
        if (!plan.rationale.isEmpty()) entry.answered.append({QStringLiteral("Reasons"), plan.rationale, false});
    }
    entry.answered.append({QStringLiteral("Refused"), reason, false});
    entry.outcome = QStringLiteral("refused: ") + reason;
}

void Reading::candidate(const Event &event)
{
    const QJsonObject &data = event.data;
    const Candidate candidate = Candidate::fromJson(json(data.value("candidate_blob").toString()));
    const QString summary = data.value("summary").toString();
    const bool written = !m_entries.isEmpty() && (m_entries.last().role == u"optimizer" || m_entries.last().role == u"repairer" ||
                                                  m_entries.last().role == u"generator");
    TranscriptEntry &entry = written ? m_entries.last()
                                     : add(m_node.isHuman ? QStringLiteral("person") : QStringLiteral("generator"), m_node.agent, event.time_ms);
    entry.answered.append({QStringLiteral("Summary"), summary, false});
    entry.answered.append({QStringLiteral("Code"), candidate.mainText(), true});
    entry.outcome = summary;
}

void Reading::evaluated(const Event &event)
{
    const QJsonObject &data = event.data;
    TranscriptEntry &entry = add(QStringLiteral("reviewer"), m_trajectory.settings.value("evaluator").toString(), event.time_ms);
    entry.asked.append({QStringLiteral("Candidate"), QStringLiteral("node %1, mode %2").arg(m_node.id).arg(m_trajectory.settings.value("mode").toString()), false});
    const Evaluation evaluation = Evaluation::fromJson(json(data.value("evaluation_blob").toString()));
    const auto passed = std::ranges::count(evaluation.checks, QStringLiteral("passed"), &Check::outcome);
    QString words = QStringLiteral("%1, %2 of %3 checks passed").arg(data.value("verdict").toString()).arg(passed).arg(evaluation.checks.size());
    if (const QString why = data.value("why").toString(); !why.isEmpty()) words += u'\n' + why;
    entry.answered.append({QStringLiteral("Verdict"), words, false});
    if (const QString otherwise = data.value("divergence").toString(); !otherwise.isEmpty())
        entry.answered.append({QStringLiteral("Otherwise than recorded"), otherwise, false});
    if (!evaluation.isUsable() && !evaluation.log.trimmed().isEmpty())
        entry.answered.append({QStringLiteral("Compiler and program output"), evaluation.log.trimmed(), true});
    entry.outcome = data.value("verdict").toString();
}

void Reading::predicted(const Event &event)
{
    const Prediction prediction = Prediction::fromJson(event.data);
    TranscriptEntry &entry = add(QStringLiteral("person"), QStringLiteral("person"), event.time_ms);
    entry.asked.append({QStringLiteral("Plan"), planText(m_plan), false});
    QStringList lines;
    if (prediction.speedup) lines.append(QStringLiteral("speedup over the base: %1").arg(guessTitle(*prediction.speedup)));
    for (const CounterPrediction &counter : prediction.counters)
        lines.append(QStringLiteral("%1: %2").arg(counter.metric, toString(counter.movement)));
    entry.answered.append({QStringLiteral("Prediction"), lines.join(u'\n'), false});
    entry.outcome = QStringLiteral("prediction");
}

void Reading::diagnosed(const QJsonObject &data)
{
    m_diagnosis = Diagnosis::fromJson(data.value("diagnosis").toObject());
    if (m_entries.isEmpty() || m_entries.last().role != u"diagnoser") return;
    m_entries.last().answered.append({QStringLiteral("Diagnosis"), diagnosisText(m_diagnosis), false});
    m_entries.last().outcome = m_diagnosis.fix;
}

void Reading::apply(const Event &event)
{
    const QString &kind = event.kind;
    const QJsonObject &data = event.data;
    const bool ofNode = data.value("node").toInt(-1) == m_node.id;
    if (kind == u"role.call") {
        roleCall(event);
    } else if (kind == u"round.features") {
        features(event);
    } else if (kind == u"round.retrieval") {
        retrieval(data);
    } else if (kind == u"round.plan") {
        planned(data);
    } else if (kind == u"round.refused") {
        refused(data);
    } else if (kind == u"repair.diagnosis") {
        diagnosed(data);
    } else if (kind == u"node.candidate" && ofNode) {
        candidate(event);
    } else if (kind == u"node.evaluated" && ofNode) {
        evaluated(event);
    } else if (kind == u"person.prediction" && ofNode) {
        predicted(event);
    }
}

QJsonArray partsJson(const QList<TranscriptPart> &parts)
{
    QJsonArray array;
    for (const TranscriptPart &part : parts)
        array.append(QJsonObject{{"title", part.title}, {"text", part.text}});
    return array;
}

QJsonArray messagesJson(const QList<TranscriptMessage> &messages)
{
    QJsonArray array;
    for (const TranscriptMessage &message : messages) {
        QJsonObject object{{"from", message.from}, {"text", message.text}};
        if (!message.note.isEmpty()) object.insert("note", message.note);
        array.append(object);
    }
    return array;
}

// Whether an event may have to do with the node: those of its round, the last time it was begun, and its own.
struct Range
{
    qsizetype begin = 0, end = 0;
};

Range rangeOf(const QList<Event> &events, const TrajectoryNode &node)
{
    const bool ownRound = node.kind == u"optimise" || node.kind == u"repair";
    Range range{0, events.size()};
    for (qsizetype i = 0; i < events.size(); ++i) {
        if (events[i].kind != u"round.start") continue;
        const int round = events[i].data.value("round").toInt();
        if (ownRound && round == node.round) range = {i, events.size()};
        else if (range.end == events.size() && i > range.begin && (ownRound ? round > node.round : node.round == 0)) range.end = i;
    }
    return range;
}

} // namespace

QList<TranscriptEntry> transcriptOf(const QList<Event> &events, const Trajectory &trajectory, int id, const BlobReader &blob)
{
    const TrajectoryNode *node = trajectory.node(id);
    if (!node) return {};
    const Range range = rangeOf(events, *node);
    Reading reading(trajectory, *node, blob);
    for (qsizetype i = 0; i < events.size(); ++i) {
        const Event &event = events[i];
        const bool inRange = i >= range.begin && i < range.end && !node->isHuman;
        const bool own = event.kind.startsWith(u"node.") && event.data.value("node").toInt(-1) == id;
        if (inRange || own) reading.apply(event);
    }
    return reading.entries();
}

QJsonObject TranscriptEntry::toJson() const
{
    QJsonObject object{{"role", role},         {"agent", agent},
                       {"time_ms", time_ms},   {"asked", partsJson(asked)},
                       {"answered", partsJson(answered)}, {"outcome", outcome}};
    if (wall_ms >= 0) object.insert("wall_ms", wall_ms);
    if (calls > 0) {
        object.insert("calls", calls);
        object.insert("tokens_in", tokensIn);
        object.insert("tokens_out", tokensOut);
        object.insert("tokens_cached", tokensCached);
        object.insert("cost_usd", cost_usd);
    }
    if (!facts.isEmpty()) object.insert("facts", facts);
    if (!messages.isEmpty()) object.insert("messages", messagesJson(messages));
    if (recorded) object.insert("recorded", true);
    if (!error.isEmpty()) object.insert("error", error);
    return object;
}

QJsonArray toJson(const QList<TranscriptEntry> &entries)
{
    QJsonArray array;
    for (const TranscriptEntry &entry : entries)
        array.append(entry.toJson());
    return array;
}

} // namespace kernelskill
