// SPDX-License-Identifier: Apache-2.0
// Loop: what a person does beside the rounds. Judged, remembered and promoted as anything an agent does.
#include "engine/loop.h"

namespace kernelskill {

QCoro::Task<Result<void>> Loop::carryOut(Proposal proposal)
{
    switch (proposal.kind) {
    case Proposal::Kind::Code:
        co_return co_await reviewOwnCode(proposal);
    case Proposal::Kind::Plan:
        co_return co_await tryOwnPlan(proposal);
    case Proposal::Kind::Evaluation:
        m_evaluations.remove(proposal.node);
        co_return co_await review(proposal.node);
    case Proposal::Kind::Base:
        co_return m_parts.journal->append(QStringLiteral("node.promoted"),
                                          {{"node", proposal.node},
                                           {"base", true},
                                           {"best", false},
                                           {"by", QString::fromLatin1(personAgent)}});
    }
    co_return Result<void>{};
}

// A node beside the rounds, in the column after its parent's.
QCoro::Task<Result<void>> Loop::reviewOwnCode(const Proposal &proposal)
{
    const TrajectoryNode *parent = trajectory().node(proposal.node);
    const int id = trajectory().nodes.last().id + 1;
    auto blob = m_parts.journal->putJson(proposal.candidate.toJson());
    if (!blob) co_return std::unexpected(blob.error());
    const CodeChange change{proposal.candidate, proposal.summary};
    auto stored = m_parts.journal->append({{QStringLiteral("node.start"),
                                            {{"node", id},
                                             {"parent", parent->id},
                                             {"round", parent->round + 1},
                                             {"kind", QStringLiteral("human")},
                                             {"agent", QString::fromLatin1(personAgent)}}},
                                           candidateEvent(id, change, {}, *blob)});
    if (!stored) co_return stored;
    co_return co_await review(id);
}

// A round of the person's: on the node and by the plan that were asked for. A refused plan is on record and ends it.
QCoro::Task<Result<void>> Loop::tryOwnPlan(const Proposal &proposal)
{
    Planning planning;
    planning.round = roundToDo();
    planning.base = proposal.node;
    planning.byPerson = true;
    auto any = co_await prepareRound(planning);
    if (!any) co_return std::unexpected(any.error());
    Plan plan = proposal.plan;
    plan.overridesPolicy = true;
    if (plan.promises.isEmpty()) plan.promises = promisesOf(plan.skill);
    auto written = co_await tryPlan(planning, plan, 0);
    if (!written) co_return std::unexpected(written.error());
    auto end = co_await finishRound(planning, *written);
    if (!end) co_return std::unexpected(end.error());
    co_return Result<void>{};
}

} // namespace kernelskill
