// SPDX-License-Identifier: Apache-2.0
#include "manual_agent.h"

#include "agent/idea_name.h"

#include <algorithm>

namespace kernelskill::manual {

namespace {

// Nobody there, or declined, is an answer that is not given.
QCoro::Task<Result<Answer>> ask(const RoleContext &context, Role role, Question question)
{
    if (!context.ask)
        co_return failure("cast.nobody", QStringLiteral("the agent 'manual' needs a person to ask: use the window or a terminal"));
    question.role = toString(role);
    question.round = context.round;
    co_return co_await context.ask(std::move(question));
}

// The promises of a skill stand for those of the person who chose it.
Plan planFor(const RankedMethod &method, const QList<Skill> &skills, const QString &why)
{
    Plan plan;
    plan.method = method.method;
    plan.skill = method.skill;
    plan.rationale = why;
    const auto skill = std::ranges::find(skills, method.skill, &Skill::name);
    if (skill != skills.end()) plan.promises = promisesOf(*skill);
    return plan;
}

QString titleOf(const RankedMethod &method, const QList<Skill> &skills)
{
    const auto skill = std::ranges::find(skills, method.skill, &Skill::name);
    return skill == skills.end() || skill->title.isEmpty() ? method.skill : skill->title;
}

QString failureText(const DiagnoseRequest &request)
{
    QStringList lines;
    for (const Finding &finding : request.evaluation.findings)
        lines.append(finding.line > 0 ? QStringLiteral("%1:%2: %3").arg(finding.file).arg(finding.line).arg(finding.message)
                                      : finding.message);
    for (const Check &check : request.evaluation.checks) {
        if (check.outcome != u"passed") lines.append(QStringLiteral("%1: %2").arg(check.name, check.detail));
    }
    for (const RepairAttempt &attempt : request.chain)
        lines.append(QStringLiteral("tried: %1 – %2").arg(attempt.fix, attempt.result));
    return lines.mid(0, 12).join(u'\n');
}

QCoro::Task<Result<CodeChange>> askForCode(RoleContext context, Role role, Candidate from, QString title, QString text,
                                           QString summary, QString whenDeclined)
{
    auto answer = co_await ask(context, role, {Question::Kind::Code, title, text, {}, {}, from.mainText(), {}, 0});
    if (!answer) co_return std::unexpected(answer.error());
    if (!answer->given) co_return failure(whenDeclined, QStringLiteral("given up by the person"));
    co_return CodeChange{from.withMainText(answer->text), summary};
}

} // namespace

Result<Features> featuresFromText(const QString &text)
{
    Features features;
    const QStringList lines = text.split(u'\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString line = lines[i].trimmed();
        if (line.isEmpty() || line.startsWith(u'#')) continue;
        const qsizetype colon = line.indexOf(u':');
        const QString name = line.left(colon).trimmed(), value = line.mid(colon + 1).trimmed();
        if (colon <= 0 || name.isEmpty() || value.isEmpty())
            return failure("agent.features",
                           QStringLiteral("line %1: expected “name: value”, found “%2”").arg(i + 1).arg(line));
        bool isNumber = false;
        const double number = value.toDouble(&isNumber);
        if (value == u"true" || value == u"yes")
            features.insert(name, true);
        else if (value == u"false" || value == u"no")
            features.insert(name, false);
        else
            features.insert(name, isNumber ? QVariant(number) : QVariant(value));
    }
    return features;
}

QCoro::Task<Result<QList<CodeChange>>> ManualAgent::generate(GenerateRequest request, RoleContext context)
{
    QList<CodeChange> changes;
    for (int i = 0; i < request.count; ++i) {
        auto change = co_await askForCode(context, Role::Generator, request.task.baseline,
                                          QStringLiteral("Write a first candidate for %1").arg(request.task.title),
                                          request.task.description, QStringLiteral("First candidate"),
                                          QStringLiteral("agent.declined"));
        if (!change && !changes.isEmpty()) break; // one is enough to begin with
        if (!change) co_return std::unexpected(change.error());
        changes.append(*change);
    }
    co_return changes;
}

QCoro::Task<Result<Features>> ManualAgent::extract(FeatureRequest request, RoleContext context)
{
    QString initial = QStringLiteral("# One feature a line, for example\n# kernel_structure_id: S1\n# uses_shared_memory: no\n");
    auto answer = co_await ask(context, Role::FeatureExtractor,
                               {Question::Kind::Text, QStringLiteral("Which features has this code?"),
                                QStringLiteral("What you leave out is unknown to the policy.\n\n") + request.candidate.mainText(),
                                {}, {}, initial, {}, 0});
    if (!answer) co_return std::unexpected(answer.error());
    co_return answer->given ? featuresFromText(answer->text) : Features{};
}

QCoro::Task<Result<Plan>> ManualAgent::plan(PlanRequest request, RoleContext context)
{
    Question question{Question::Kind::Choose, QStringLiteral("What should be tried on this base?"),
                      request.retrieval.explanation, {}, {}, {}, {}, 0};
    if (!request.refusals.isEmpty()) question.text.prepend(request.refusals.last() + QStringLiteral(".\n"));
    const QList<RankedMethod> &allowed = request.retrieval.allowed;
    for (const RankedMethod &method : allowed) {
        question.choices.append(titleOf(method, request.skills));
        question.details.append(method.reason);
    }
    question.choices += {QStringLiteral("An idea of my own…"), QStringLiteral("End the run here")};
    question.details += {QStringLiteral("you say what to do"), QString()};
    auto answer = co_await ask(context, Role::Planner, question);
    if (!answer) co_return std::unexpected(answer.error());
    if (!answer->given && !allowed.isEmpty())
        co_return planFor(allowed.first(), request.skills, QStringLiteral("Left to the ranking by the person."));
    if (answer->given && answer->choice >= 0 && answer->choice < allowed.size())
        co_return planFor(allowed[answer->choice], request.skills, QStringLiteral("Chosen by the person."));
    if (!answer->given || answer->choice != allowed.size())
        co_return failure("plan.none", QStringLiteral("the person ended the run"));
    auto idea = co_await ask(context, Role::Planner,
                             {Question::Kind::Text, QStringLiteral("What should be done?"),
                              QStringLiteral("Its first words become the idea's name."), {}, {}, {}, {}, 0});
    if (!idea) co_return std::unexpected(idea.error());
    if (!idea->given || idea->text.trimmed().isEmpty())
        co_return failure("plan.withdrawn", QStringLiteral("the idea was withdrawn"));
    Plan plan;
    plan.method = QStringLiteral("free");
    plan.skill = ideaName(idea->text);
    plan.rationale = idea->text.trimmed();
    plan.overridesPolicy = true;
    co_return plan;
}

QCoro::Task<Result<CodeChange>> ManualAgent::optimise(OptimizeRequest request, RoleContext context)
{
    const QString title = request.skill.title.isEmpty() ? request.plan.skill : request.skill.title;
    co_return co_await askForCode(context, Role::Optimizer, request.base, QStringLiteral("Change the code: %1").arg(title),
                                  request.skill.body.isEmpty() ? request.plan.rationale : request.skill.body, title,
                                  QStringLiteral("optimise.inapplicable"));
}

QCoro::Task<Result<Diagnosis>> ManualAgent::diagnose(DiagnoseRequest request, RoleContext context)
{
    auto answer = co_await ask(context, Role::Diagnoser,
                               {Question::Kind::Text, QStringLiteral("Why does this candidate fail?"), failureText(request),
                                {}, {}, QStringLiteral("cause: \nfix: "), {}, 0});
    if (!answer) co_return std::unexpected(answer.error());
    if (!answer->given) co_return failure("diagnose.declined", QStringLiteral("given up by the person"));
    Diagnosis diagnosis;
    diagnosis.errorClass = request.evaluation.findings.isEmpty() ? toString(request.evaluation.status)
                                                                 : request.evaluation.findings.first().kind;
    for (const QString &line : answer->text.split(u'\n')) {
        const QString value = line.section(u':', 1).trimmed();
        if (line.startsWith(u"cause:")) diagnosis.cause = value;
        if (line.startsWith(u"fix:")) diagnosis.fix = value;
    }
    if (diagnosis.fix.isEmpty()) diagnosis.fix = answer->text.trimmed();
    co_return diagnosis;
}

QCoro::Task<Result<CodeChange>> ManualAgent::repair(RepairRequest request, RoleContext context)
{
    co_return co_await askForCode(context, Role::Repairer, request.failure.candidate,
                                  QStringLiteral("Mend the code: %1").arg(request.diagnosis.fix), failureText(request.failure),
                                  QStringLiteral("Repair: %1").arg(request.diagnosis.fix), QStringLiteral("repair.give_up"));
}

} // namespace kernelskill::manual
