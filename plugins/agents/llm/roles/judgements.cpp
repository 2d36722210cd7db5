// SPDX-License-Identifier: Apache-2.0
// FeatureExtractor, Planner, Diagnoser, Distiller: the roles that answer with an object.
#include "roles/llm_agent.h"

#include "agent/idea_name.h"
#include "diff/difference_text.h"
#include "features/feature_extractor.h"
#include "memory/longterm/skill_reader.h"
#include "profile/metric_catalogue.h"
#include "replies/extract.h"
#include "roles/material.h"
#include "roles/schemas.h"

#include <QRegularExpression>

#include <algorithm>

namespace kernelskill::llm {

namespace {

// What is wrong with an object that fits its schema; empty: nothing.
using Judge = std::function<QString(const QJsonObject &)>;

// The object of a reply that fits the schema and the judge: asked for twice at most. Empty: there is none, `why` says
// why.
QCoro::Task<Result<std::optional<QJsonObject>>> askForObject(Exchange &exchange, Material material, Judge judge,
                                                             QString &why)
{
    const QJsonObject schema = material.schema;
    QStringList required;
    const QJsonObject properties = schema.value("properties").toObject();
    for (const QJsonValue &key : schema.value("required").toArray()) {
        // What may be null may as well be missing.
        if (!properties.value(key.toString())["type"].toArray().contains(QStringLiteral("null")))
            required.append(key.toString());
    }
    auto reply = co_await exchange.open(std::move(material));
    for (bool corrected = false;; corrected = true) {
        if (!reply) {
            if (corrected && reply.error().code == u"agent.context") co_return std::optional<QJsonObject>();
            co_return std::unexpected(reply.error());
        }
        ExtractedObject extracted = extractObject(*reply, required);
        exchange.note(extracted.notes);
        why = extracted.object ? QString() : extracted.problem;
        if (extracted.object) {
            QStringList notes;
            why = fitToSchema(*extracted.object, schema, notes);
            exchange.note(notes);
            if (why.isEmpty()) why = judge(*extracted.object);
        }
        while (why.endsWith(u'.'))
            why.chop(1);
        if (why.isEmpty()) co_return extracted.object;
        exchange.note(why);
        if (corrected) co_return std::optional<QJsonObject>();
        reply = co_await exchange.correct(
            QStringLiteral("That cannot be used: %1. Answer again with the JSON object alone.").arg(why));
    }
}

// What a model says beside what can be read off the code. What clang's tree shows is no matter of opinion; where only
// the tolerant parser could read it, the model's word is taken.
Features reconciled(const QJsonObject &said, const expert::ExtractedFeatures &known, QStringList &notes)
{
    Features features = known.features;
    for (const auto &[name, value] : known.features.asKeyValueRange()) {
        const QJsonValue own = said.value(name);
        if (own.isNull() || own.isUndefined() || own.toVariant() == value) continue;
        const QString origin = known.origins.value(name);
        const bool decided = origin != u"tokens";
        notes.append(QStringLiteral("%1: the model says %2, the code shows %3 (%4); %5 stands")
                         .arg(name, own.toVariant().toString(), value.toString(), origin,
                              decided ? QStringLiteral("the code") : QStringLiteral("the model")));
        if (!decided) features.insert(name, own.toVariant());
    }
    return features;
}

QJsonObject parametersOf(const QJsonArray &list)
{
    QJsonObject parameters;
    for (const QJsonValue &entry : list) {
        const QString name = entry["name"].toString(), text = entry["value"].toString();
        bool isNumber = false;
        const double number = text.toDouble(&isNumber);
        if (!name.isEmpty()) parameters.insert(name, isNumber ? QJsonValue(number) : QJsonValue(text));
    }
    return parameters;
}

// Promises the profiler can hold it to; the others are told.
QList<MetricPromise> promisesIn(const QJsonArray &list, QStringList &notes)
{
    static const QRegularExpression form(QStringLiteral("^(lower|higher|at (most|least) -?\\d+(\\.\\d+)?)$"));
    QList<MetricPromise> promises;
    for (const QJsonValue &entry : list) {
        const QString metric = entry["metric"].toString(), change = entry["change"].toString().trimmed();
        if (metricInfo(metric) && form.match(change).hasMatch())
            promises.append({metric, change});
        else
            notes.append(QStringLiteral("the promise \"%1 %2\" was dropped: no metric or no change we know")
                             .arg(metric, change));
    }
    return promises;
}

// Best first, what was not tried on this base before what was.
Plan planByRanking(const PlanRequest &request, const QString &why)
{
    const RankedMethod *chosen = nullptr;
    for (const RankedMethod &method : request.retrieval.allowed) {
        const bool tried = std::ranges::any_of(request.attempts.all(), [&](const Attempt &attempt) {
            return attempt.baseNode == request.baseNode && attempt.skill == method.skill;
        });
        if (!tried) {
            chosen = &method;
            break;
        }
    }
    if (!chosen) return {};
    Plan plan;
    plan.method = chosen->method;
    plan.skill = chosen->skill;
    plan.rationale = QStringLiteral("Taken by the ranking, since the model's reply could not be used: %1").arg(why);
    const auto skill = std::ranges::find(request.skills, chosen->skill, &Skill::name);
    if (skill != request.skills.end()) plan.promises = promisesOf(*skill);
    return plan;
}

// The idea an object holds; an empty frame, as some models send one along, is none.
QJsonObject ideaIn(const QJsonObject &object)
{
    const QJsonObject idea = object.value("idea").toObject();
    const bool isBlank =
        idea.value("name").toString().trimmed().isEmpty() && idea.value("what").toString().trimmed().isEmpty();
    return isBlank ? QJsonObject() : idea;
}

bool isAllowed(const PlanRequest &request, const QString &skill)
{
    return std::ranges::any_of(request.retrieval.allowed,
                               [&](const RankedMethod &method) { return method.skill == skill; });
}

Plan planFrom(const QJsonObject &object, const PlanRequest &request, bool ideas, QStringList &notes)
{
    Plan plan;
    plan.rationale = object.value("rationale").toString().trimmed();
    plan.parameters = parametersOf(object.value("parameters").toArray());
    plan.promises = promisesIn(object.value("promises").toArray(), notes);
    if (const QJsonObject idea = ideaIn(object); ideas && !idea.isEmpty()) {
        plan.method = QStringLiteral("free");
        plan.skill = ideaName(idea.value("name").toString());
        plan.rationale = idea.value("what").toString().trimmed() + u'\n' + plan.rationale;
        return plan;
    }
    plan.skill = object.value("skill").toString();
    if (const RankedMethod *method = request.retrieval.find(QString(), plan.skill)) plan.method = method->method;
    const auto skill = std::ranges::find(request.skills, plan.skill, &Skill::name);
    if (plan.promises.isEmpty() && skill != request.skills.end()) plan.promises = promisesOf(*skill);
    return plan;
}

// An idea of its own is open to a planner where nothing is proved, or all that is allowed was tried on this base.
bool mayHaveIdeas(const PlanRequest &request)
{
    return request.retrieval.fallback || planByRanking(request, {}).skill.isEmpty();
}

QString judgePlan(const QJsonObject &object, const PlanRequest &request, bool ideas)
{
    const QJsonObject idea = ideaIn(object);
    const QString skill = object.value("skill").toString();
    if (ideas && !idea.isEmpty()) {
        const bool isWhole =
            !idea.value("name").toString().trimmed().isEmpty() && !idea.value("what").toString().trimmed().isEmpty();
        return isWhole ? QString() : QStringLiteral("/idea: name and what must both be said");
    }
    QStringList names;
    for (const RankedMethod &method : request.retrieval.allowed)
        names.append(method.skill);
    const QString choice = names.isEmpty() ? QStringLiteral("put an idea of your own")
                                           : QStringLiteral("choose one of %1").arg(names.join(QStringLiteral(", ")));
    if (!idea.isEmpty() && !isAllowed(request, skill))
        return QStringLiteral("an idea of your own is not open now; %1").arg(choice);
    if (!isAllowed(request, skill)) return QStringLiteral("\"%1\" is not allowed now; %2").arg(skill, choice);
    if (object.value("rationale").toString().trimmed().isEmpty()) return QStringLiteral("/rationale is empty");
    return {};
}

// Without a model: the first thing that went wrong, and that it be put right. Each time in other words, since the same
// fix for the same error is refused.
Diagnosis mechanicalDiagnosis(const DiagnoseRequest &request)
{
    Diagnosis diagnosis;
    diagnosis.errorClass = toString(request.evaluation.status);
    if (!request.evaluation.findings.isEmpty()) {
        const Finding &finding = request.evaluation.findings.first();
        diagnosis.errorClass = finding.kind;
        diagnosis.cause = finding.message;
    } else {
        const auto failed = std::ranges::find(request.evaluation.checks, QStringLiteral("failed"), &Check::outcome);
        if (failed != request.evaluation.checks.end())
            diagnosis.cause = QStringLiteral("%1: %2").arg(failed->name, failed->detail);
    }
    diagnosis.fix =
        request.chain.isEmpty()
            ? QStringLiteral("put right what the first finding says")
            : QStringLiteral("put right what the first finding says, attempt %1").arg(request.chain.size() + 1);
    return diagnosis;
}

QString listText(const QJsonArray &items, bool numbered)
{
    QStringList lines;
    for (qsizetype i = 0; i < items.size(); ++i)
        lines.append((numbered ? QStringLiteral("%1. ").arg(i + 1) : QStringLiteral("- ")) +
                     items[i].toString().simplified());
    return lines.join(u'\n');
}

// Of the engine's draft what is evidence: not which sessions it comes from, which says nothing about the skill.
QString evidenceOf(const Skill &draft)
{
    QStringList promises;
    for (const PromisedChange &promise : draft.promises)
        promises.append(QStringLiteral("%1 %2").arg(promise.metric, promise.change));
    return QStringLiteral("%1\nStructures: %2\nMoved each time it won: %3\n\n%4")
        .arg(draft.description, draft.structures.join(QStringLiteral(", ")), promises.join(QStringLiteral("; ")),
             draft.body.section(QStringLiteral("## Where it comes from"), 0, 0).trimmed());
}

// The engine's draft with the model's words in it: the gate, what it won on and where it comes from stay the record's.
QString worded(const Skill &draft, const QJsonObject &said)
{
    Skill skill = draft;
    skill.text.clear();
    if (const QString title = said.value("title").toString().simplified(); !title.isEmpty())
        skill.title = title.left(80);
    if (const QString description = said.value("description").toString().simplified(); !description.isEmpty())
        skill.description = description.left(1000);
    skill.prohibits.clear();
    for (const QJsonValue &rule : said.value("prohibits").toArray())
        skill.prohibits.append(rule.toString().simplified());
    const qsizetype record = draft.body.indexOf(QStringLiteral("## Required evidence"));
    skill.body =
        QStringLiteral("## Intent\n\n%1\n\n## Steps\n\n%2\n\n## Pitfalls\n\n%3\n\n%4")
            .arg(said.value("intent").toString().trimmed(), listText(said.value("steps").toArray(), true),
                 listText(said.value("pitfalls").toArray(), false), record < 0 ? draft.body : draft.body.mid(record));
    return writeSkillText(skill);
}

} // namespace

QCoro::Task<Result<Features>> LlmAgent::extract(FeatureRequest request, RoleContext context)
{
    if (!m_connection.client) co_return std::unexpected(m_unprepared);
    auto known = expert::extractWithOrigins(request.candidate);
    Exchange exchange(*m_connection.client, prompt("common"), prompt(toString(Role::FeatureExtractor)),
                      Role::FeatureExtractor, std::move(context));
    Material material;
    material.task = taskText(request.task);
    material.plain = {{QStringLiteral("features"), featureMeanings()}};
    material.parts = {{QStringLiteral("code"), codeText(request.candidate), 9, 400, Part::Keep::Ends}};
    material.schema = featureSchema();
    QString why;
    auto said =
        co_await askForObject(exchange, std::move(material), [](const QJsonObject &) { return QString(); }, why);
    if (!said && !known) co_return std::unexpected(said.error());
    if (!said && !said.error().code.startsWith(u"agent.")) co_return std::unexpected(said.error());
    if (!known) co_return *said ? (*said)->toVariantMap() : Features{};
    if (!said || !*said) {
        exchange.note(
            QStringLiteral("what can be read off the code stands: %1").arg(said ? why : said.error().message));
        co_return known->features;
    }
    QStringList notes;
    Features features = reconciled(**said, *known, notes);
    exchange.note(notes.isEmpty() ? QStringList{QStringLiteral("agrees with what can be read off the code")} : notes);
    co_return features;
}

QCoro::Task<Result<Plan>> LlmAgent::plan(PlanRequest request, RoleContext context)
{
    if (!m_connection.client) co_return std::unexpected(m_unprepared);
    const bool ideas = mayHaveIdeas(request);
    if (request.retrieval.allowed.isEmpty() && !ideas)
        co_return failure(QStringLiteral("plan.none"), QStringLiteral("nothing is allowed on this base"));
    Exchange exchange(*m_connection.client, prompt("common"), prompt(toString(Role::Planner)), Role::Planner,
                      std::move(context));
    Material material;
    material.task = taskText(request.task);
    if (ideas)
        material.plain.insert(QStringLiteral("ideas"),
                              QStringLiteral("Ideas are open: no bottleneck is proved for this code, or all that is "
                                             "allowed was tried on it. You may put an "
                                             "idea of your own in place of a skill; \"skill\" is then null."));
    material.parts = {
        {QStringLiteral("code"), codeText(request.base), 7, 400, Part::Keep::Ends},
        {QStringLiteral("evidence"), evidenceText(request.evaluation), 6, 400, Part::Keep::Head},
        {QStringLiteral("features"), featuresText(request.features), 4, 0, Part::Keep::Head},
        {QStringLiteral("offer"), offerText(request.retrieval, request.skills), 8, 1200, Part::Keep::Head},
        {QStringLiteral("history"), historyText(request.attempts, request.baseNode), 3, 100, Part::Keep::Tail},
        {QStringLiteral("refusals"),
         request.refusals.isEmpty()
             ? QString()
             : QStringLiteral("Refused in this round:\n- ") + request.refusals.join(QStringLiteral("\n- ")),
         5, 100, Part::Keep::Tail}};
    material.schema = planSchema(request.retrieval);
    QString why;
    auto said = co_await askForObject(
        exchange, std::move(material),
        [&request, ideas](const QJsonObject &object) { return judgePlan(object, request, ideas); }, why);
    if (!said && !said.error().code.startsWith(u"agent.")) co_return std::unexpected(said.error());
    if (said && *said) {
        QStringList notes;
        Plan plan = planFrom(**said, request, ideas, notes);
        exchange.note(notes);
        co_return plan;
    }
    if (!said) why = said.error().message;
    Plan plan = planByRanking(request, why);
    if (plan.skill.isEmpty())
        co_return failure(QStringLiteral("plan.reply"),
                          QStringLiteral("the model's reply could not be used: %1").arg(why));
    exchange.note(QStringLiteral("the ranking chose %1 in its place").arg(plan.skill));
    co_return plan;
}

QCoro::Task<Result<Diagnosis>> LlmAgent::diagnose(DiagnoseRequest request, RoleContext context)
{
    if (!m_connection.client) co_return std::unexpected(m_unprepared);
    Exchange exchange(*m_connection.client, prompt("common"), prompt(toString(Role::Diagnoser)), Role::Diagnoser,
                      std::move(context));
    Material material;
    material.task = taskText(request.task);
    material.plain = {{QStringLiteral("classes"), errorClasses().join(QStringLiteral(", "))}};
    material.parts = {
        {QStringLiteral("failure"), failureText(request.evaluation), 8, 600, Part::Keep::Ends},
        {QStringLiteral("code"), codeText(request.candidate), 7, 600, Part::Keep::Ends},
        {QStringLiteral("difference"), differenceText(request.base, request.candidate), 4, 0, Part::Keep::Head},
        {QStringLiteral("chain"), chainText(request.chain), 5, 100, Part::Keep::Tail}};
    material.schema = diagnosisSchema();
    const auto judge = [&request](const QJsonObject &object) {
        const Diagnosis said = Diagnosis::fromJson(object);
        if (said.fix.trimmed().isEmpty()) return QStringLiteral("/fix is empty");
        const bool tried = std::ranges::any_of(request.chain, [&](const RepairAttempt &attempt) {
            return attempt.errorClass == said.errorClass && attempt.fix == said.fix.trimmed();
        });
        return tried ? QStringLiteral("that fix was tried and did not help; find another cause") : QString();
    };
    QString why;
    auto said = co_await askForObject(exchange, std::move(material), judge, why);
    if (!said && !said.error().code.startsWith(u"agent.")) co_return std::unexpected(said.error());
    if (!said || !*said) {
        exchange.note(QStringLiteral("the findings stand in its place"));
        co_return mechanicalDiagnosis(request);
    }
    Diagnosis diagnosis = Diagnosis::fromJson(**said);
    diagnosis.fix = diagnosis.fix.trimmed().left(400);
    diagnosis.cause = diagnosis.cause.trimmed().left(1000);
    co_return diagnosis;
}

QCoro::Task<Result<QString>> LlmAgent::distil(DistillRequest request, RoleContext context)
{
    if (!m_connection.client) co_return std::unexpected(m_unprepared);
    auto draft = parseSkillText(request.draft, request.plan.skill + QStringLiteral("/SKILL.md"));
    if (!draft) co_return std::unexpected(draft.error());
    Exchange exchange(*m_connection.client, prompt("common"), prompt(toString(Role::Distiller)), Role::Distiller,
                      std::move(context));
    Material material;
    material.task = taskText(request.task);
    material.parts = {
        {QStringLiteral("idea"), planText(request.plan), 8, 1'000'000, Part::Keep::Head},
        {QStringLiteral("draft"), evidenceOf(*draft), 5, 300, Part::Keep::Head},
        {QStringLiteral("difference"), differenceText(request.before, request.after), 6, 300, Part::Keep::Ends},
        {QStringLiteral("evidence"),
         QStringLiteral("Before:\n%1\n\nAfter:\n%2")
             .arg(profileText(request.profileBefore), profileText(request.profileAfter)),
         4, 0, Part::Keep::Head}};
    material.schema = skillSchema();
    QString why;
    auto said =
        co_await askForObject(exchange, std::move(material), [](const QJsonObject &) { return QString(); }, why);
    if (!said) co_return std::unexpected(said.error());
    if (!*said)
        co_return failure(QStringLiteral("agent.reply"),
                          QStringLiteral("the model's reply could not be used: %1").arg(why));
    co_return worded(*draft, **said);
}

} // namespace kernelskill::llm
