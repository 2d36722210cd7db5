// SPDX-License-Identifier: Apache-2.0
// Loop: in step mode a plan that may be carried out is put before the person first: ranked skills, a prediction, and the
// choice to let it be, take another skill, or write a plan of one's own.
#include "engine/loop.h"

#include "agent/idea_name.h"
#include "profile/metric_catalogue.h"

#include <algorithm>

namespace kernelskill {

namespace {

constexpr int mostCounters = 5;
constexpr int mostChoices = 4; // plans of the person's that may be refused before the planner's stands

QString titleOf(const QList<Skill> &skills, const QString &name)
{
    const auto skill = std::ranges::find(skills, name, &Skill::name);
    return skill == skills.end() || skill->title.isEmpty() ? name : skill->title;
}

} // namespace

bool Loop::asksAtPlans(const Planning &planning) const
{
    return m_parts.settings.stepMode && m_parts.ask && !planning.byPerson;
}

// First what the plan promises, then what the other skills on the list promise.
Question Loop::questionOf(const Planning &planning, const Plan &planned) const
{
    Question question;
    question.kind = Question::Kind::Plan;
    question.title = QStringLiteral("The plan of round %1").arg(planning.round);
    question.role = QStringLiteral("planner");
    question.round = planning.round;
    const QList<Skill> skills = currentSkills();
    question.text = planned.rationale;
    QList<MetricPromise> promises = planned.promises;
    const bool chosenAlready = m_parts.settings.agentFor(Role::Planner) == u"manual"; // by the same person
    for (const RankedMethod &method : planning.retrieval.allowed) {
        if (chosenAlready) break;
        if (method.skill == planned.skill) question.proposed = int(question.choices.size());
        question.choices.append(titleOf(skills, method.skill));
        question.details.append(method.reason);
        promises += promisesOf(method.skill);
    }
    if (question.proposed < 0) { // outside the list, or an idea of the planner's own
        question.proposed = 0;
        question.choices.prepend(titleOf(skills, planned.skill));
        question.details.prepend(chosenAlready          ? QStringLiteral("chosen by you")
                                 : planned.isFreeForm() ? QStringLiteral("an idea of the planner's own")
                                                        : QStringLiteral("not on the list of what the policy allows now"));
    }
    if (!chosenAlready) {
        question.choices.append(QStringLiteral("A plan of my own…"));
        question.details.append(QStringLiteral("you say what to do"));
    }
    for (const MetricPromise &promise : std::as_const(promises)) {
        const bool known = std::ranges::any_of(
            question.counters, [&](const AskedCounter &counter) { return counter.metric == promise.metric; });
        if (known || question.counters.size() >= mostCounters) continue;
        const MetricInfo *info = metricInfo(promise.metric);
        question.counters.append({promise.metric, info ? info->title : promise.metric,
                                  planning.evaluation.profile.metric(promise.metric), info ? info->unit : QString()});
    }
    return question;
}

// The plan that stands in the end: the person's where the engine takes it, else the one that was planned.
QCoro::Task<Result<Plan>> Loop::settleWithPerson(Planning &planning, Plan planned)
{
    Question question = questionOf(planning, planned);
    const bool addsPlanned = question.choices.size() > planning.retrieval.allowed.size() + 1;
    for (int i = 0; i < mostChoices; ++i) {
        auto answer = co_await m_parts.ask(question);
        if (isStopped()) co_return stopped();
        if (!answer) co_return std::unexpected(answer.error());
        planning.prediction = answer->prediction;
        if (!answer->given || answer->choice < 0 || answer->choice == question.proposed) co_return planned;
        Plan own;
        if (answer->choice < question.choices.size() - 1) {
            const RankedMethod &method = planning.retrieval.allowed[answer->choice - (addsPlanned ? 1 : 0)];
            own.method = method.method;
            own.skill = method.skill;
            own.rationale = QStringLiteral("Chosen by the person.");
            own.promises = promisesOf(method.skill);
        } else {
            own.method = QStringLiteral("free");
            own.overridesPolicy = true;
            own.skill = ideaName(answer->text);
            own.rationale = answer->text.trimmed();
        }
        planning.choseByPerson = true;
        const auto refusal = refusalOf(planning, own);
        if (!refusal) co_return own;
        planning.choseByPerson = false;
        if (auto refused = recordRefusal(planning, own, *refusal); !refused) co_return std::unexpected(refused.error());
        question.text = refusal->reason + QStringLiteral(".\n") + planned.rationale;
    }
    planning.prediction = {};
    co_return planned;
}

} // namespace kernelskill
