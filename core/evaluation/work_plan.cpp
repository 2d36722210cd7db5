// SPDX-License-Identifier: Apache-2.0
#include "work_plan.h"

#include "evaluation/checks.h"
#include "task/reference.h"

#include <algorithm>

namespace kernelskill {

namespace {

constexpr int randomSeeds = 5;

QString distributionName(Distribution::Kind kind)
{
    switch (kind) {
    case Distribution::Kind::Normal:
        return QStringLiteral("normal");
    case Distribution::Kind::Uniform:
        return QStringLiteral("uniform");
    case Distribution::Kind::Integer:
        return QStringLiteral("integer");
    case Distribution::Kind::Bernoulli:
        return QStringLiteral("bernoulli");
    case Distribution::Kind::Constant:
        return QStringLiteral("constant");
    case Distribution::Kind::Permutation:
        return QStringLiteral("permutation");
    }
    return {};
}

} // namespace

QList<PlannedCheck> plannedChecks(const Task &task, quint64 seed)
{
    QList<PlannedCheck> plan;
    const auto add = [&](const Sizes &sizes, quint64 one, const QString &variant) {
        const bool random = variant == QLatin1String("random");
        const QString inputs = random ? QStringLiteral("seed %1").arg(one) : variant;
        plan.append({checks::outputsName(sizes, inputs), sizes, one, variant});
    };
    for (int i = 0; i < randomSeeds; ++i)
        add(task.check, seed + quint64(i), QStringLiteral("random"));
    for (const char *variant : {"zeros", "ones", "large", "tiny", "negative"})
        add(task.check, seed, QString::fromLatin1(variant));
    for (const Sizes &sizes : task.checkedSizes()) {
        if (sizes != task.check) add(sizes, seed, QStringLiteral("random"));
    }
    return plan;
}

QList<PlannedCheck> timedChecks(const Task &task, quint64 seed)
{
    constexpr double mostFlops = 2e9, mostBytes = 256e6;
    QList<PlannedCheck> plan;
    for (const TimeSize &size : task.time) {
        const auto flops = task.flops.evaluate(size.sizes);
        const auto bytes = task.bytes.evaluate(size.sizes);
        const bool cheap = flops && bytes && *flops <= mostFlops && *bytes <= mostBytes && !task.checkHook;
        plan.append({cheap ? size.name : QString(), size.sizes, seed, QStringLiteral("random")});
    }
    return plan;
}

QList<PlannedCheck> checksAfterTiming(const Task &task, quint64 seed)
{
    constexpr quint64 distance = 1'000'003; // beyond every seed of plannedChecks
    QList<PlannedCheck> plan;
    const auto add = [&](const Sizes &sizes, quint64 one) {
        const QString inputs = QStringLiteral("seed %1 after timing").arg(one);
        plan.append({checks::outputsName(sizes, inputs), sizes, one, QStringLiteral("random")});
    };
    add(task.check, seed + distance);
    const QList<Sizes> all = task.checkedSizes();
    add(all.isEmpty() ? task.check : all.last(), seed + distance + 1);
    return plan;
}

Result<QJsonObject> binding(const Task &task, const Sizes &sizes)
{
    QJsonArray shapes, scalars;
    for (const Parameter &parameter : task.parameters) {
        QJsonArray shape;
        double scalar = 0;
        if (parameter.kind == Parameter::Kind::Tensor) {
            for (const Expression &dimension : parameter.shape) {
                const auto value = dimension.evaluateInteger(sizes);
                if (!value) return std::unexpected(value.error());
                shape.append(*value);
            }
        } else {
            const auto value = parameter.value.evaluate(sizes);
            if (!value) return std::unexpected(value.error());
            scalar = *value;
        }
        shapes.append(shape);
        scalars.append(scalar);
    }
    return QJsonObject{{QStringLiteral("shapes"), shapes}, {QStringLiteral("scalars"), scalars}};
}

QJsonArray parameterSpecs(const Task &task)
{
    QJsonArray specs;
    for (const Parameter &parameter : task.parameters) {
        const bool tensor = parameter.kind == Parameter::Kind::Tensor;
        specs.append(QJsonObject{{QStringLiteral("name"), parameter.name},
                                 {QStringLiteral("dtype"), parameter.dtype},
                                 {QStringLiteral("tensor"), tensor},
                                 {QStringLiteral("read"), tensor && parameter.isRead()},
                                 {QStringLiteral("written"), tensor && parameter.isWritten()},
                                 {QStringLiteral("distribution"), distributionName(parameter.values.kind)},
                                 {QStringLiteral("first"), parameter.values.first},
                                 {QStringLiteral("second"), parameter.values.second}});
    }
    return specs;
}

QJsonArray inputSeeds(const Task &task, quint64 seed)
{
    QJsonArray seeds;
    for (const Parameter &parameter : task.parameters)
        seeds.append(QString::number(inputSeed(seed, parameter.name)));
    return seeds;
}

} // namespace kernelskill
