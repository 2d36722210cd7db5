// SPDX-License-Identifier: Apache-2.0
#include "session/recording.h"

#include "agent/idea_name.h"

#include <QJsonDocument>

#include <algorithm>

namespace kernelskill {

namespace {

// Walks the events in order; what a role's call took comes just before what it gave.
class Reader
{
public:
    Reader(const SessionFile &file, const Trajectory &trajectory, Recording &recording)
        : m_file(file), m_trajectory(trajectory), m_recording(recording)
    {
    }
    [[nodiscard]] Result<void> apply(const Event &event);

private:
    void roleCall(const QJsonObject &data);
    void refused(const QJsonObject &data);
    void planned(const QJsonObject &data);
    void diagnosed(const QJsonObject &data);
    [[nodiscard]] Result<void> candidate(const QJsonObject &data);
    void place(const TrajectoryNode &node, const RecordedCode &code);

    const SessionFile &m_file;
    const Trajectory &m_trajectory;
    Recording &m_recording;
    QHash<QString, double> m_took; // role → its last call
    bool m_open = false;           // the last proposal waits for its code
    int m_failing = -1;            // whose diagnosis waits for its repair
};

void Reader::roleCall(const QJsonObject &data)
{
    const QString role = data.value("role").toString();
    m_took[role] = data.value("wall_ms").toDouble();
    if (role == u"optimizer" && m_open) {
        m_recording.proposals.last().wrote = true;
        m_recording.proposals.last().wrote_ms = m_took[role];
    }
    if (role == u"repairer" && m_failing >= 0) {
        RecordedDiagnosis &last = m_recording.diagnoses[m_failing].last();
        last.repaired_ms = m_took[role];
        last.refusal = data.value("error").toString();
    }
}

void Reader::planned(const QJsonObject &data)
{
    RecordedProposal proposal;
    proposal.round = data.value("round").toInt();
    proposal.plan = Plan::fromJson(data.value("plan").toObject());
    proposal.planned_ms = m_took.take(QStringLiteral("planner"));
    m_recording.proposals.append(proposal);
    m_open = true;
}

void Reader::refused(const QJsonObject &data)
{
    const QString reason = data.value("reason").toString();
    if (m_open) {
        m_recording.proposals.last().refusal = reason;
        m_open = false;
        return;
    }
    const Plan plan = Plan::fromJson(data.value("plan").toObject());
    if (plan.skill.isEmpty()) return; // no plan: the planner or a repairer failed
    RecordedProposal proposal;
    proposal.round = data.value("round").toInt();
    proposal.plan = plan;
    proposal.refusal = reason;
    proposal.planned_ms = m_took.take(QStringLiteral("planner"));
    m_recording.proposals.append(proposal);
}

void Reader::diagnosed(const QJsonObject &data)
{
    m_failing = data.value("node").toInt();
    RecordedDiagnosis entry;
    entry.diagnosis = Diagnosis::fromJson(data.value("diagnosis").toObject());
    entry.diagnosed_ms = m_took.take(QStringLiteral("diagnoser"));
    m_recording.diagnoses[m_failing].append(entry);
}

Result<void> Reader::candidate(const QJsonObject &data)
{
    const TrajectoryNode *node = m_trajectory.node(data.value("node").toInt(-1));
    if (!node || node->candidateBlob != data.value("candidate_blob").toString()) return {}; // done again later
    auto blob = m_file.blob(node->candidateBlob);
    if (!blob) return std::unexpected(blob.error());
    RecordedCode code;
    code.change.candidate = Candidate::fromJson(QJsonDocument::fromJson(*blob).object());
    code.change.summary = node->summary;
    code.change.recorded = RecordedStep{node->id, {}, node->speedup};
    if (!node->evaluationBlob.isEmpty()) code.change.recorded->verdict = toString(node->state);
    code.kind = node->kind;
    code.digest = node->codeDigest;
    code.agent = node->agent;
    m_recording.codes.insert(node->id, code);
    if (!m_recording.nodes.contains(code.digest)) m_recording.nodes.insert(code.digest, node->id);
    place(*node, code);
    return {};
}

void Reader::place(const TrajectoryNode &node, const RecordedCode &code)
{
    if (node.kind == u"repair" && m_failing == node.parent && m_failing >= 0) {
        m_recording.diagnoses[m_failing].last().repair = node.id;
        m_failing = -1;
    } else if (node.kind == u"optimise" && m_open) {
        m_recording.proposals.last().node = node.id;
        m_open = false;
    } else if (node.isHuman) {
        // Nobody planned a person's edit: played again, it is an idea of the planner's own.
        RecordedProposal proposal;
        proposal.round = node.round;
        proposal.plan.method = QStringLiteral("free");
        proposal.plan.skill = ideaName(QStringLiteral("edited by hand, node %1").arg(node.id));
        proposal.plan.rationale = code.change.summary.isEmpty() ? QStringLiteral("Edited by hand.") : code.change.summary;
        proposal.wrote = true;
        proposal.node = node.id;
        m_recording.proposals.append(proposal);
    }
}

Result<void> Reader::apply(const Event &event)
{
    const QJsonObject &data = event.data;
    if (event.kind == u"round.start") {
        // A round that was interrupted and done again counts as it was done again.
        const int round = data.value("round").toInt();
        m_recording.proposals.removeIf(
            [&](const RecordedProposal &proposal) { return proposal.round == round && proposal.node < 0; });
        m_open = false;
        m_failing = -1;
    } else if (event.kind == u"round.features") {
        const int base = data.value("base").toInt(-1);
        m_recording.features.insert(base, data.value("features").toObject().toVariantMap());
        m_recording.extracted_ms.insert(base, m_took.take(QStringLiteral("features")));
    } else if (event.kind == u"role.call") {
        roleCall(data);
    } else if (event.kind == u"round.plan") {
        planned(data);
    } else if (event.kind == u"round.refused") {
        refused(data);
    } else if (event.kind == u"repair.diagnosis") {
        diagnosed(data);
    } else if (event.kind == u"node.candidate") {
        return candidate(data);
    }
    return {};
}

std::unexpected<Error> damaged(const Error &damage)
{
    return failure("recording.damaged",
                   QStringLiteral("%1; a damaged session is shown as far as it can be read, but not played again: use an "
                                  "undamaged copy").arg(damage.message));
}

} // namespace

Result<Recording> Recording::read(const QString &path)
{
    auto file = SessionFile::open(path, true);
    if (!file && file.error().code == u"session.damaged") return damaged(file.error());
    if (!file) {
        return failure(file.error().code, file.error().message + QStringLiteral("; name a recorded session, as “kernelskill "
                                                                                "session list” shows them"));
    }
    const SessionFile::ReadableEvents readable = file->readableEvents();
    if (readable.damage) return damaged(*readable.damage);
    const Trajectory trajectory = Trajectory::fold(readable.events);
    Recording recording;
    recording.path = file->path();
    recording.session = file->id();
    recording.taskName = trajectory.taskName;
    recording.settings = trajectory.settings;
    recording.rounds = trajectory.lastRound();
    for (const Event &event : readable.events) {
        if (event.kind == u"session.start") recording.taskDigest = event.data.value("task_digest").toString();
    }
    Reader reader(*file, trajectory, recording);
    for (const Event &event : readable.events) {
        if (auto applied = reader.apply(event); !applied) return damaged(applied.error());
    }
    const bool anyCode = std::ranges::any_of(recording.proposals, [](const RecordedProposal &proposal) { return proposal.node >= 0; });
    if (!anyCode) {
        return failure("recording.empty",
                       QStringLiteral("%1: no agent proposed anything that became a candidate in this session, so there is "
                                      "nothing to play again; record one with “kernelskill optimize”").arg(path));
    }
    return recording;
}

} // namespace kernelskill
