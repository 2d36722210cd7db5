// SPDX-License-Identifier: Apache-2.0
// Loop: a failing candidate is diagnosed and repaired, a candidate a round, up to a limit; then the base stands again.
#include "engine/loop.h"

#include <algorithm>

namespace kernelskill {

namespace {

// How often a diagnosis or a repair that was tried before may be asked for anew.
constexpr int questionsPerRepair = 2;

} // namespace

QList<int> Loop::chainOf(int node) const
{
    QList<int> chain;
    for (const TrajectoryNode *step = trajectory().node(node); step; step = trajectory().node(step->parent)) {
        chain.prepend(step->id);
        if (step->kind != u"repair") break;
    }
    return chain;
}

// The candidate to repair next: the newest one, where it fails its checks and its chain is not at its end. A failing
// seed is repaired only while nothing passes.
std::optional<int> Loop::failingNode() const
{
    // A node without candidate is the step that was interrupted: what it was started for counts.
    const auto &nodes = trajectory().nodes;
    qsizetype last = nodes.size() - 1;
    // What a person wrote is the person's to mend.
    while (last >= 0 && (nodes[last].isHuman || (nodes[last].state == NodeState::Running && nodes[last].candidateBlob.isEmpty())))
        --last;
    if (last < 0) return std::nullopt;
    const TrajectoryNode *node = &nodes[last];
    if (node->kind == u"seed") {
        if (trajectory().base >= 0) return std::nullopt;
        node = &nodes.first();
    }
    const bool fails = node->state == NodeState::Wrong || node->state == NodeState::Failed;
    // A repair that was given up has no evaluation: its chain is over.
    if (!fails || node->evaluationBlob.isEmpty()) return std::nullopt;
    if (chainOf(node->id).size() - 1 >= m_parts.settings.repairLimit) return std::nullopt;
    return node->id;
}

QList<RepairAttempt> Loop::repairsOf(const QList<int> &chain) const
{
    QList<RepairAttempt> repairs;
    for (qsizetype i = 1; i < chain.size(); ++i) {
        const Diagnosis diagnosis = m_parts.journal->state().diagnoses().value(chain[i - 1]);
        repairs.append({chain[i], diagnosis.errorClass, diagnosis.cause, diagnosis.fix,
                        toString(trajectory().node(chain[i])->state)});
    }
    return repairs;
}

QCoro::Task<Result<std::expected<Diagnosis, QString>>> Loop::diagnose(const DiagnoseRequest &request, int round,
                                                                      int failing, int node, int question)
{
    using Outcome = std::expected<Diagnosis, QString>;
    QElapsedTimer timer;
    timer.start();
    auto diagnosis =
        co_await agent(Role::Diagnoser)->diagnoser()->diagnose(request, context(Role::Diagnoser, round, question));
    auto recorded = recordCall(Role::Diagnoser, round, node, timer, diagnosis ? nullptr : &diagnosis.error());
    if (!recorded) co_return std::unexpected(recorded.error());
    if (!diagnosis) {
        if (!concernsOneReply(diagnosis.error())) co_return std::unexpected(diagnosis.error());
        co_return Outcome(std::unexpect, diagnosis.error().message);
    }
    auto noted = m_parts.journal->append(QStringLiteral("repair.diagnosis"), {{"node", failing},
                                                                              {"repair", node},
                                                                              {"diagnosis", diagnosis->toJson()},
                                                                              {"chain", int(request.chain.size())}});
    if (!noted) co_return std::unexpected(noted.error());
    const bool tried = std::ranges::any_of(request.chain, [&](const RepairAttempt &attempt) {
        return attempt.errorClass == diagnosis->errorClass && attempt.fix == diagnosis->fix;
    });
    if (tried && m_parts.settings.shortTerm) {
        co_return Outcome(std::unexpect,
                          QStringLiteral("the fix \"%1\" was tried for this error before").arg(diagnosis->fix));
    }
    co_return Outcome(*diagnosis);
}

QCoro::Task<Result<std::expected<CodeChange, QString>>> Loop::repairedCandidate(const DiagnoseRequest &request,
                                                                                int round, int failing, int node)
{
    using Outcome = std::expected<CodeChange, QString>;
    QString reason;
    for (int question = 0; question < questionsPerRepair; ++question) {
        const auto open = question == 0 ? m_parts.journal->state().openDiagnosis(failing) : std::nullopt;
        auto diagnosis = open ? Result<std::expected<Diagnosis, QString>>(*open)
                              : co_await diagnose(request, round, failing, node, question);
        if (!diagnosis) co_return std::unexpected(diagnosis.error());
        if (!*diagnosis) {
            reason = diagnosis->error();
        } else {
            QElapsedTimer timer;
            timer.start();
            auto change = co_await agent(Role::Repairer)
                              ->repairer()
                              ->repair({request, **diagnosis}, context(Role::Repairer, round, question));
            auto recorded = recordCall(Role::Repairer, round, node, timer, change ? nullptr : &change.error());
            if (!recorded) co_return std::unexpected(recorded.error());
            if (!change && !concernsOneReply(change.error())) co_return std::unexpected(change.error());
            if (!change) co_return Outcome(std::unexpect, change.error().message);
            const auto before =
                m_parts.settings.shortTerm ? attempts().withCode(comparedDigest(change->candidate)) : std::nullopt;
            if (!before) co_return Outcome(*change);
            reason = QStringLiteral("the repaired code is that of node %1").arg(before->node);
        }
        auto refused = m_parts.journal->append(QStringLiteral("round.refused"),
                                               {{"round", round}, {"base", trajectory().base}, {"reason", reason}});
        if (!refused) co_return std::unexpected(refused.error());
    }
    co_return Outcome(std::unexpect, reason);
}

QCoro::Task<Result<void>> Loop::repairRound(int round, int failing)
{
    const int node = nodeOfRound(round);
    const QList<int> chain = chainOf(failing);
    auto candidate = candidateOf(failing);
    if (!candidate) co_return std::unexpected(candidate.error());
    auto evaluation = evaluationOf(failing);
    if (!evaluation) co_return std::unexpected(evaluation.error());
    DiagnoseRequest request{m_parts.task.task, *candidate, *evaluation, {}, repairsOf(chain)};
    if (trajectory().base >= 0) {
        auto base = candidateOf(trajectory().base);
        if (!base) co_return std::unexpected(base.error());
        request.base = *base;
    }
    auto started =
        m_parts.journal->append({{QStringLiteral("round.start"), {{"round", round}, {"base", trajectory().base}}},
                                 {QStringLiteral("node.start"),
                                  {{"node", node},
                                   {"parent", failing},
                                   {"round", round},
                                   {"kind", QStringLiteral("repair")},
                                   {"agent", m_parts.settings.agentFor(Role::Repairer)}}}});
    if (!started) co_return started;
    auto change = co_await repairedCandidate(request, round, failing, node);
    if (!change) co_return std::unexpected(change.error());
    if (!*change) {
        co_return m_parts.journal->append(
            {{QStringLiteral("node.dropped"), {{"node", node}, {"reason", change->error()}}},
             {QStringLiteral("repair.rollback"), {{"node", node}, {"to", trajectory().base}}}});
    }
    // The repaired candidate applies the plan of what it repairs.
    const Plan plan = trajectory().node(chain.first())->plan;
    if (auto stored = storeCandidate(node, **change, plan); !stored) co_return stored;
    co_return co_await review(node);
}

} // namespace kernelskill
