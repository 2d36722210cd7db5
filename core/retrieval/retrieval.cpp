// SPDX-License-Identifier: Apache-2.0
#include "retrieval/retrieval.h"

#include <QJsonArray>

namespace kernelskill {

namespace {

Truth truthFromString(const QString &text)
{
    if (text == u"true") return Truth::True;
    return text == u"false" ? Truth::False : Truth::Unknown;
}

QStringList strings(const QJsonValue &value)
{
    QStringList list;
    for (const QJsonValue &element : value.toArray())
        list.append(element.toString());
    return list;
}

// An unknown value is JSON's null.
QJsonObject valuesToJson(const QVariantMap &values)
{
    QJsonObject object;
    for (auto value = values.cbegin(); value != values.cend(); ++value) {
        object.insert(value.key(), value->isValid() ? QJsonValue::fromVariant(*value) : QJsonValue());
    }
    return object;
}

QVariantMap valuesFromJson(const QJsonObject &object)
{
    QVariantMap values;
    for (auto value = object.begin(); value != object.end(); ++value) {
        values.insert(value.key(), value->isNull() ? QVariant() : value->toVariant());
    }
    return values;
}

QJsonArray predicatesToJson(const QList<PredicateTrace> &predicates)
{
    QJsonArray array;
    for (const PredicateTrace &predicate : predicates) {
        array.append(QJsonObject{{"text", predicate.text},
                                 {"truth", toString(predicate.truth)},
                                 {"values", valuesToJson(predicate.values)}});
    }
    return array;
}

QList<PredicateTrace> predicatesFromJson(const QJsonValue &value)
{
    QList<PredicateTrace> predicates;
    for (const QJsonValue &element : value.toArray()) {
        const QJsonObject object = element.toObject();
        predicates.append({object.value("text").toString(), truthFromString(object.value("truth").toString()),
                           valuesFromJson(object.value("values").toObject())});
    }
    return predicates;
}

QJsonObject toJson(const BottleneckTrace &bottleneck)
{
    return {{"id", bottleneck.id},
            {"title", bottleneck.title},
            {"truth", toString(bottleneck.truth)},
            {"predicates", predicatesToJson(bottleneck.predicates)}};
}

QJsonObject toJson(const CaseTrace &trace)
{
    return {{"id", trace.id},
            {"bottleneck", trace.bottleneck},
            {"title", trace.title},
            {"truth", toString(trace.truth)},
            {"predicates", predicatesToJson(trace.predicates)},
            {"allowed", QJsonArray::fromStringList(trace.allowed)},
            {"forbidden", QJsonArray::fromStringList(trace.forbidden)},
            {"chosen", trace.chosen}};
}

CaseTrace caseFromJson(const QJsonObject &object)
{
    CaseTrace trace;
    trace.id = object.value("id").toString();
    trace.bottleneck = object.value("bottleneck").toString();
    trace.title = object.value("title").toString();
    trace.truth = truthFromString(object.value("truth").toString());
    trace.predicates = predicatesFromJson(object.value("predicates"));
    trace.allowed = strings(object.value("allowed"));
    trace.forbidden = strings(object.value("forbidden"));
    trace.chosen = object.value("chosen").toBool();
    return trace;
}

QJsonObject toJson(const RankedMethod &method)
{
    return {{"method", method.method}, {"skill", method.skill},       {"score", method.score},
            {"pinned", method.pinned}, {"unproven", method.unproven}, {"reason", method.reason}};
}

RankedMethod methodFromJson(const QJsonObject &object)
{
    return {object.value("method").toString(), object.value("skill").toString(),  object.value("score").toDouble(),
            object.value("pinned").toBool(),   object.value("unproven").toBool(), object.value("reason").toString()};
}

QJsonObject toJson(const KernelTrace &kernel)
{
    return {{"name", kernel.name},
            {"time_share", kernel.timeShare},
            {"duration_us", kernel.duration_us},
            {"recoverable_us", kernel.recoverable_us}};
}

} // namespace

QString toString(Truth truth)
{
    switch (truth) {
    case Truth::False:
        return QStringLiteral("false");
    case Truth::True:
        return QStringLiteral("true");
    case Truth::Unknown:
        return QStringLiteral("unknown");
    }
    return {};
}

const RankedMethod *Retrieval::find(const QString &method, const QString &skill) const
{
    for (const RankedMethod &candidate : allowed) {
        // A planner may name the skill, its number, or both; where both are given both must agree.
        const bool methodFits = method.isEmpty() || candidate.method == method || candidate.skill == method;
        const bool skillFits = skill.isEmpty() || candidate.skill == skill;
        if (methodFits && skillFits && !(method.isEmpty() && skill.isEmpty())) return &candidate;
    }
    return nullptr;
}

QJsonObject Retrieval::toJson() const
{
    QJsonArray bottleneckArray, caseArray, allowedArray;
    for (const BottleneckTrace &bottleneck : bottlenecks)
        bottleneckArray.append(kernelskill::toJson(bottleneck));
    for (const CaseTrace &trace : cases)
        caseArray.append(kernelskill::toJson(trace));
    for (const RankedMethod &method : allowed)
        allowedArray.append(kernelskill::toJson(method));
    QJsonArray kernelArray;
    for (const KernelTrace &one : kernels)
        kernelArray.append(kernelskill::toJson(one));
    return {{"kernel", kernel},
            {"kernels", kernelArray},
            {"evidence", valuesToJson(evidence)},
            {"tier", tier},
            {"bottlenecks", bottleneckArray},
            {"cases", caseArray},
            {"allowed", allowedArray},
            {"forbidden", QJsonArray::fromStringList(forbidden)},
            {"explanation", explanation},
            {"fallback", fallback}};
}

Retrieval Retrieval::fromJson(const QJsonObject &object)
{
    Retrieval retrieval;
    retrieval.kernel = object.value("kernel").toString();
    for (const QJsonValue &value : object.value("kernels").toArray()) {
        const QJsonObject one = value.toObject();
        retrieval.kernels.append({one.value("name").toString(), one.value("time_share").toDouble(),
                                  one.value("duration_us").toDouble(), one.value("recoverable_us").toDouble()});
    }
    retrieval.evidence = valuesFromJson(object.value("evidence").toObject());
    retrieval.tier = object.value("tier").toString();
    for (const QJsonValue &value : object.value("bottlenecks").toArray()) {
        const QJsonObject bottleneck = value.toObject();
        retrieval.bottlenecks.append({bottleneck.value("id").toString(), bottleneck.value("title").toString(),
                                      truthFromString(bottleneck.value("truth").toString()),
                                      predicatesFromJson(bottleneck.value("predicates"))});
    }
    for (const QJsonValue &value : object.value("cases").toArray())
        retrieval.cases.append(caseFromJson(value.toObject()));
    for (const QJsonValue &value : object.value("allowed").toArray()) {
        retrieval.allowed.append(methodFromJson(value.toObject()));
    }
    retrieval.forbidden = strings(object.value("forbidden"));
    retrieval.explanation = object.value("explanation").toString();
    retrieval.fallback = object.value("fallback").toBool();
    return retrieval;
}

} // namespace kernelskill
