// SPDX-License-Identifier: Apache-2.0
#include "profile/profile.h"

#include "profile/metric_catalogue.h"

#include <QJsonArray>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernelskill {

namespace {

QJsonArray toJson(const std::array<int, 3> &values) { return {values[0], values[1], values[2]}; }

std::array<int, 3> dimensionsFromJson(const QJsonValue &value)
{
    std::array<int, 3> result{1, 1, 1};
    const QJsonArray array = value.toArray();
    for (int i = 0; i < 3 && i < array.size(); ++i) result[size_t(i)] = array[i].toInt(1);
    return result;
}

// A value that JSON cannot hold (NaN, infinity) is left out: missing is unknown, and so is a NaN counter.
QJsonObject toJson(const QMap<QString, double> &values)
{
    QJsonObject object;
    for (auto it = values.cbegin(); it != values.cend(); ++it)
        if (std::isfinite(it.value())) object.insert(it.key(), it.value());
    return object;
}

QMap<QString, double> numbersFromJson(const QJsonValue &value)
{
    QMap<QString, double> result;
    const QJsonObject object = value.toObject();
    for (auto it = object.begin(); it != object.end(); ++it)
        if (it.value().isDouble()) result.insert(it.key(), it.value().toDouble());
    return result;
}

QStringList textsFromJson(const QJsonValue &value)
{
    QStringList result;
    const QJsonArray array = value.toArray();
    for (const QJsonValue &one : array) result.append(one.toString());
    return result;
}

QJsonObject toJson(const HotSpot &spot)
{
    return {{QStringLiteral("file"), spot.file},
            {QStringLiteral("line"), spot.line},
            {QStringLiteral("stall_share"), spot.stallShare},
            {QStringLiteral("main_stall"), spot.mainStall},
            {QStringLiteral("text"), spot.text}};
}

HotSpot hotSpotFromJson(const QJsonObject &object)
{
    return {object.value(u"file").toString(), object.value(u"line").toInt(), object.value(u"stall_share").toDouble(),
            object.value(u"main_stall").toString(), object.value(u"text").toString()};
}

// Here a gap has its place: null.
QJsonObject toJson(const KernelTimeline &timeline)
{
    QJsonObject metrics;
    for (auto it = timeline.metrics.cbegin(); it != timeline.metrics.cend(); ++it) {
        QJsonArray values;
        for (const double value : it.value()) values.append(std::isfinite(value) ? QJsonValue(value) : QJsonValue());
        metrics.insert(it.key(), values);
    }
    return {{QStringLiteral("interval_us"), timeline.interval_us}, {QStringLiteral("metrics"), metrics}};
}

QJsonObject toJson(const KernelProfile &kernel)
{
    QJsonArray spots;
    for (const HotSpot &spot : kernel.hotSpots) spots.append(toJson(spot));
    QJsonObject object{{QStringLiteral("name"), kernel.name},
            {QStringLiteral("grid"), toJson(kernel.grid)},
            {QStringLiteral("block"), toJson(kernel.block)},
            {QStringLiteral("launches"), kernel.launches},
            {QStringLiteral("duration_us"), kernel.duration_us},
            {QStringLiteral("time_share"), kernel.timeShare},
            {QStringLiteral("roofline_us"), kernel.roofline_us},
            {QStringLiteral("metrics"), toJson(kernel.metrics)},
            {QStringLiteral("stalls"), toJson(kernel.stalls)},
            {QStringLiteral("hot_spots"), spots}};
    if (!kernel.missing.isEmpty()) object.insert(QStringLiteral("missing"), QJsonArray::fromStringList(kernel.missing));
    if (kernel.inGraph) object.insert(QStringLiteral("graph"), true);
    if (!kernel.timeline.isEmpty()) object.insert(QStringLiteral("timeline"), toJson(kernel.timeline));
    if (!kernel.counters.isEmpty()) object.insert(QStringLiteral("counters"), toJson(kernel.counters));
    return object;
}

KernelProfile kernelFromJson(const QJsonObject &object)
{
    KernelProfile kernel;
    kernel.name = object.value(u"name").toString();
    kernel.grid = dimensionsFromJson(object.value(u"grid"));
    kernel.block = dimensionsFromJson(object.value(u"block"));
    kernel.launches = object.value(u"launches").toInt(1);
    kernel.duration_us = object.value(u"duration_us").toDouble();
    kernel.timeShare = object.value(u"time_share").toDouble();
    kernel.roofline_us = object.value(u"roofline_us").toDouble();
    kernel.metrics = numbersFromJson(object.value(u"metrics"));
    kernel.stalls = numbersFromJson(object.value(u"stalls"));
    const QJsonArray spots = object.value(u"hot_spots").toArray();
    for (const QJsonValue &spot : spots) kernel.hotSpots.append(hotSpotFromJson(spot.toObject()));
    kernel.missing = textsFromJson(object.value(u"missing"));
    kernel.inGraph = object.value(u"graph").toBool();
    kernel.timeline = KernelTimeline::fromJson(object.value(u"timeline").toObject());
    kernel.counters = numbersFromJson(object.value(u"counters"));
    return kernel;
}

} // namespace

KernelTimeline KernelTimeline::fromJson(const QJsonObject &object)
{
    KernelTimeline timeline;
    timeline.interval_us = object.value(u"interval_us").toDouble();
    const QJsonObject series = object.value(u"metrics").toObject();
    for (auto it = series.begin(); it != series.end(); ++it) {
        QList<double> &values = timeline.metrics[it.key()];
        const QJsonArray array = it.value().toArray();
        for (const QJsonValue &value : array) values.append(value.toDouble(std::numeric_limits<double>::quiet_NaN()));
    }
    return timeline;
}

std::optional<double> KernelProfile::metric(const QString &metricName) const
{
    const auto it = metrics.constFind(metricName);
    if (it == metrics.cend() || std::isnan(*it)) return std::nullopt;
    return *it;
}

const KernelProfile *Profile::deciding() const
{
    const KernelProfile *found = nullptr;
    for (const KernelProfile &kernel : kernels)
        if (!found || kernel.recoverable_us() > found->recoverable_us()) found = &kernel;
    return found;
}

std::optional<double> Profile::metric(const QString &metricName) const
{
    if (kernels.isEmpty()) return std::nullopt;
    if (metricName == u"kernel_launch_count") return launchCount;
    const bool inNs = metricName == u"kernel_duration_ns", inUs = metricName == u"kernel_duration_us";
    if (!inNs && !inUs && !isTotal(metricName)) return deciding()->metric(metricName);
    double sum = 0;
    for (const KernelProfile &kernel : kernels) {
        const auto value = inNs ? 1000 * kernel.duration_us : inUs ? kernel.duration_us : kernel.metric(metricName);
        if (!value) return std::nullopt;
        sum += inNs || inUs ? *value : *value * std::max(1, kernel.launches);
    }
    return sum;
}

QJsonObject Profile::toJson() const
{
    QJsonArray rows;
    for (const KernelProfile &kernel : kernels) rows.append(kernelskill::toJson(kernel));
    return {{QStringLiteral("device"), device},
            {QStringLiteral("kind"), kind},
            {QStringLiteral("launch_count"), launchCount},
            {QStringLiteral("kernels"), rows}};
}

Profile Profile::fromJson(const QJsonObject &object)
{
    Profile profile;
    profile.device = object.value(u"device").toString();
    profile.kind = object.value(u"kind").toString(profile.kind);
    profile.launchCount = object.value(u"launch_count").toInt();
    const QJsonArray rows = object.value(u"kernels").toArray();
    for (const QJsonValue &row : rows) profile.kernels.append(kernelFromJson(row.toObject()));
    return profile;
}

} // namespace kernelskill
