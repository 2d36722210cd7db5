// SPDX-License-Identifier: Apache-2.0
#include "retrieval/policy.h"

#include <QSet>

#include <algorithm>

namespace kernelskill {

namespace {

// What can be said of one thing in a policy: property → value, in words.
using Properties = QMap<QString, QString>;
using Things = QMap<QString, Properties>; // by place

QString joined(const QStringList &list)
{
    return list.join(QStringLiteral(", "));
}

Things thingsOf(const Policy &policy)
{
    Things things;
    for (const QString &field : policy.fields)
        things[field] = {{"field", policy.kinds.value(field)}};
    for (const DerivedField &derived : policy.derived)
        things[derived.name] = {{"is", derived.expression}, {"kind", policy.kinds.value(derived.name)}};
    for (const auto &[tier, predicate] : policy.tiers.asKeyValueRange())
        things[QStringLiteral("tier ") + tier] = {{"is", predicate}};
    for (const PolicyMethod &method : policy.methods) {
        things[QStringLiteral("method ") + method.id] = {
            {"title", method.title}, {"cache_or_reuse", method.cacheOrReuse ? "true" : "false"}};
    }
    for (const PolicyBottleneck &bottleneck : policy.bottlenecks) {
        things[bottleneck.id] = {{"title", bottleneck.title},
                                 {"all", joined(bottleneck.all)},
                                 {"any", joined(bottleneck.any)},
                                 {"fallback", bottleneck.fallback ? "true" : "false"}};
    }
    for (const PolicyCase &one : policy.cases) {
        things[one.id] = {{"title", one.title},           {"tiers", joined(one.tiers)},
                          {"structures", joined(one.structures)}, {"all", joined(one.all)},
                          {"any", joined(one.any)},       {"allowed", joined(one.allowed)},
                          {"forbidden", joined(one.forbidden)}};
    }
    things[QStringLiteral("reuse_source")] = {{"is", policy.reuseSource}};
    things[QStringLiteral("advice")] = {{"says", policy.advice.join(QStringLiteral(" "))}};
    return things;
}

// The order of what both have, where it differs.
void compareOrder(const QString &place, QStringList before, QStringList after, QList<PolicyDifference> &result)
{
    const QSet<QString> inBefore(before.begin(), before.end()), inAfter(after.begin(), after.end());
    before.removeIf([&](const QString &id) { return !inAfter.contains(id); });
    after.removeIf([&](const QString &id) { return !inBefore.contains(id); });
    if (before != after) result.append({place, QStringLiteral("order"), joined(before), joined(after)});
}

QStringList casesOf(const Policy &policy, const QString &bottleneck)
{
    QStringList ids;
    for (const PolicyCase &one : policy.cases) {
        if (one.bottleneck == bottleneck) ids.append(one.id.section(u'.', 1));
    }
    return ids;
}

QStringList bottlenecksOf(const Policy &policy)
{
    QStringList ids;
    for (const PolicyBottleneck &bottleneck : policy.bottlenecks)
        ids.append(bottleneck.id);
    return ids;
}

} // namespace

QList<PolicyDifference> differences(const Policy &before, const Policy &after)
{
    QList<PolicyDifference> result;
    const Things old = thingsOf(before), now = thingsOf(after);
    QStringList places = old.keys();
    for (const QString &place : now.keys()) {
        if (!old.contains(place)) places.append(place);
    }
    places.sort();
    for (const QString &place : std::as_const(places)) {
        const Properties was = old.value(place), is = now.value(place);
        QStringList names = was.keys();
        for (const QString &name : is.keys()) {
            if (!was.contains(name)) names.append(name);
        }
        for (const QString &name : std::as_const(names)) {
            if (was.value(name) != is.value(name)) result.append({place, name, was.value(name), is.value(name)});
        }
    }
    compareOrder(QStringLiteral("bottlenecks"), bottlenecksOf(before), bottlenecksOf(after), result);
    for (const PolicyBottleneck &bottleneck : before.bottlenecks)
        compareOrder(bottleneck.id, casesOf(before, bottleneck.id), casesOf(after, bottleneck.id), result);
    return result;
}

QStringList untaughtMethods(const Policy &policy, const QStringList &skillNamesAndMethods)
{
    QStringList result;
    for (const PolicyMethod &method : policy.methods) {
        if (skillNamesAndMethods.contains(method.id)) continue;
        QStringList cases;
        for (const PolicyCase &one : policy.cases) {
            if (one.allowed.contains(method.id)) cases.append(one.id);
        }
        result.append(QStringLiteral("%1 (%2) has no skill; %3")
                          .arg(method.id, method.title,
                               cases.isEmpty() ? QStringLiteral("no case allows it")
                                               : QStringLiteral("allowed in ") + joined(cases)));
    }
    return result;
}

} // namespace kernelskill
