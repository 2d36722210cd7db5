// SPDX-License-Identifier: Apache-2.0
// Every metric the program speaks of: one vocabulary for profilers, simulator, policy, charts and tooltips.
#pragma once

#include <QList>
#include <QString>

namespace kernelskill {

struct MetricInfo
{
    QString name;        // "dram_throughput_pct", as policy.yaml and Profile::metrics spell it
    QString title;       // "DRAM throughput"
    QString unit;        // "%", "ns", "", "bytes"
    QString profilerName; // "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
    QString meaning;     // a sentence for a learner
    int better = 0;      // +1 higher is better, −1 lower is better, 0 depends
};

[[nodiscard]] const QList<MetricInfo> &metricCatalogue();
[[nodiscard]] const MetricInfo *metricInfo(const QString &name);
// Whether it counts something in total, so that kernels and launches add up.
[[nodiscard]] bool isTotal(const QString &name);

} // namespace kernelskill
