// SPDX-License-Identifier: Apache-2.0
#include "worker_answer.h"

#include "evaluation/compile_diagnostics.h"

#include <QJsonArray>

namespace kernelskill {

namespace {

QString text(const QJsonObject &object, const char *key)
{
    return object.value(QLatin1String(key)).toString();
}

double number(const QJsonObject &object, const char *key)
{
    return object.value(QLatin1String(key)).toDouble();
}

QJsonArray array(const QJsonObject &object, const char *key)
{
    return object.value(QLatin1String(key)).toArray();
}

std::array<qint64, 3> triple(const QJsonArray &values)
{
    return {values.at(0).toInteger(), values.at(1).toInteger(), values.at(2).toInteger()};
}

std::array<int, 3> dimensions(const QJsonArray &values)
{
    return {values.at(0).toInt(1), values.at(1).toInt(1), values.at(2).toInt(1)};
}

Finding finding(const QJsonObject &object)
{
    Finding result;
    result.kind = text(object, "kind");
    result.kernel = text(object, "kernel");
    result.file = candidatePath(text(object, "file"));
    result.line = int(number(object, "line"));
    result.block = triple(array(object, "block"));
    result.thread = triple(array(object, "thread"));
    result.hasPlace = !result.kernel.isEmpty() && result.kind != QLatin1String("illegal_launch");
    result.address = quint64(object.value(QLatin1String("address")).toInteger());
    result.message = text(object, "message");
    if (const qint64 occurrences = object.value(QLatin1String("occurrences")).toInteger(1); occurrences > 1)
        result.message += QStringLiteral(" (%1 times)").arg(occurrences);
    return result;
}

QMap<QString, double> numbers(const QJsonObject &object)
{
    QMap<QString, double> result;
    for (auto it = object.constBegin(); it != object.constEnd(); ++it) {
        if (it.value().isDouble()) result.insert(it.key(), it.value().toDouble());
    }
    return result;
}

KernelProfile kernelProfile(const QJsonObject &object)
{
    KernelProfile kernel;
    kernel.name = text(object, "name");
    kernel.grid = dimensions(array(object, "grid"));
    kernel.block = dimensions(array(object, "block"));
    kernel.launches = int(number(object, "launches"));
    kernel.duration_us = number(object, "duration_us");
    kernel.timeShare = number(object, "share");
    kernel.roofline_us = number(object, "roofline_us");
    kernel.metrics = numbers(object.value(QLatin1String("metrics")).toObject());
    kernel.stalls = numbers(object.value(QLatin1String("stalls")).toObject());
    for (const QJsonValue &value : array(object, "hot_spots")) {
        const QJsonObject spot = value.toObject();
        kernel.hotSpots.append({candidatePath(text(spot, "file")), int(number(spot, "line")), number(spot, "share"),
                                text(spot, "stall"), text(spot, "text")});
    }
    for (const QJsonValue &name : array(object, "missing"))
        kernel.missing.append(name.toString());
    kernel.inGraph = object.value(QLatin1String("graph")).toBool();
    kernel.timeline = KernelTimeline::fromJson(object.value(QLatin1String("timeline")).toObject());
    kernel.counters = numbers(object.value(QLatin1String("counters")).toObject());
    return kernel;
}

SizeTiming sizeTiming(const QJsonObject &object)
{
    SizeTiming timing;
    timing.name = text(object, "name");
    timing.weight = number(object, "weight");
    timing.time_us = number(object, "time_us");
    timing.interval = {number(object, "low_us"), number(object, "high_us")};
    for (const QJsonValue &sample : array(object, "samples_us"))
        timing.samples_us.append(sample.toDouble());
    timing.overBaseline = number(object, "over_baseline");
    timing.overBaselineInterval = {number(object, "over_baseline_low"), number(object, "over_baseline_high")};
    timing.host_us = number(object, "host_us");
    return timing;
}

} // namespace

std::function<void(const QJsonObject &)> progressOf(ProgressSink sink)
{
    return [sink = std::move(sink)](const QJsonObject &message) {
        if (!sink) return;
        const QString stage = text(message, "stage");
        const int done = int(number(message, "progress")), total = int(number(message, "total"));
        QString what = text(message, "text");
        if (what.isEmpty())
            what = done < total ? QStringLiteral("%1 %2 of %3").arg(stage).arg(done + 1).arg(total) : stage;
        sink({stage, done, total, what});
    };
}

void addWorkerAnswer(const QJsonObject &work, const QString &device, TimeKind kind, Evaluation &evaluation)
{
    if (const auto status = statusFromString(text(work, "status"))) evaluation.status = *status;
    for (const QJsonValue &value : array(work, "checks")) {
        const QJsonObject check = value.toObject();
        evaluation.checks.append({text(check, "name"), text(check, "outcome"), text(check, "detail")});
    }
    for (const QJsonValue &value : array(work, "findings"))
        evaluation.findings.append(finding(value.toObject()));
    for (const QJsonValue &value : array(work, "timings")) {
        evaluation.timings.append(sizeTiming(value.toObject()));
    }
    evaluation.profile.device = device;
    evaluation.profile.kind = toString(kind);
    evaluation.profile.launchCount = int(number(work, "launches"));
    for (const QJsonValue &value : array(work, "kernels"))
        evaluation.profile.kernels.append(kernelProfile(value.toObject()));
    evaluation.evidence = work.value(QLatin1String("evidence")).toObject();
    evaluation.log += text(work, "log");
}

} // namespace kernelskill
