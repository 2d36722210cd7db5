// SPDX-License-Identifier: Apache-2.0
// What a profiler or the simulator saw of one candidate: one row a kernel, under the policy's metric names.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

#include <array>
#include <optional>

namespace kernelskill {

// One place in the source that costs time, or wastes traffic.
struct HotSpot
{
    QString file;
    int line = 0;              // 1-based
    double stallShare = 0;     // 0…1 of the kernel's stall cycles
    QString mainStall;         // "long_scoreboard", …
    QString text;              // "38 % of stalls, long scoreboard"
};

// Values over the length of a kernel's longest launch: value i belongs to (i + 0.5) · interval_us after its start.
struct KernelTimeline
{
    double interval_us = 0;
    QMap<QString, QList<double>> metrics; // by the profiler's own names, all of one length, % of the peak; NaN: no value

    [[nodiscard]] bool isEmpty() const { return metrics.isEmpty(); }
    // From {"interval_us", "metrics": {name: [values, null for none]}}, as workers send it and files keep it.
    [[nodiscard]] static KernelTimeline fromJson(const QJsonObject &object);
};

struct KernelProfile
{
    QString name;
    std::array<int, 3> grid{1, 1, 1}, block{1, 1, 1};
    int launches = 1;
    double duration_us = 0;      // all launches
    double timeShare = 0;        // 0…1 of the candidate
    double roofline_us = 0;      // least time its own flops and bytes need on the device
    // Metric name (see metric_catalogue.h) → value. A missing entry is unknown, never 0.
    QMap<QString, double> metrics;
    QMap<QString, double> stalls; // reason → share 0…1 of warp cycles
    QList<HotSpot> hotSpots;      // most expensive first
    QStringList missing;          // metrics the profiler was asked for and has no value of
    bool inGraph = false;         // a CUDA graph launched it
    KernelTimeline timeline;      // of kernels long enough for one
    QMap<QString, double> counters; // by the profiler's own names, base units; only where all of them were asked for

    [[nodiscard]] std::optional<double> metric(const QString &metricName) const;
    [[nodiscard]] double recoverable_us() const { return duration_us > roofline_us ? duration_us - roofline_us : 0; }
};

struct Profile
{
    QString device;      // GpuSpec id
    QString kind = QStringLiteral("modelled"); // or "measured"
    QList<KernelProfile> kernels; // order of first launch
    int launchCount = 0;

    [[nodiscard]] bool isEmpty() const { return kernels.isEmpty(); }
    // The kernel with most recoverable time; ties by order of launch. Null when there is none.
    [[nodiscard]] const KernelProfile *deciding() const;
    // Of the candidate as a whole, since a change may merge or split kernels: durations and what is counted in total
    // (bytes, instructions, conflicts, launches) summed over all launches, each kernel's launches alike; every other
    // metric that of the kernel that decides. Missing where a kernel has no value for a sum.
    [[nodiscard]] std::optional<double> metric(const QString &metricName) const;
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static Profile fromJson(const QJsonObject &object);
};

} // namespace kernelskill
