// SPDX-License-Identifier: Apache-2.0
// Loop: a round that improves the base: features, retrieval, plan, code.
#include "engine/loop.h"

#include "memory/longterm/skill_reader.h"

#include <QJsonArray>
#include <QRegularExpression>

#include <algorithm>

namespace kernelskill {

namespace {

// Plans a planner may hand in in one round; then the engine takes the best allowed method itself.
constexpr int questionsPerRound = 4;
// Replies outside the allowed list that are sent back.
constexpr int policyRefusalsAllowed = 1;

// Agents behind which a person stands may overrule the policy; a program may not.
bool speaksForAPerson(const QString &agentId)
{
    return agentId == u"manual" || agentId == u"replay";
}

QString chosenCase(const Retrieval &retrieval)
{
    const auto chosen = std::ranges::find(retrieval.cases, true, &CaseTrace::chosen);
    return chosen == retrieval.cases.end() ? QString() : chosen->id;
}

RetrievalMode modeOf(const RunSettings &settings)
{
    // Without long-term memory there is no policy either: whatever the agent knows of is allowed.
    if (settings.longTerm == LongTerm::Off || settings.retrieval == u"all") return RetrievalMode::All;
    return settings.retrieval == u"random" ? RetrievalMode::Random : RetrievalMode::Policy;
}

} // namespace

Attempts Loop::attempts() const
{
    return m_parts.journal->state().attempts(trajectory());
}

QList<Skill> Loop::currentSkills() const
{
    QList<Skill> skills = m_parts.memory.skills;
    const EngineState &state = m_parts.journal->state();
    for (Skill &skill : skills) {
        if (const auto edited = state.skillTexts().constFind(skill.name); edited != state.skillTexts().constEnd()) {
            // A text that does not parse never gets this far: Run::applySkillText refuses it.
            if (auto parsed = parseSkillText(edited->text, skill.source)) {
                parsed->state = skill.state;
                parsed->revision = edited->revision;
                skill = *parsed;
            }
        }
        skill.state = state.skillStates().value(skill.name, skill.state);
    }
    return skills;
}

QCoro::Task<Result<Features>> Loop::featuresOf(const Planning &planning)
{
    if (!planning.features.isEmpty()) co_return planning.features;
    FeatureExtractor *extractor = agent(Role::FeatureExtractor)->featureExtractor();
    QElapsedTimer timer;
    timer.start();
    auto features = co_await extractor->extract({m_parts.task.task, planning.candidate, planning.evaluation.profile},
                                                context(Role::FeatureExtractor, planning.round, 0));
    auto recorded = recordCall(Role::FeatureExtractor, planning.round, planning.base, timer,
                               features ? nullptr : &features.error());
    if (!recorded) co_return std::unexpected(recorded.error());
    // Without features the evidence is thinner, not wrong: they are unknown then.
    if (!features && concernsOneReply(features.error())) co_return Features{};
    co_return features;
}

Result<Retrieval> Loop::retrieveFor(const Planning &planning)
{
    RetrievalInput input;
    input.policy = &m_parts.memory.policy;
    input.skills = currentSkills();
    input.statistics = m_parts.memory.statistics;
    input.profile = planning.evaluation.profile;
    input.features = planning.features;
    input.architecture = m_parts.device.architecture;
    input.language = planning.candidate.language;
    input.mode = modeOf(m_parts.settings);
    input.seed = keyedSeed(m_parts.settings.seed, 0, planning.round, QStringLiteral("retrieval"), 0);
    auto retrieval = retrieve(input);
    if (!retrieval) return retrieval;
    auto blob = m_parts.journal->putJson(retrieval->toJson());
    if (!blob) return std::unexpected(blob.error());
    QJsonArray allowed;
    for (const RankedMethod &method : retrieval->allowed) {
        allowed.append(QJsonObject{{"method", method.method}, {"skill", method.skill}});
    }
    auto stored = m_parts.journal->append(QStringLiteral("round.retrieval"), {{"round", planning.round},
                                                                              {"base", planning.base},
                                                                              {"retrieval_blob", *blob},
                                                                              {"chosen_case", chosenCase(*retrieval)},
                                                                              {"allowed", allowed}});
    if (!stored) return std::unexpected(stored.error());
    return retrieval;
}

QCoro::Task<Result<Plan>> Loop::askPlanner(const Planning &planning, int question)
{
    PlanRequest request;
    request.task = m_parts.task.task;
    request.base = planning.candidate;
    request.evaluation = planning.evaluation;
    request.features = planning.features;
    request.retrieval = planning.retrieval;
    const QList<Skill> skills = currentSkills();
    for (const RankedMethod &method : planning.retrieval.allowed) {
        const auto skill = std::ranges::find(skills, method.skill, &Skill::name);
        request.skills.append(skill == skills.end() ? Skill{} : *skill);
    }
    if (m_parts.settings.shortTerm) request.attempts = attempts();
    request.refusals = planning.refusals;
    request.baseNode = planning.base;
    QElapsedTimer timer;
    timer.start();
    auto plan =
        co_await agent(Role::Planner)->planner()->plan(request, context(Role::Planner, planning.round, question));
    auto recorded = recordCall(Role::Planner, planning.round, planning.node, timer, plan ? nullptr : &plan.error());
    if (!recorded) co_return std::unexpected(recorded.error());
    co_return plan;
}

// Also completes a plan that names only its method or only its skill.
std::optional<Loop::Refusal> Loop::refusalOf(const Planning &planning, Plan &plan) const
{
    const bool insisted = planning.byPerson || planning.choseByPerson ||
                          (plan.overridesPolicy && speaksForAPerson(m_parts.settings.agentFor(Role::Planner)));
    if (plan.isFreeForm()) {
        if (auto refusal = refusalOfOwnIdea(planning, plan, insisted)) return refusal;
        return repeatRefusal(planning, plan);
    }
    const RankedMethod *allowed = planning.retrieval.find(plan.method, plan.skill);
    if (allowed) {
        plan.method = allowed->method;
        plan.skill = allowed->skill;
        plan.overridesPolicy = false;
    } else if (!insisted) {
        QStringList names;
        for (const RankedMethod &method : planning.retrieval.allowed)
            names.append(method.skill);
        return Refusal{QStringLiteral("%1 is not allowed now; choose one of: %2")
                           .arg(plan.skill.isEmpty() ? plan.method : plan.skill, names.join(QStringLiteral(", "))),
                       false, true};
    }
    return repeatRefusal(planning, plan);
}

// A planner's own idea is legal where no case is proved or all that is allowed was tried on this base, and for a person.
std::optional<Loop::Refusal> Loop::refusalOfOwnIdea(const Planning &planning, const Plan &plan, bool insisted) const
{
    static const QRegularExpression form(QStringLiteral("^[a-z0-9]+(-[a-z0-9]+)*$"));
    if (plan.skill.size() > 64 || !form.match(plan.skill).hasMatch() || m_parts.memory.skill(plan.skill)) {
        return Refusal{QStringLiteral("an idea of one's own needs a name that no skill has, lower-case words joined by "
                                      "'-', not '%1'")
                           .arg(plan.skill),
                       false, true};
    }
    if (plan.rationale.trimmed().isEmpty())
        return Refusal{QStringLiteral("%1 does not say what to do").arg(plan.skill), false, true};
    if (insisted || planning.retrieval.fallback || m_parts.settings.longTerm == LongTerm::Off) return std::nullopt;
    const Attempts tried = attempts();
    QStringList untried;
    for (const RankedMethod &method : planning.retrieval.allowed) {
        const bool known = std::ranges::any_of(tried.all(), [&](const Attempt &attempt) {
            return attempt.baseNode == planning.base && attempt.skill == method.skill;
        });
        if (!known) untried.append(method.skill);
    }
    if (untried.isEmpty()) return std::nullopt;
    return Refusal{QStringLiteral("%1 is an idea of one's own; first choose one of what the evidence allows: %2")
                       .arg(plan.skill, untried.join(QStringLiteral(", "))),
                   false, true};
}

// What short-term memory has against a plan.
std::optional<Loop::Refusal> Loop::repeatRefusal(const Planning &planning, const Plan &plan) const
{
    if (!m_parts.settings.shortTerm) return std::nullopt;
    if (const auto before = attempts().withPlan(plan.method, plan.skill, plan.parameters, planning.base)) {
        const QString where =
            before->node >= 0 ? QStringLiteral("node %1: %2").arg(before->node).arg(before->outcome) : before->why;
        return Refusal{
            QStringLiteral("%1 with these parameters was tried on this base already (%2)").arg(plan.skill, where),
            false, false};
    }
    return std::nullopt;
}

Result<void> Loop::recordRefusal(Planning &planning, const Plan &plan, const Refusal &refusal)
{
    planning.refusals.append(refusal.reason);
    planning.policyRefusals += refusal.policy;
    return m_parts.journal->append(QStringLiteral("round.refused"), {{"round", planning.round},
                                                                     {"base", planning.base},
                                                                     {"plan", plan.toJson()},
                                                                     {"reason", refusal.reason},
                                                                     {"final", refusal.final}});
}

// The top-ranked allowed method that was not tried on this base.
std::optional<Plan> Loop::engineChoice(Planning &planning) const
{
    const Attempts tried = attempts();
    for (const RankedMethod &method : planning.retrieval.allowed) {
        const bool known = std::ranges::any_of(tried.all(), [&](const Attempt &attempt) {
            return attempt.baseNode == planning.base && attempt.skill == method.skill;
        });
        if (known || planning.engineTook.contains(method.skill)) continue;
        planning.engineTook.append(method.skill);
        Plan plan;
        plan.method = method.method;
        plan.skill = method.skill;
        plan.rationale = QStringLiteral("Taken by the engine: the planner's replies were refused.");
        plan.promises = promisesOf(method.skill);
        return plan;
    }
    return std::nullopt;
}

QList<MetricPromise> Loop::promisesOf(const QString &skillName) const
{
    const Skill *skill = m_parts.memory.skill(skillName);
    return skill ? kernelskill::promisesOf(*skill) : QList<MetricPromise>();
}

// The plan that is carried out, the node it makes, and what a person expects of it.
Result<void> Loop::recordPlan(const Planning &planning, const Plan &plan)
{
    const bool byPerson = planning.byPerson || planning.choseByPerson;
    QList<PendingEvent> events{{QStringLiteral("round.plan"),
                                {{"round", planning.round},
                                 {"base", planning.base},
                                 {"plan", plan.toJson()},
                                 {"agent", byPerson ? QString::fromLatin1(personAgent)
                                                    : m_parts.settings.agentFor(Role::Planner)}}},
                               {QStringLiteral("node.start"),
                                {{"node", planning.node},
                                 {"parent", planning.base},
                                 {"round", planning.round},
                                 {"kind", QStringLiteral("optimise")},
                                 {"agent", m_parts.settings.agentFor(Role::Optimizer)}}}};
    if (!planning.prediction.isEmpty()) {
        QJsonObject data = planning.prediction.toJson();
        data.insert("node", planning.node);
        data.insert("round", planning.round);
        data.insert("skill", plan.skill);
        events.append({QStringLiteral("person.prediction"), data});
    }
    return m_parts.journal->append(events);
}

QCoro::Task<Result<std::expected<CodeChange, Loop::Refusal>>> Loop::write(const Planning &planning, const Plan &plan,
                                                                          int question)
{
    using Outcome = std::expected<CodeChange, Refusal>;
    if (auto noted = recordPlan(planning, plan); !noted) co_return std::unexpected(noted.error());
    // Where nobody can be asked, the run waits.
    if (m_parts.settings.stepMode && !planning.byPerson && !m_parts.ask) m_parts.control->requestPause();
    if (auto waited = co_await waitIfPaused(Control::Place::WithinRound); !waited) co_return std::unexpected(waited.error());
    OptimizeRequest request{
        m_parts.task.task, planning.candidate, planning.evaluation, planning.features, plan, {}, {}};
    for (const Skill &skill : currentSkills()) {
        if (skill.name == plan.skill) request.skill = skill;
    }
    if (m_parts.settings.shortTerm) request.attempts = attempts();
    QElapsedTimer timer;
    timer.start();
    auto change = co_await agent(Role::Optimizer)
                      ->optimizer()
                      ->optimise(request, context(Role::Optimizer, planning.round, question));
    auto recorded =
        recordCall(Role::Optimizer, planning.round, planning.node, timer, change ? nullptr : &change.error());
    if (!recorded) co_return std::unexpected(recorded.error());
    if (!change) {
        if (!concernsOneReply(change.error())) co_return std::unexpected(change.error());
        co_return Outcome(std::unexpect,
                          Refusal{QStringLiteral("%1: %2").arg(plan.skill, change.error().message), true, false});
    }
    const auto same =
        m_parts.settings.shortTerm ? attempts().withCode(comparedDigest(change->candidate)) : std::nullopt;
    if (same) {
        co_return Outcome(
            std::unexpect,
            Refusal{QStringLiteral("%1 gave the code of node %2 again").arg(plan.skill).arg(same->node), true, false});
    }
    co_return Outcome(*change);
}

// The change a plan leads to, or nothing when the plan or its code is refused; then that is on record.
QCoro::Task<Result<std::optional<Loop::Written>>> Loop::tryPlan(Planning &planning, Plan plan, int question)
{
    planning.choseByPerson = false;
    planning.prediction = {};
    std::optional<Refusal> refusal = refusalOf(planning, plan);
    if (!refusal && asksAtPlans(planning)) {
        auto settled = co_await settleWithPerson(planning, plan);
        if (!settled) co_return std::unexpected(settled.error());
        plan = *settled;
    }
    if (!refusal) {
        auto change = co_await write(planning, plan, question);
        if (!change) co_return std::unexpected(change.error());
        if (*change) co_return std::optional<Written>(Written{plan, **change});
        refusal = change->error();
    }
    if (auto refused = recordRefusal(planning, plan, *refusal); !refused) co_return std::unexpected(refused.error());
    co_return std::optional<Written>();
}

// First the planner is asked, a few times where it must be; then the engine takes what is allowed, best first. Nothing:
// there is nothing left to try.
QCoro::Task<Result<std::optional<Loop::Written>>> Loop::planAndWrite(Planning &planning)
{
    int question = 0;
    for (; question < questionsPerRound && planning.policyRefusals <= policyRefusalsAllowed; ++question) {
        const std::optional<Plan> open = question == 0 ? m_parts.journal->state().openPlan(planning.round, planning.base) : std::nullopt;
        auto asked = open ? Result<Plan>(*open) : co_await askPlanner(planning, question);
        if (!asked && asked.error().code == u"plan.none") co_return std::optional<Written>();
        if (!asked && asked.error().code == u"recording.over") {
            m_recordingOver = asked.error().message;
            co_return std::optional<Written>();
        }
        if (!asked && !concernsOneReply(asked.error())) co_return std::unexpected(asked.error());
        if (!asked) {
            auto refused = recordRefusal(planning, {}, {asked.error().message, false, false});
            if (!refused) co_return std::unexpected(refused.error());
            continue;
        }
        auto written = co_await tryPlan(planning, *asked, question);
        if (!written || *written) co_return written;
    }
    for (std::optional<Plan> plan = engineChoice(planning); plan; plan = engineChoice(planning)) {
        auto written = co_await tryPlan(planning, *plan, question++);
        if (!written || *written) co_return written;
    }
    co_return std::optional<Written>();
}

// What a round works from, and what the memory says of it. False: no skill is legal at all.
QCoro::Task<Result<bool>> Loop::prepareRound(Planning &planning)
{
    planning.node = nodeOfRound(planning.round);
    auto candidate = candidateOf(planning.base);
    if (!candidate) co_return std::unexpected(candidate.error());
    planning.candidate = *candidate;
    auto evaluation = evaluationOf(planning.base);
    if (!evaluation) co_return std::unexpected(evaluation.error());
    planning.evaluation = *evaluation;
    // The same code has the same features: an earlier round on this base has them, or this one before it was interrupted.
    for (const RoundRecord &record : trajectory().rounds) {
        if (record.base == planning.base && !record.features.isEmpty()) planning.features = record.features;
    }
    auto started = m_parts.journal->append(QStringLiteral("round.start"),
                                           {{"round", planning.round}, {"base", planning.base}});
    if (!started) co_return std::unexpected(started.error());
    auto features = co_await featuresOf(planning);
    if (!features) co_return std::unexpected(features.error());
    planning.features = *features;
    auto noted = m_parts.journal->append(QStringLiteral("round.features"),
                                         {{"round", planning.round},
                                          {"base", planning.base},
                                          {"features", QJsonObject::fromVariantMap(planning.features)},
                                          {"agent", m_parts.settings.agentFor(Role::FeatureExtractor)}});
    if (!noted) co_return std::unexpected(noted.error());
    auto retrieval = retrieveFor(planning);
    if (!retrieval && retrieval.error().code == u"retrieval.no_skill") co_return false;
    if (!retrieval) co_return std::unexpected(retrieval.error());
    planning.retrieval = *retrieval;
    co_return true;
}

QCoro::Task<Result<Loop::RoundEnd>> Loop::finishRound(const Planning &planning, const std::optional<Written> &written)
{
    if (!written) {
        // A node that was started for a refused plan must not look as if it were still at work.
        if (trajectory().node(planning.node)) {
            auto dropped = m_parts.journal->append(
                QStringLiteral("node.dropped"),
                {{"node", planning.node}, {"reason", planning.refusals.value(planning.refusals.size() - 1)}});
            if (!dropped) co_return std::unexpected(dropped.error());
        }
        co_return m_recordingOver.isEmpty() ? RoundEnd::Exhausted : RoundEnd::RecordingOver;
    }
    if (auto stored = storeCandidate(planning.node, written->change, written->plan); !stored)
        co_return std::unexpected(stored.error());
    if (auto reviewed = co_await review(planning.node); !reviewed) co_return std::unexpected(reviewed.error());
    co_return RoundEnd::Done;
}

QCoro::Task<Result<Loop::RoundEnd>> Loop::optimiseRound(int round)
{
    Planning planning;
    planning.round = round;
    planning.base = trajectory().base;
    auto any = co_await prepareRound(planning);
    if (!any) co_return std::unexpected(any.error());
    if (!*any) co_return RoundEnd::Exhausted;
    auto written = co_await planAndWrite(planning);
    if (!written) co_return std::unexpected(written.error());
    co_return co_await finishRound(planning, *written);
}

} // namespace kernelskill
