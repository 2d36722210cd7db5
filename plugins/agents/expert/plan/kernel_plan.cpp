// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel_plan.h"

#include <QJsonArray>

namespace kernelskill::expert {

namespace {

constexpr int planSchema = 1;
constexpr Pattern allPatterns[] = {Pattern::Pointwise, Pattern::Rows, Pattern::Transpose, Pattern::MatrixProduct,
                                   Pattern::FullReduction};

QStringList stringsOf(const QJsonValue &value)
{
    QStringList strings;
    for (const QJsonValue &each : value.toArray())
        strings.append(each.toString());
    return strings;
}

} // namespace

QString toString(Pattern pattern)
{
    switch (pattern) {
    case Pattern::Pointwise:
        return QStringLiteral("pointwise");
    case Pattern::Rows:
        return QStringLiteral("rows");
    case Pattern::Transpose:
        return QStringLiteral("transpose");
    case Pattern::MatrixProduct:
        return QStringLiteral("matrix_product");
    case Pattern::FullReduction:
        return QStringLiteral("full_reduction");
    }
    return {};
}

const Group *KernelPlan::group(const QString &id) const
{
    for (const Group &each : groups) {
        if (each.id() == id) return &each;
    }
    return nullptr;
}

QStringList KernelPlan::skills() const
{
    QStringList all;
    for (const Group &each : groups)
        all += each.skills;
    all.removeDuplicates();
    return all;
}

QJsonObject KernelPlan::toJson() const
{
    QJsonArray array;
    for (const Group &each : groups) {
        array.append(QJsonObject{{QStringLiteral("pattern"), toString(each.pattern)},
                                 {QStringLiteral("nodes"), QJsonArray::fromStringList(each.nodes)},
                                 {QStringLiteral("schedule"), each.schedule.toJson()},
                                 {QStringLiteral("skills"), QJsonArray::fromStringList(each.skills)}});
    }
    return {{QStringLiteral("plan_schema"), planSchema}, {QStringLiteral("groups"), array}};
}

Result<KernelPlan> KernelPlan::fromJson(const QJsonObject &object)
{
    if (object.value(QStringLiteral("plan_schema")).toInt() != planSchema) {
        return failure(QStringLiteral("expert.plan"),
                       QStringLiteral("this candidate carries no plan of the rule-based agent"));
    }
    KernelPlan plan;
    for (const QJsonValue &value : object.value(QStringLiteral("groups")).toArray()) {
        const QJsonObject entry = value.toObject();
        Group group;
        bool known = false;
        for (const Pattern pattern : allPatterns) {
            if (toString(pattern) == entry.value(QStringLiteral("pattern")).toString()) {
                group.pattern = pattern;
                known = true;
            }
        }
        group.nodes = stringsOf(entry.value(QStringLiteral("nodes")));
        if (!known || group.nodes.isEmpty())
            return failure(QStringLiteral("expert.plan"),
                           QStringLiteral("the candidate's plan has a group without pattern or operators"));
        group.schedule = Schedule::fromJson(entry.value(QStringLiteral("schedule")).toObject());
        group.skills = stringsOf(entry.value(QStringLiteral("skills")));
        plan.groups.append(group);
    }
    return plan;
}

} // namespace kernelskill::expert
