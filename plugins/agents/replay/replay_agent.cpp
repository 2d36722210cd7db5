// SPDX-License-Identifier: Apache-2.0
#include "replay_agent.h"

#include "engine/loop.h"

#include <QCoroTimer>
#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>
#include <chrono>

namespace kernelskill::replay {

namespace {

// So many recorded successes that fail here, one after the other, leave the rest without a footing.
constexpr int mostLost = 3;
constexpr double pauseSlice_ms = 50; // a stop is seen this soon

QString digestOf(const Candidate &candidate)
{
    return QString::fromLatin1(comparedDigest(candidate));
}

Result<double> speedFrom(const QString &text)
{
    if (text.isEmpty() || text == u"max") return 0;
    bool isNumber = false;
    const double speed = text.toDouble(&isNumber);
    if (isNumber && speed > 0 && speed <= 1e6) return speed;
    return failure("settings.value",
                   QStringLiteral("the speed of a replay is “max” or a number above 0, so many times the recorded pace, not “%1”").arg(text));
}

} // namespace

ReplayAgent::ReplayAgent(QJsonObject settings) : m_settings(std::move(settings)) {}

Result<QJsonObject> ReplayAgent::prepare(const Task &task)
{
    auto speed = speedFrom(m_settings.value("speed").toVariant().toString());
    if (!speed) return std::unexpected(speed.error());
    m_speed = *speed;
    const QString path = m_settings.value("session").toString();
    if (path.isEmpty()) {
        return failure("settings.value", QStringLiteral("the agent 'replay' needs a recorded session: --agent-option session=FILE"));
    }
    auto recording = Recording::read(path);
    if (!recording) return std::unexpected(recording.error());
    if (recording->taskName != task.name) {
        return failure("recording.task", QStringLiteral("%1: a recording of the task %2, not of %3; run it on %2, or name a recording of %3")
                                             .arg(path, recording->taskName, task.name));
    }
    m_recording = *recording;
    const bool changed = m_recording.taskDigest != QString::fromLatin1(task.digest());
    return QJsonObject{{"recording", QJsonObject{{"path", QFileInfo(path).absoluteFilePath()},
                                                 {"session", m_recording.session},
                                                 {"task_changed", changed}}}};
}

// At the recorded pace times the speed, or at once.
QCoro::Task<void> ReplayAgent::pause(double recorded_ms, std::stop_token stop) const
{
    if (m_speed <= 0) co_return;
    const double wanted_ms = recorded_ms / m_speed;
    QElapsedTimer waited;
    waited.start();
    while (!stop.stop_requested() && double(waited.elapsed()) < wanted_ms) {
        const double left_ms = std::min(pauseSlice_ms, wanted_ms - double(waited.elapsed()));
        co_await QCoro::sleepFor(std::chrono::milliseconds(std::max(1, int(left_ms))));
    }
}

QCoro::Task<Result<QList<CodeChange>>> ReplayAgent::generate(GenerateRequest request, RoleContext)
{
    QList<int> nodes;
    for (auto code = m_recording.codes.begin(); code != m_recording.codes.end(); ++code) {
        if (code->kind == u"seed" && code->agent != u"task") nodes.append(code.key());
    }
    std::ranges::sort(nodes);
    QList<CodeChange> changes;
    for (const int node : nodes.mid(0, request.count))
        changes.append(m_recording.codes.value(node).change);
    if (changes.isEmpty()) co_return failure("agent.recording", QStringLiteral("the recording has no first candidate of an agent"));
    co_return changes;
}

QCoro::Task<Result<Features>> ReplayAgent::extract(FeatureRequest request, RoleContext context)
{
    const int base = m_recording.nodeWith(digestOf(request.candidate));
    const auto found = m_recording.features.constFind(base);
    if (found == m_recording.features.constEnd())
        co_return failure("agent.recording", QStringLiteral("the recording knows no features of this code: there no round began from it"));
    co_await pause(m_recording.extracted_ms.value(base), context.stop);
    co_return *found;
}

// Where to go on: after the last proposal whose code was a candidate here already. Without short-term memory, at the round.
void ReplayAgent::findPlace(const PlanRequest &request, int round)
{
    m_next = 0;
    for (qsizetype i = 0; i < m_recording.proposals.size(); ++i) {
        const RecordedProposal &proposal = m_recording.proposals[i];
        const QByteArray digest = m_recording.codes.value(proposal.node).digest.toLatin1();
        const bool played = proposal.node >= 0 && request.attempts.withCode(digest);
        const bool before = request.attempts.all().isEmpty() && proposal.round < round;
        if (played || before) m_next = i + 1;
    }
}

QString ReplayAgent::lostFooting(const Attempts &attempts) const
{
    int lost = 0;
    for (const Attempt &attempt : attempts.all()) {
        const int node = m_recording.nodeWith(QString::fromLatin1(attempt.codeDigest));
        if (node < 0 || attempt.node <= 0) continue;
        const bool good = m_recording.codes.value(node).change.recorded->verdict == u"verified";
        const bool fails = attempt.outcome == u"wrong" || attempt.outcome == u"failed";
        lost = good && fails ? lost + 1 : 0;
    }
    if (lost < mostLost) return {};
    return QStringLiteral("the recording cannot be followed any further: %1 candidates in a row that were verified there fail here").arg(lost);
}

QCoro::Task<Result<Plan>> ReplayAgent::plan(PlanRequest request, RoleContext context)
{
    if (m_next < 0) findPlace(request, context.round);
    // Asked again although nobody wanted its code: the engine refused the plan, as it may have then.
    if (m_waitsForCode) ++m_next;
    m_waitsForCode = false;
    if (const QString lost = lostFooting(request.attempts); !lost.isEmpty()) co_return failure("recording.over", lost);
    if (m_next >= m_recording.proposals.size()) {
        co_return failure("recording.over", QStringLiteral("the recording of %1 ends here, after %2 rounds")
                                                .arg(QFileInfo(m_recording.path).fileName())
                                                .arg(m_recording.rounds));
    }
    const RecordedProposal &proposal = m_recording.proposals[m_next];
    m_waitsForCode = true;
    co_await pause(proposal.planned_ms, context.stop);
    Plan plan = proposal.plan;
    plan.overridesPolicy = true; // whoever decided then stands behind it; the engine takes this back where it is allowed
    co_return plan;
}

// The next proposal of the plan, else any of it that led to code.
const RecordedProposal *ReplayAgent::proposalFor(const Plan &plan) const
{
    const auto matches = [&plan](const RecordedProposal &proposal) {
        return proposal.wrote && proposal.plan.skill == plan.skill && proposal.plan.parameters == plan.parameters;
    };
    const auto begin = m_recording.proposals.begin(), end = m_recording.proposals.end();
    const auto next = std::find_if(begin + std::max<qsizetype>(0, m_next), end, matches);
    if (next != end) return &*next;
    const auto any = std::find_if(begin, end, matches);
    return any == end ? nullptr : &*any;
}

QCoro::Task<Result<CodeChange>> ReplayAgent::optimise(OptimizeRequest request, RoleContext context)
{
    const RecordedProposal *proposal = proposalFor(request.plan);
    m_waitsForCode = false;
    if (!proposal) {
        co_return failure("optimise.inapplicable",
                          QStringLiteral("the recording has no code for this plan; take the recorded one, or cast another optimizer"));
    }
    const qsizetype at = proposal - m_recording.proposals.data();
    if (at == m_next) ++m_next;
    co_await pause(proposal->wrote_ms, context.stop);
    if (proposal->node < 0) co_return failure("optimise.inapplicable", proposal->refusal);
    co_return m_recording.codes.value(proposal->node).change;
}

QCoro::Task<Result<Diagnosis>> ReplayAgent::diagnose(DiagnoseRequest request, RoleContext context)
{
    const int failing = m_recording.nodeWith(digestOf(request.candidate));
    const QList<RecordedDiagnosis> recorded = m_recording.diagnoses.value(failing);
    const int turn = m_diagnosed[failing]++;
    if (turn >= recorded.size()) {
        const QString verdict = failing < 0 ? QString() : m_recording.codes.value(failing).change.recorded->verdict;
        co_return failure("diagnose.recording", verdict.isEmpty()
                                                    ? QStringLiteral("the recording has no diagnosis of this failure")
                                                    : QStringLiteral("the recording has no diagnosis of this failure: there the candidate was %1").arg(verdict));
    }
    co_await pause(recorded[turn].diagnosed_ms, context.stop);
    co_return recorded[turn].diagnosis;
}

QCoro::Task<Result<CodeChange>> ReplayAgent::repair(RepairRequest request, RoleContext context)
{
    const int failing = m_recording.nodeWith(digestOf(request.failure.candidate));
    for (const RecordedDiagnosis &entry : m_recording.diagnoses.value(failing)) {
        if (entry.diagnosis.fix != request.diagnosis.fix || entry.diagnosis.errorClass != request.diagnosis.errorClass) continue;
        co_await pause(entry.repaired_ms, context.stop);
        if (entry.repair >= 0) co_return m_recording.codes.value(entry.repair).change;
        if (!entry.refusal.isEmpty()) co_return failure("repair.give_up", entry.refusal);
    }
    co_return failure("repair.give_up", QStringLiteral("the recording has no repair for this diagnosis"));
}

} // namespace kernelskill::replay
