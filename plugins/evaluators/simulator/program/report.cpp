// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include "profile/metric_catalogue.h"

#include <QDir>

#include <algorithm>

namespace kernelskill::simulator {

namespace {

// What tells most about a kernel at a glance.
const char *const shown[] = {"registers_per_thread",
                             "shared_bytes_per_block",
                             "achieved_occupancy_pct",
                             "sm_throughput_pct",
                             "dram_throughput_pct",
                             "issue_slot_pct",
                             "tensor_pipe_pct",
                             "l1_hit_pct",
                             "l2_hit_pct",
                             "dram_bytes",
                             "sectors_per_request",
                             "shared_bank_conflicts",
                             "instructions",
                             "branch_divergence_pct"};

QString shortPath(const QString &path)
{
    if (!path.startsWith(u'/')) return path;
    const QString relative = QDir::current().relativeFilePath(path);
    return relative.startsWith(QStringLiteral("..")) ? path : relative;
}

QString place(const std::array<qint64, 3> &at)
{
    return QStringLiteral("(%1, %2, %3)").arg(at[0]).arg(at[1]).arg(at[2]);
}

QString timeText(double time_us)
{
    if (time_us >= 1e6) return QStringLiteral("%1 s").arg(time_us / 1e6, 0, 'f', 2);
    if (time_us >= 1e4) return QStringLiteral("%1 ms").arg(time_us / 1e3, 0, 'f', 2);
    return QStringLiteral("%1 µs").arg(time_us, 0, 'f', 1);
}

QJsonArray triple(const auto &values)
{
    return {values[0], values[1], values[2]};
}

QJsonObject toJson(const Finding &finding)
{
    QJsonObject object{{QStringLiteral("kind"), finding.kind},
                       {QStringLiteral("kernel"), finding.kernel},
                       {QStringLiteral("file"), shortPath(finding.file)},
                       {QStringLiteral("line"), finding.line},
                       {QStringLiteral("message"), finding.message}};
    if (finding.hasPlace) {
        object.insert(QStringLiteral("block"), triple(finding.block));
        object.insert(QStringLiteral("thread"), triple(finding.thread));
    }
    return object;
}

} // namespace

int ProgramOutcome::exitStatus() const
{
    const bool sound = std::ranges::all_of(findings, [](const Finding &f) { return f.kind == QLatin1String("leak"); });
    return ended && sound ? exitCode : 1;
}

QString findingText(const Finding &finding)
{
    QString text;
    if (!finding.file.isEmpty()) {
        text += shortPath(finding.file);
        if (finding.line > 0) text += QStringLiteral(":%1").arg(finding.line);
        text += QStringLiteral(": ");
    }
    text += finding.kind;
    if (!finding.kernel.isEmpty()) text += QStringLiteral(" in ") + finding.kernel;
    if (finding.hasPlace)
        text += QStringLiteral(", block %1, thread %2").arg(place(finding.block), place(finding.thread));
    return text + QStringLiteral(": ") + finding.message;
}

QString profileText(const ProgramOutcome &outcome)
{
    QString text = QStringLiteral("\nKernels: %1, launches: %2, on %3; %4 of device time, modelled\n")
                       .arg(outcome.profile.kernels.size())
                       .arg(outcome.profile.launchCount)
                       .arg(outcome.device, timeText(outcome.elapsed_us));
    for (const KernelProfile &kernel : outcome.profile.kernels) {
        text +=
            QStringLiteral(
                "\n%1\n  %2 launches, %3 in all, %4 % of kernel time; longest: %5×%6×%7 blocks of %8×%9×%10 threads\n")
                .arg(kernel.name)
                .arg(kernel.launches)
                .arg(timeText(kernel.duration_us))
                .arg(100 * kernel.timeShare, 0, 'f', 0)
                .arg(kernel.grid[0])
                .arg(kernel.grid[1])
                .arg(kernel.grid[2])
                .arg(kernel.block[0])
                .arg(kernel.block[1])
                .arg(kernel.block[2]);
        for (const char *name : shown) {
            const auto value = kernel.metrics.constFind(QLatin1String(name));
            const MetricInfo *info = metricInfo(QLatin1String(name));
            if (value == kernel.metrics.constEnd() || !info) continue;
            text += QStringLiteral("  %1 %2 %3\n").arg(info->title, -36).arg(*value, 18, 'f', 2).arg(info->unit);
        }
    }
    for (const QJsonValue &value : outcome.copies) {
        const QJsonObject copy = value.toObject();
        text += QStringLiteral("%1: %2, %3 bytes, %4\n")
                    .arg(copy.value(u"kind").toString())
                    .arg(copy.value(u"count").toInteger())
                    .arg(copy.value(u"bytes").toInteger())
                    .arg(timeText(copy.value(u"time_us").toDouble()));
    }
    return text;
}

QJsonObject toJson(const ProgramOutcome &outcome)
{
    QJsonArray findings;
    for (const Finding &finding : outcome.findings)
        findings.append(toJson(finding));
    QJsonObject object{{QStringLiteral("status"), outcome.status},
                       {QStringLiteral("findings"), findings},
                       {QStringLiteral("stdout"), QString::fromUtf8(outcome.output)},
                       {QStringLiteral("stderr"), QString::fromUtf8(outcome.errors)},
                       {QStringLiteral("profile"), outcome.profile.toJson()},
                       {QStringLiteral("copies"), outcome.copies},
                       {QStringLiteral("elapsed_us"), outcome.elapsed_us},
                       {QStringLiteral("time_kind"), QStringLiteral("modelled")},
                       {QStringLiteral("device"), outcome.device}};
    if (outcome.ended) object.insert(QStringLiteral("exit"), outcome.exitCode);
    if (!outcome.buildLog.isEmpty()) object.insert(QStringLiteral("build_log"), outcome.buildLog);
    return object;
}

} // namespace kernelskill::simulator
