// SPDX-License-Identifier: Apache-2.0
#include "replies.h"

#include "engine/loop.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>

#include <algorithm>
#include <array>
#include <cmath>

namespace kernelskill::process {

namespace {

constexpr qsizetype shownText = 80;
constexpr qsizetype longestSummary = 200;
constexpr double mostCalls = 1e6, mostTokens = 1e12, mostMoney_usd = 1e6;

// A value in few words, for a message.
QString shown(const QJsonValue &value)
{
    if (value.isUndefined()) return QStringLiteral("nothing");
    QByteArray text = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    text = text.sliced(1, text.size() - 2);
    const QString words = QString::fromUtf8(text);
    return words.size() > shownText ? words.left(shownText) + u'…' : words;
}

std::unexpected<Error> refuse(Role role, const QString &expected, const QJsonValue &found)
{
    return failure(replyCode(role), QStringLiteral("the program's answer as %1: expected %2, found %3").arg(toString(role), expected, shown(found)));
}

Result<QString> textOf(const QJsonObject &object, const char *name, Role role)
{
    const QJsonValue value = object.value(QLatin1String(name));
    if (value.isString() && !value.toString().trimmed().isEmpty()) return value.toString();
    return refuse(role, QStringLiteral("a text that is not empty as “%1”").arg(QLatin1String(name)), value);
}

// A missing one is empty.
Result<QString> optionalText(const QJsonObject &object, const char *name, Role role)
{
    const QJsonValue value = object.value(QLatin1String(name));
    if (value.isUndefined() || value.isNull() || value.isString()) return value.toString();
    return refuse(role, QStringLiteral("a text as “%1”").arg(QLatin1String(name)), value);
}

bool isOwnPath(const QString &path)
{
    return !path.isEmpty() && QDir::isRelativePath(path) && QDir::cleanPath(path) == path && path != u"." && path != u".."
           && !path.startsWith(u"../") && !path.contains(u'\\') && !path.contains(QChar());
}

Result<Candidate> withFiles(Candidate candidate, const QJsonValue &files, Role role)
{
    const QJsonArray array = files.toArray();
    if (array.isEmpty()) return refuse(role, QStringLiteral("a list of files, {\"path\", \"content\"}, as “files”"), files);
    QSet<QString> seen;
    for (const QJsonValue &value : array) {
        const QString path = value[u"path"].toString();
        const QJsonValue content = value[u"content"];
        if (!isOwnPath(path) || seen.contains(path))
            return refuse(role, QStringLiteral("a file's path below the candidate's folder, each once"), value[u"path"]);
        if (!content.isString()) return refuse(role, QStringLiteral("the text of %1 as “content”").arg(path), content);
        seen.insert(path);
        const auto same = std::ranges::find(candidate.files, path, &CandidateFile::path);
        if (same == candidate.files.end())
            candidate.files.append({path, content.toString()});
        else
            same->content = content.toString();
    }
    return candidate;
}

Result<QList<MetricPromise>> promisesFrom(const QJsonValue &value)
{
    QList<MetricPromise> promises;
    if (!value.isArray()) return refuse(Role::Planner, QStringLiteral("a list of {\"metric\", \"change\"} as “promises”"), value);
    for (const QJsonValue &one : value.toArray()) {
        const MetricPromise promise{one[u"metric"].toString(), one[u"change"].toString()};
        if (promise.metric.isEmpty() || promise.change.isEmpty())
            return refuse(Role::Planner, QStringLiteral("a promise {\"metric\", \"change\"}"), one);
        promises.append(promise);
    }
    return promises;
}

// The plan without parameters, rationale and promises of its own.
Result<Plan> chosen(const QJsonObject &result, const PlanRequest &request)
{
    auto method = optionalText(result, "method", Role::Planner), skill = optionalText(result, "skill", Role::Planner);
    if (!method) return std::unexpected(method.error());
    if (!skill) return std::unexpected(skill.error());
    Plan plan;
    plan.method = *method;
    plan.skill = *skill;
    if (plan.isFreeForm()) {
        if (skill->trimmed().isEmpty()) return refuse(Role::Planner, QStringLiteral("a name for an idea of your own as “skill”"), result.value("skill"));
        return plan;
    }
    const RankedMethod *found = request.retrieval.find(*method, *skill);
    if (!found) {
        QStringList names;
        for (const RankedMethod &allowed : request.retrieval.allowed)
            names.append(allowed.skill);
        const QJsonValue named = skill->isEmpty() ? result.value("method") : result.value("skill");
        return refuse(Role::Planner, names.isEmpty() ? QStringLiteral("an idea of your own (method “free”), as no skill is allowed")
                                                     : QStringLiteral("one of the skills allowed (%1)").arg(names.join(QStringLiteral(", "))), named);
    }
    plan.method = found->method.isEmpty() ? found->skill : found->method;
    plan.skill = found->skill;
    const auto known = std::ranges::find(request.skills, plan.skill, &Skill::name);
    if (known != request.skills.end()) plan.promises = promisesOf(*known);
    return plan;
}

Result<double> amount(const QJsonObject &usage, const char *name, double most, Role role)
{
    const QJsonValue value = usage.value(QLatin1String(name));
    if (value.isUndefined() || value.isNull()) return 0;
    const double number = value.toDouble(-1);
    if (number >= 0 && number <= most) return number;
    return refuse(role, QStringLiteral("a number from 0 to %1 as “%2” of its usage").arg(most).arg(QLatin1String(name)), value);
}

} // namespace

QString replyCode(Role role)
{
    switch (role) {
    case Role::FeatureExtractor: return QStringLiteral("features.reply");
    case Role::Planner: return QStringLiteral("plan.reply");
    case Role::Optimizer: return QStringLiteral("optimise.reply");
    case Role::Diagnoser: return QStringLiteral("diagnose.reply");
    case Role::Repairer: return QStringLiteral("repair.reply");
    case Role::Generator:
    case Role::Distiller: break;
    }
    return QStringLiteral("agent.reply");
}

Result<QList<CodeChange>> candidatesFrom(const QJsonObject &result, const GenerateRequest &request)
{
    const QJsonArray array = result.value("candidates").toArray();
    if (array.isEmpty()) return refuse(Role::Generator, QStringLiteral("a list that is not empty as “candidates”"), result.value("candidates"));
    QList<CodeChange> changes;
    for (const QJsonValue &one : array) {
        if (changes.size() >= request.count) break;
        if (!one.isObject()) return refuse(Role::Generator, QStringLiteral("a candidate {\"code\"} or {\"files\"}"), one);
        auto change = changeFrom(one.toObject(), request.task.baseline, Role::Generator, QStringLiteral("First candidate"));
        if (!change) return std::unexpected(change.error());
        changes.append(*change);
    }
    return changes;
}

Result<Features> featuresFrom(const QJsonObject &result)
{
    const QJsonValue value = result.value("features");
    if (!value.isObject()) return refuse(Role::FeatureExtractor, QStringLiteral("an object of names and values as “features”"), value);
    Features features;
    const QJsonObject object = value.toObject();
    for (auto entry = object.begin(); entry != object.end(); ++entry) {
        if (entry->isNull()) continue;
        if (!entry->isBool() && !entry->isDouble() && !entry->isString())
            return refuse(Role::FeatureExtractor, QStringLiteral("a boolean, a number or a text as “%1”").arg(entry.key()), *entry);
        features.insert(entry.key(), entry->isDouble() ? QVariant(entry->toDouble()) : entry->toVariant());
    }
    return features;
}

Result<Plan> planFrom(const QJsonObject &result, const PlanRequest &request)
{
    auto plan = chosen(result, request);
    if (!plan) return plan;
    auto rationale = plan->isFreeForm() ? textOf(result, "rationale", Role::Planner) : optionalText(result, "rationale", Role::Planner);
    if (!rationale) return std::unexpected(rationale.error());
    plan->rationale = *rationale;
    const QJsonValue parameters = result.value("parameters");
    if (!parameters.isUndefined() && !parameters.isNull() && !parameters.isObject())
        return refuse(Role::Planner, QStringLiteral("an object as “parameters”"), parameters);
    plan->parameters = parameters.toObject();
    if (const QJsonValue promises = result.value("promises"); !promises.isUndefined() && !promises.isNull()) {
        auto own = promisesFrom(promises);
        if (!own) return std::unexpected(own.error());
        plan->promises = *own;
    }
    return plan;
}

Result<CodeChange> changeFrom(const QJsonObject &result, const Candidate &base, Role role, const QString &summary)
{
    auto own = optionalText(result, "summary", role);
    if (!own) return std::unexpected(own.error());
    CodeChange change{base, own->trimmed().isEmpty() ? summary : own->simplified().left(longestSummary)};
    change.candidate.agentData = {}; // it described the other code
    if (result.contains("files")) {
        auto changed = withFiles(change.candidate, result.value("files"), role);
        if (!changed) return std::unexpected(changed.error());
        change.candidate = *changed;
    } else {
        auto code = textOf(result, "code", role);
        if (!code) return std::unexpected(code.error());
        change.candidate = change.candidate.withMainText(*code);
    }
    if (change.candidate.mainText().trimmed().isEmpty())
        return refuse(role, QStringLiteral("a main file that is not empty"), change.candidate.mainText());
    change.candidate.agentData = result.value("agent_data").toObject();
    return change;
}

Result<Diagnosis> diagnosisFrom(const QJsonObject &result)
{
    auto errorClass = textOf(result, "error_class", Role::Diagnoser), fix = textOf(result, "fix", Role::Diagnoser);
    auto cause = optionalText(result, "cause", Role::Diagnoser);
    if (!errorClass) return std::unexpected(errorClass.error());
    if (!fix) return std::unexpected(fix.error());
    if (!cause) return std::unexpected(cause.error());
    return Diagnosis{*errorClass, *cause, *fix};
}

Result<QString> skillFrom(const QJsonObject &result)
{
    return textOf(result, "skill_md", Role::Distiller);
}

Result<RoleUsage> usageFrom(const QJsonObject &usage, Role role)
{
    RoleUsage result;
    const auto calls = amount(usage, "calls", mostCalls, role), tokensIn = amount(usage, "tokens_in", mostTokens, role);
    const auto tokensOut = amount(usage, "tokens_out", mostTokens, role), cached = amount(usage, "tokens_cached", mostTokens, role);
    const auto cost_usd = amount(usage, "cost_usd", mostMoney_usd, role);
    for (const auto *one : {&calls, &tokensIn, &tokensOut, &cached, &cost_usd}) {
        if (!*one) return std::unexpected(one->error());
    }
    result.calls = int(*calls);
    result.tokensIn = qint64(*tokensIn);
    result.tokensOut = qint64(*tokensOut);
    result.tokensCached = qint64(*cached);
    result.cost_usd = *cost_usd;
    const bool spent = result.tokensIn > 0 || result.tokensOut > 0 || result.cost_usd > 0;
    if (result.calls == 0 && spent) result.calls = 1;
    for (const char *name : {"provider", "model"}) {
        if (usage.value(QLatin1String(name)).isString()) result.facts.insert(QLatin1String(name), usage.value(QLatin1String(name)));
    }
    return result;
}

Error errorFrom(const QJsonValue &error, Role role)
{
    const QString code = error[u"code"].toString(), message = error[u"message"].toString();
    if (code.isEmpty() || message.isEmpty()) return refuse(role, QStringLiteral("{\"code\", \"message\"} as “error”"), error).error();
    const Error told{code, message, {}};
    static constexpr std::array endings{budgetMoney, budgetTokens, budgetCalls, providerUnavailable};
    const bool ends = std::ranges::any_of(endings, [&code](const char *one) { return code == QLatin1String(one); });
    if (ends || concernsOneReply(told)) return told;
    return {QStringLiteral("agent.error"), QStringLiteral("%1 (%2)").arg(message, code), {}};
}

} // namespace kernelskill::process
