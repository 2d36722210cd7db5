// SPDX-License-Identifier: Apache-2.0
#include "engine/proof.h"

#include "engine/lineage.h"
#include "engine/snapshot.h"

#include <QJsonDocument>

namespace kernelskill {

namespace {

// What the two evaluations need of the session.
struct Ground
{
    SessionTask task;
    RunSettings settings;
    std::unique_ptr<Evaluator> evaluator;
    DeviceInfo device;
};

Result<Candidate> candidateOf(const SessionFile &file, const Trajectory &trajectory, int node)
{
    const TrajectoryNode *found = trajectory.node(node);
    if (!found || found->candidateBlob.isEmpty())
        return failure("proof.node", QStringLiteral("%1: node %2 has no code; `kernelskill session show` lists the nodes")
                                         .arg(file.path()).arg(node));
    auto text = file.blob(found->candidateBlob);
    if (!text) return std::unexpected(text.error());
    return Candidate::fromJson(QJsonDocument::fromJson(*text).object());
}

Result<Ground> prepare(const SessionFile &file, const Trajectory &trajectory, const PlayerFactory &players)
{
    Ground ground;
    auto task = taskOf(file, trajectory);
    if (!task) return std::unexpected(task.error());
    ground.task = *task;
    auto settings = RunSettings::fromJson(trajectory.settings);
    if (!settings) return std::unexpected(settings.error());
    ground.settings = *settings;
    auto evaluator = players.evaluator(settings->evaluator);
    if (!evaluator) return std::unexpected(evaluator.error());
    ground.evaluator = std::move(*evaluator);
    auto device = chooseDevice(*ground.evaluator, settings->device);
    if (!device) return std::unexpected(device.error());
    ground.device = *device;
    return ground;
}

QCoro::Task<Result<Evaluation>> evaluate(Ground &ground, Candidate candidate, quint64 seed, ProgressSink progress,
                                         std::stop_token stop)
{
    EvaluationRequest request;
    request.task = ground.task.task;
    request.candidate = std::move(candidate);
    request.device = ground.device.id;
    request.mode = ground.settings.mode;
    request.seed = seed;
    request.unconfined = ground.settings.unconfined;
    co_return co_await ground.evaluator->evaluate(std::move(request), std::move(progress), stop);
}

// The agent's own features and code for a node that does not apply the skill yet.
QCoro::Task<Result<Candidate>> apply(const Ground &ground, const PlayerFactory &players, const QString &agentId,
                                     const Skill &skill, const Candidate &base, const Evaluation &evaluation,
                                     quint64 seed, std::stop_token stop)
{
    auto agent = players.agent(agentId, {});
    if (!agent) co_return std::unexpected(agent.error());
    Optimizer *optimizer = (*agent)->optimizer();
    if (!optimizer)
        co_return failure("proof.apply", QStringLiteral("the agent '%1' writes no code; name another with --agent").arg(agentId));
    RoleContext context;
    context.seed = seed;
    context.device = ground.device.id;
    context.stop = stop;
    OptimizeRequest request;
    request.task = ground.task.task;
    request.base = base;
    request.evaluation = evaluation;
    request.skill = skill;
    request.plan.method = skill.method;
    request.plan.skill = skill.name;
    request.plan.rationale = QStringLiteral("Counterfactual run");
    if (FeatureExtractor *extractor = (*agent)->featureExtractor()) {
        if (auto features = co_await extractor->extract({request.task, base, evaluation.profile}, context))
            request.features = *features;
    }
    auto change = co_await optimizer->optimise(request, context);
    if (!change) {
        co_return failure("proof.apply", QStringLiteral("the agent '%1' cannot apply %2 to this node: %3")
                                             .arg(agentId, skill.name, change.error().message));
    }
    co_return change->candidate;
}

void judge(Proof &proof, const Skill &skill)
{
    const Evaluation &without = proof.evaluationWithout, &with = proof.evaluationWith;
    for (const auto &[which, evaluation] : {std::pair("without", &without), std::pair("with", &with)}) {
        if (evaluation->verdict == Verdict::Verified) continue;
        proof.why = QStringLiteral("the candidate %1 the skill is %2, not verified")
                        .arg(QLatin1String(which), toString(evaluation->verdict));
        return;
    }
    proof.gain = speedup(without, with);
    if (!proof.gain) {
        proof.why = QStringLiteral("the two were not timed alike");
        return;
    }
    proof.observed = observedChanges(promisesOf(skill), without.profile, with.profile);
    proof.proved = proof.gain->interval.low > 1;
    proof.why = proof.proved ? QStringLiteral("the whole interval of the gain lies above 1")
                             : QStringLiteral("the interval of the gain does not lie above 1");
}

} // namespace

QCoro::Task<Result<Proof>> prove(ProofRequest request, PlayerFactory players, Skill skill, ProgressSink progress,
                                 std::stop_token stop)
{
    auto file = SessionFile::open(request.sessionPath, true);
    if (!file) co_return std::unexpected(file.error());
    auto events = file->events();
    if (!events) co_return std::unexpected(events.error());
    const Trajectory trajectory = Trajectory::fold(*events);
    const TrajectoryNode *node = trajectory.node(request.node);
    if (!node) {
        co_return failure("proof.node", QStringLiteral("%1 has no node %2; it has 0 to %3")
                                            .arg(request.sessionPath).arg(request.node).arg(trajectory.nodes.size() - 1));
    }
    auto ground = prepare(*file, trajectory, players);
    if (!ground) co_return std::unexpected(ground.error());
    const quint64 seed = request.seed ? request.seed : ground->settings.seed + 1;
    Proof proof;
    const bool applies = node->skill == skill.name;
    proof.without = applies ? madeFrom(trajectory, node->id) : node->id;
    proof.with = applies ? node->id : -1;
    proof.task = trajectory.taskName;
    proof.architecture = ground->device.architecture;
    proof.evaluator = ground->settings.evaluator;
    auto base = candidateOf(*file, trajectory, proof.without);
    if (!base) co_return std::unexpected(base.error());
    auto without = co_await evaluate(*ground, *base, seed, progress, stop);
    if (!without) co_return std::unexpected(without.error());
    proof.evaluationWithout = *without;
    auto changed = applies ? candidateOf(*file, trajectory, proof.with)
                           : co_await apply(*ground, players,
                                            request.agent.isEmpty() ? ground->settings.agentFor(Role::Optimizer)
                                                                    : request.agent,
                                            skill, *base, *without, seed, stop);
    if (!changed) co_return std::unexpected(changed.error());
    auto with = co_await evaluate(*ground, *changed, seed, progress, stop);
    if (!with) co_return std::unexpected(with.error());
    proof.evaluationWith = *with;
    judge(proof, skill);
    co_return proof;
}

} // namespace kernelskill
