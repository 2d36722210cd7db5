// SPDX-License-Identifier: Apache-2.0
#include "agent/recorded_step.h"

#include <QJsonArray>

#include <algorithm>

namespace kernelskill {

namespace {

QString words(const QString &verdict, const std::optional<Speedup> &speedup)
{
    if (!speedup) return verdict;
    return QStringLiteral("%1, %2× [%3, %4] %5")
        .arg(verdict)
        .arg(speedup->value, 0, 'f', 2)
        .arg(speedup->interval.low, 0, 'f', 2)
        .arg(speedup->interval.high, 0, 'f', 2)
        .arg(toString(speedup->kind));
}

bool agree(const Speedup &a, const Speedup &b)
{
    if (a.kind != b.kind) return false;
    const bool meet = a.interval.low <= b.interval.high && b.interval.low <= a.interval.high;
    return meet || std::max(a.value, b.value) <= 1.05 * std::min(a.value, b.value);
}

} // namespace

QJsonObject RecordedStep::toJson() const
{
    QJsonObject object{{"node", node}};
    if (!verdict.isEmpty()) object.insert("verdict", verdict);
    if (speedup) {
        object.insert("speedup", speedup->value);
        object.insert("interval", QJsonArray{speedup->interval.low, speedup->interval.high});
        object.insert("kind", toString(speedup->kind));
    }
    return object;
}

RecordedStep RecordedStep::fromJson(const QJsonObject &object)
{
    RecordedStep step;
    step.node = object.value("node").toInt(-1);
    step.verdict = object.value("verdict").toString();
    if (object.value("speedup").isDouble()) {
        const double value = object.value("speedup").toDouble();
        const QJsonArray ends = object.value("interval").toArray();
        step.speedup = Speedup{value,
                               ends.size() == 2 ? Interval{ends[0].toDouble(), ends[1].toDouble()} : Interval{value, value},
                               timeKindFromString(object.value("kind").toString())};
    }
    return step;
}

QString divergence(const RecordedStep &recorded, const QString &verdict, const std::optional<Speedup> &speedup)
{
    if (recorded.verdict.isEmpty()) return {};
    const bool same = recorded.verdict == verdict && recorded.speedup.has_value() == speedup.has_value() &&
                      (!speedup || agree(*recorded.speedup, *speedup));
    if (same) return {};
    return QStringLiteral("the record says %1; here it is %2").arg(words(recorded.verdict, recorded.speedup), words(verdict, speedup));
}

} // namespace kernelskill
