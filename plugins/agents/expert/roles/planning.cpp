// SPDX-License-Identifier: Apache-2.0
// Generator, Planner and Optimizer.
#include "emission/emit_candidate.h"
#include "plan/student_plan.h"
#include "roles/decisions.h"
#include "skills/transform.h"

#include <algorithm>

namespace kernelskill::expert {

namespace {

constexpr double gainThreshold = 1.02; // what the engine promotes by

// "tile 32, threads 256"
QString parameterText(const QJsonObject &parameters)
{
    QStringList parts;
    for (auto it = parameters.constBegin(); it != parameters.constEnd(); ++it) {
        QString name = it.key();
        parts.append(name.replace(u'_', u' ') + u' ' + it.value().toVariant().toString());
    }
    return parts.join(QStringLiteral(", "));
}

QString nameOfSkill(const QString &name, const Skill *skill)
{
    if (skill && !skill->title.isEmpty()) return skill->title;
    QString words = name;
    return words.replace(u'-', u' ');
}

const Skill *skillNamed(const QList<Skill> &skills, const QString &name)
{
    const auto found = std::ranges::find_if(skills, [&](const Skill &skill) { return skill.name == name; });
    return found == skills.cend() ? nullptr : &*found;
}

// The node of the base: the attempt whose code it is; the seed when no attempt has it.
int baseNode(const PlanRequest &request)
{
    const auto attempt = request.attempts.withCode(normalisedCodeDigest(request.base.mainText()));
    return attempt && attempt->node >= 0 ? attempt->node : 0;
}

int fruitlessTries(const Attempts &attempts, const QString &skill)
{
    return static_cast<int>(std::ranges::count_if(attempts.all(), [&](const Attempt &attempt) {
        return attempt.skill == skill && attempt.speedupOverBase <= gainThreshold;
    }));
}

struct Option
{
    const RankedMethod *ranked;
    Step step;
    int fruitless;
};

Plan planFrom(const PlanRequest &request, const Option &option)
{
    Plan plan;
    plan.skill = option.ranked->skill;
    plan.method = option.ranked->method.isEmpty() ? option.ranked->skill : option.ranked->method;
    plan.parameters = option.step.parameters;
    plan.rationale = option.step.rationale;
    if (const Skill *skill = skillNamed(request.skills, plan.skill)) plan.promises = promisesOf(*skill);
    return plan;
}

} // namespace

Result<QList<CodeChange>> firstCandidates(const GenerateRequest &request)
{
    if (!request.task.baseline.isEmpty())
        return QList<CodeChange>{{request.task.baseline, QStringLiteral("The task's baseline")}};
    auto view = TaskView::make(request.task);
    if (!view) return std::unexpected(view.error());
    auto plan = studentPlan(*view);
    if (!plan) return std::unexpected(plan.error());
    auto candidate = emitCandidate(*view, *plan);
    if (!candidate) return std::unexpected(candidate.error());
    return QList<CodeChange>{{*candidate, QStringLiteral("One naive kernel an operator")}};
}

Result<Plan> choosePlan(const PlanRequest &request)
{
    auto view = TaskView::make(request.task);
    if (!view) return failure(QStringLiteral("plan.none"), view.error().message);
    auto base = planOf(*view, request.base);
    if (!base) return failure(QStringLiteral("plan.none"), base.error().message);

    const int node = baseNode(request);
    QList<Option> options;
    QStringList reasons;
    for (const RankedMethod &ranked : request.retrieval.allowed) {
        auto steps = stepsOf(ranked.skill, *view, *base);
        if (!steps) {
            reasons.append(QStringLiteral("%1: %2").arg(ranked.skill, steps.error().message));
            continue;
        }
        const int fruitless = fruitlessTries(request.attempts, ranked.skill);
        const qsizetype before = options.size();
        for (const Step &step : *steps) {
            const QString method = ranked.method.isEmpty() ? ranked.skill : ranked.method;
            if (request.attempts.withPlan(method, ranked.skill, step.parameters, node)) continue;
            auto candidate = emitCandidate(*view, step.plan);
            if (!candidate || request.attempts.withCode(normalisedCodeDigest(candidate->mainText()))) continue;
            options.append({&ranked, step, fruitless});
        }
        if (options.size() == before)
            reasons.append(QStringLiteral("%1: everything it offers was tried").arg(ranked.skill));
    }
    std::ranges::stable_sort(options, {}, &Option::fruitless);
    // The engine refused this round's earlier choices for reasons of its own: go on to the next.
    const qsizetype choice = request.refusals.size();
    if (choice >= options.size()) {
        return failure(QStringLiteral("plan.none"),
                       QStringLiteral("nothing that is allowed here applies and was not tried yet"),
                       reasons.join(u'\n'));
    }
    return planFrom(request, options.at(choice));
}

Result<CodeChange> applyPlan(const OptimizeRequest &request)
{
    const auto giveUp = [](const QString &why) { return failure(QStringLiteral("optimise.inapplicable"), why); };
    auto view = TaskView::make(request.task);
    if (!view) return giveUp(view.error().message);
    auto base = planOf(*view, request.base);
    if (!base) return giveUp(base.error().message);
    auto steps = stepsOf(request.plan.skill, *view, *base);
    if (!steps) return giveUp(steps.error().message);
    // Without parameters (a person chose the skill only) the preferred change is meant.
    const auto step = request.plan.parameters.isEmpty()
                          ? steps->cbegin()
                          : std::ranges::find_if(std::as_const(*steps), [&](const Step &each) {
                                return each.parameters == request.plan.parameters;
                            });
    if (step == steps->cend())
        return giveUp(QStringLiteral("%1 with %2 does not apply to this candidate")
                          .arg(request.plan.skill, parameterText(request.plan.parameters)));
    auto candidate = emitCandidate(*view, step->plan);
    if (!candidate) return giveUp(candidate.error().message);
    const Skill *skill = request.skill.name == request.plan.skill ? &request.skill : nullptr;
    return CodeChange{*candidate, QStringLiteral("%1 (%2)").arg(nameOfSkill(request.plan.skill, skill),
                                                                parameterText(step->parameters))};
}

} // namespace kernelskill::expert
