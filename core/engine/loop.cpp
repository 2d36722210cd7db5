// SPDX-License-Identifier: Apache-2.0
#include "engine/loop.h"

#include "engine/stop_rules.h"

#include <algorithm>

namespace kernelskill {

namespace {

// What ended a run that an error ended. All but "error" leave it sound, to be gone on with.
QString endOf(const Error &error)
{
    static const QHash<QString, QString> ends{{QString::fromLatin1(stoppedCode), QStringLiteral("person")},
                                              {QString::fromLatin1(budgetMoney), QStringLiteral("money")},
                                              {QString::fromLatin1(budgetTokens), QStringLiteral("tokens")},
                                              {QString::fromLatin1(budgetCalls), QStringLiteral("calls")},
                                              {QString::fromLatin1(providerUnavailable), QStringLiteral("provider")}};
    return ends.value(error.code, QStringLiteral("error"));
}

} // namespace

Loop::Loop(LoopParts parts) : m_parts(std::move(parts)) {}

QCoro::Task<Result<QString>> Loop::run()
{
    m_timer.start();
    auto ended = co_await (m_parts.onlyProposalsEndBy ? proposalsOnly() : rounds());
    QString by = ended ? *ended : endOf(ended.error());
    QString message;
    if (!ended) {
        if (by != u"person") message = ended.error().message;
    } else if (by == u"exhausted") {
        message = trajectory().base < 0 ? QStringLiteral("no first candidate passes its checks")
                                        : QStringLiteral("nothing that is allowed is left to try on this base");
    } else if (by == u"recording") {
        message = m_recordingOver;
    }
    QJsonObject data{{"by", by}};
    if (!message.isEmpty()) data.insert("message", message);
    if (auto written = m_parts.journal->append(QStringLiteral("run.ended"), data); !written) {
        co_return std::unexpected(ended ? written.error() : ended.error());
    }
    if (!ended && by == u"error") co_return std::unexpected(ended.error());
    co_return by;
}

// One candidate a round: either the failing one is repaired, or the base is improved by one method.
QCoro::Task<Result<QString>> Loop::rounds()
{
    if (auto open = co_await finishWhatIsOpen(); !open) co_return std::unexpected(open.error());
    if (auto seeded = co_await seed(); !seeded) co_return std::unexpected(seeded.error());
    for (;;) {
        if (auto waited = co_await waitIfPaused(Control::Place::BetweenRounds); !waited)
            co_return std::unexpected(waited.error());
        if (const auto proposal = m_parts.control->takeProposal()) {
            if (auto done = co_await carryOut(*proposal); !done) co_return std::unexpected(done.error());
            continue;
        }
        const int round = roundToDo();
        if (round > trajectory().lastRound()) {
            if (const QString reason = reasonToStop(); !reason.isEmpty()) co_return reason;
        }
        if (const auto failing = failingNode()) {
            if (auto repaired = co_await repairRound(round, *failing); !repaired)
                co_return std::unexpected(repaired.error());
        } else if (trajectory().base < 0) {
            co_return QStringLiteral("exhausted");
        } else {
            auto end = co_await optimiseRound(round);
            if (!end) co_return std::unexpected(end.error());
            if (*end == RoundEnd::Exhausted) co_return QStringLiteral("exhausted");
            if (*end == RoundEnd::RecordingOver) co_return QStringLiteral("recording");
        }
    }
}

QCoro::Task<Result<QString>> Loop::proposalsOnly()
{
    if (auto open = co_await finishWhatIsOpen(); !open) co_return std::unexpected(open.error());
    while (const auto proposal = m_parts.control->takeProposal()) {
        if (auto done = co_await carryOut(*proposal); !done) co_return std::unexpected(done.error());
    }
    co_return *m_parts.onlyProposalsEndBy;
}

// After a kill: the last candidates may lack their evaluation, and the last evaluation what follows from it.
QCoro::Task<Result<void>> Loop::finishWhatIsOpen()
{
    QList<std::pair<int, bool>> nodes; // id, evaluated
    int lastEvaluated = -1;
    for (const TrajectoryNode &node : trajectory().nodes) {
        if (node.candidateBlob.isEmpty()) continue;
        nodes.append({node.id, !node.evaluationBlob.isEmpty()});
        if (!node.evaluationBlob.isEmpty()) lastEvaluated = node.id;
    }
    for (const auto &[id, evaluated] : std::as_const(nodes)) {
        if (!evaluated) {
            if (auto reviewed = co_await review(id); !reviewed) co_return reviewed;
        } else if (id == lastEvaluated) {
            if (auto settled = co_await settle(id); !settled) co_return settled;
        }
    }
    co_return Result<void>{};
}

// The first candidate of a native task is its own baseline, against which everything is measured.
QCoro::Task<Result<void>> Loop::seed()
{
    const auto isMissing = [this](int id) {
        const TrajectoryNode *node = trajectory().node(id);
        return !node || (node->candidateBlob.isEmpty() && node->state == NodeState::Running);
    };
    QList<int> missing;
    for (int id = 0; id < m_parts.settings.seeds; ++id) {
        if (isMissing(id)) missing.append(id);
    }
    const bool begun = trajectory().lastRound() > 0;
    if (!missing.isEmpty() && !begun) {
        auto changes = co_await seedCandidates();
        if (!changes) co_return std::unexpected(changes.error());
        const bool ownBaseline = !m_parts.task.task.baseline.isEmpty();
        for (const int id : std::as_const(missing)) {
            if (id >= changes->size()) break;
            const QString author =
                ownBaseline && id == 0 ? QStringLiteral("task") : m_parts.settings.agentFor(Role::Generator);
            auto started = m_parts.journal->append(
                QStringLiteral("node.start"),
                {{"node", id}, {"parent", -1}, {"round", 0}, {"kind", QStringLiteral("seed")}, {"agent", author}});
            if (!started) co_return started;
            if (auto stored = storeCandidate(id, changes->at(id), {}); !stored) co_return stored;
        }
    }
    for (int id = 0; id < m_parts.settings.seeds; ++id) {
        const TrajectoryNode *node = trajectory().node(id);
        if (!node || node->state != NodeState::Running || node->candidateBlob.isEmpty()) continue;
        if (auto reviewed = co_await review(id); !reviewed) co_return reviewed;
    }
    co_return Result<void>{};
}

QCoro::Task<Result<QList<CodeChange>>> Loop::seedCandidates()
{
    QList<CodeChange> changes;
    const Task &task = m_parts.task.task;
    if (!task.baseline.isEmpty()) changes.append({task.baseline, QStringLiteral("Baseline of the task")});
    const int wanted = m_parts.settings.seeds - int(changes.size());
    if (wanted <= 0) co_return changes;
    Generator *generator = agent(Role::Generator)->generator();
    QElapsedTimer timer;
    timer.start();
    auto generated = co_await generator->generate({task, wanted}, context(Role::Generator, 0, 0));
    auto recorded = recordCall(Role::Generator, 0, 0, timer, generated ? nullptr : &generated.error());
    if (!recorded) co_return std::unexpected(recorded.error());
    if (generated) {
        changes += generated->mid(0, wanted);
    } else if (changes.isEmpty() || !concernsOneReply(generated.error())) {
        co_return std::unexpected(generated.error());
    }
    co_return changes;
}

QCoro::Task<Result<void>> Loop::waitIfPaused(Control::Place place)
{
    Control &control = *m_parts.control;
    if (control.wantsPause() && !isStopped()) {
        if (auto paused = m_parts.journal->append(QStringLiteral("run.paused"), {}); !paused) co_return paused;
        co_await control.waitForPerson(place);
        if (!isStopped()) {
            if (auto resumed = m_parts.journal->append(QStringLiteral("run.resumed"), {}); !resumed) co_return resumed;
        }
    }
    if (isStopped()) co_return stopped();
    co_return Result<void>{};
}

QString Loop::reasonToStop()
{
    StopInput input;
    input.elapsed_s = double(m_timer.elapsed()) / 1000;
    if (m_parts.settings.rooflineFraction > 0 && trajectory().best >= 0) {
        if (auto evaluation = evaluationOf(trajectory().best))
            input.rooflineFraction = rooflineFraction(evaluation->profile);
    }
    return stopReason(m_parts.settings, trajectory(), input);
}

// The round after the last one; the last one itself when no candidate came of it before the run was interrupted.
int Loop::roundToDo() const
{
    const int last = trajectory().lastRound();
    if (last == 0) return 1;
    const bool done = std::ranges::any_of(trajectory().nodes, [last](const TrajectoryNode &node) {
        return node.round == last && node.state != NodeState::Running && !node.isHuman;
    });
    return done ? last + 1 : last;
}

int Loop::nodeOfRound(int round) const
{
    const auto &nodes = trajectory().nodes;
    for (const TrajectoryNode &node : nodes) {
        if (node.round == round && node.candidateBlob.isEmpty() && !node.isHuman) return node.id;
    }
    return nodes.isEmpty() ? 0 : nodes.last().id + 1;
}

} // namespace kernelskill
