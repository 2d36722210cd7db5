// SPDX-License-Identifier: Apache-2.0
#include "models/node_text.h"

#include "profile/metric_catalogue.h"
#include "settings/numbers.h"

using namespace Qt::StringLiterals;

namespace kernelskill::node_text {

bool hasSpeedup(const TrajectoryNode &node)
{
    return speedup(node).has_value();
}

std::optional<Speedup> speedup(const TrajectoryNode &node)
{
    if (node.state != NodeState::Verified && node.state != NodeState::Unproven) return std::nullopt;
    if (node.speedup) return node.speedup;
    if (node.id == 0 && node.time_us) return Speedup{};
    return std::nullopt;
}

QString headline(const TrajectoryNode &node)
{
    if (const auto value = speedup(node)) return numbers::speedupValue(value->value);
    return toString(node.state);
}

QString detail(const TrajectoryNode &node, const QString &stage)
{
    if (node.state == NodeState::Running) return stage.isEmpty() ? u"being written"_s : stage;
    if (const auto value = speedup(node)) {
        if (node.id == 0) return u"by definition"_s;
        return numbers::bounds(value->interval) + u' ' + numbers::kindShort(value->kind);
    }
    return node.why.isEmpty() ? u"not timed"_s : node.why;
}

QString titleOfSkill(const QString &name)
{
    QString text = name;
    text.replace(u'-', u' ').replace(u'_', u' ');
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

QString title(const TrajectoryNode &node)
{
    if (!node.summary.isEmpty()) return node.summary;
    if (!node.skill.isEmpty()) return titleOfSkill(node.skill);
    if (!node.plan.skill.isEmpty()) return titleOfSkill(node.plan.skill);
    if (node.kind == "seed"_L1) return u"Baseline"_s;
    if (node.kind == "repair"_L1) return u"Repair"_s;
    return node.kind == "human"_L1 ? u"Edited by you"_s : u"Next candidate"_s;
}

Observation observationParts(const TrajectoryNode &node)
{
    if (!node.divergence.isEmpty()) return {u"not as recorded"_s, {}};
    if (node.kind == "repair"_L1 && node.parent >= 0) return {u"repair of %1"_s.arg(node.parent), {}};
    if (node.isHuman) return {u"edited by you"_s, {}};
    if (node.id == 0) return {node.time_us ? numbers::duration_us(*node.time_us) : QString(), {}};
    if (node.state == NodeState::Running) {
        if (node.plan.promises.isEmpty()) return {};
        const MetricPromise &promise = node.plan.promises.first();
        const MetricInfo *info = metricInfo(promise.metric);
        return {info ? info->title : promise.metric, numbers::promise(promise.change)};
    }
    if (node.stepSpeedup && node.stepSpeedup->touchesOne()) return {u"no change from %1"_s.arg(node.parent), {}};
    for (const ObservedChange &change : node.observed) {
        if (!change.before || !change.after) continue;
        const MetricInfo *info = metricInfo(change.metric);
        return {info ? info->title : change.metric,
                numbers::compactChange(*change.before, *change.after, info ? info->unit : QString())};
    }
    return {node.time_us && hasSpeedup(node) ? numbers::duration_us(*node.time_us) : QString(), {}};
}

QString observation(const TrajectoryNode &node)
{
    const Observation parts = observationParts(node);
    return parts.value.isEmpty() ? parts.name : parts.name + u' ' + parts.value;
}

QString full(const TrajectoryNode &node)
{
    const auto value = speedup(node);
    if (!value) return toString(node.state);
    if (node.id == 0) return u"1.00× by definition, %1, %2"_s.arg(toString(value->kind), toString(node.state));
    return numbers::speedupFull(*value, toString(node.state));
}

QString summary(const TrajectoryNode &node, const QString &stage)
{
    QStringList lines{u"Node %1, %2"_s.arg(node.id).arg(title(node)), full(node)};
    if (node.time_us && hasSpeedup(node)) lines.append(numbers::duration_us(*node.time_us));
    if (node.stepSpeedup && hasSpeedup(node) && node.id != 0)
        lines.append(u"over its parent: "_s + numbers::speedupFull(*node.stepSpeedup, toString(node.state)));
    if (!node.why.isEmpty() && !hasSpeedup(node)) lines.append(node.why);
    if (node.recorded) lines.append(u"recorded: played again from node %1 of the record, nothing was paid for it"_s.arg(node.recorded->node));
    if (!node.divergence.isEmpty()) lines.append(node.divergence);
    if (!stage.isEmpty()) lines.append(stage);
    if (const QString seen = observation(node); !seen.isEmpty() && !lines.contains(seen)) lines.append(seen);
    return lines.join(u'\n');
}

QString failedRepairs(const QList<int> &repairs)
{
    QStringList ids;
    for (const int repair : repairs)
        ids.append(QString::number(repair));
    return u"%1 repairs failed: %2"_s.arg(repairs.size()).arg(ids.join(u", "_s));
}

} // namespace kernelskill::node_text
