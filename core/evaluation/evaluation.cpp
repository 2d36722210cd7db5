// SPDX-License-Identifier: Apache-2.0
#include "evaluation/evaluation.h"

#include <QJsonArray>

#include <cmath>

namespace kernelskill {

namespace {

template <class Enum> struct Name
{
    Enum value;
    const char16_t *text;
};

constexpr Name<Status> statusNames[] = {{Status::Ok, u"ok"},
                                        {Status::BuildFailed, u"build_failed"},
                                        {Status::Timeout, u"timeout"},
                                        {Status::Crashed, u"crashed"},
                                        {Status::Wrong, u"wrong"}};
constexpr Name<Verdict> verdictNames[] = {{Verdict::Verified, u"verified"},
                                          {Verdict::Unproven, u"unproven"},
                                          {Verdict::Suspect, u"suspect"},
                                          {Verdict::Wrong, u"wrong"},
                                          {Verdict::Failed, u"failed"}};

template <class Enum, size_t N> QString nameOf(const Name<Enum> (&names)[N], Enum value)
{
    for (const Name<Enum> &name : names)
        if (name.value == value) return QString::fromUtf16(name.text);
    return {};
}

template <class Enum, size_t N> std::optional<Enum> valueOf(const Name<Enum> (&names)[N], const QString &text)
{
    for (const Name<Enum> &name : names)
        if (text == QStringView(name.text)) return name.value;
    return std::nullopt;
}

QJsonArray toJson(const Interval &interval) { return {interval.low, interval.high}; }

Interval intervalFromJson(const QJsonValue &value)
{
    const QJsonArray array = value.toArray();
    return array.size() == 2 ? Interval{array[0].toDouble(), array[1].toDouble()} : Interval{};
}

QJsonArray toJson(const std::array<qint64, 3> &place) { return {place[0], place[1], place[2]}; }

std::array<qint64, 3> placeFromJson(const QJsonValue &value)
{
    std::array<qint64, 3> place{0, 0, 0};
    const QJsonArray array = value.toArray();
    for (int i = 0; i < 3 && i < array.size(); ++i) place[size_t(i)] = array[i].toInteger();
    return place;
}

QJsonObject toJson(const Finding &finding)
{
    QJsonObject object{{QStringLiteral("kind"), finding.kind},
                       {QStringLiteral("kernel"), finding.kernel},
                       {QStringLiteral("file"), finding.file},
                       {QStringLiteral("line"), finding.line},
                       {QStringLiteral("message"), finding.message}};
    if (finding.hasPlace) {
        object.insert(QStringLiteral("block"), toJson(finding.block));
        object.insert(QStringLiteral("thread"), toJson(finding.thread));
    }
    // As text: JSON numbers are doubles, and an address needs all of its 64 bits.
    if (finding.address != 0)
        object.insert(QStringLiteral("address"), QStringLiteral("0x%1").arg(finding.address, 0, 16));
    return object;
}

Finding findingFromJson(const QJsonObject &object)
{
    Finding finding;
    finding.kind = object.value(u"kind").toString();
    finding.kernel = object.value(u"kernel").toString();
    finding.file = object.value(u"file").toString();
    finding.line = object.value(u"line").toInt();
    finding.hasPlace = object.contains(u"block");
    finding.block = placeFromJson(object.value(u"block"));
    finding.thread = placeFromJson(object.value(u"thread"));
    const QJsonValue address = object.value(u"address");
    finding.address = address.isString() ? address.toString().toULongLong(nullptr, 0) : quint64(address.toInteger());
    finding.message = object.value(u"message").toString();
    return finding;
}

QJsonObject toJson(const SizeTiming &timing)
{
    QJsonArray samples;
    for (double sample : timing.samples_us) samples.append(sample);
    QJsonObject object{{QStringLiteral("name"), timing.name},
                       {QStringLiteral("weight"), timing.weight},
                       {QStringLiteral("time_us"), timing.time_us},
                       {QStringLiteral("interval"), toJson(timing.interval)},
                       {QStringLiteral("samples_us"), samples}};
    if (timing.overBaseline > 0) {
        object.insert(QStringLiteral("over_baseline"), timing.overBaseline);
        object.insert(QStringLiteral("over_baseline_interval"), toJson(timing.overBaselineInterval));
    }
    if (timing.host_us > 0) object.insert(QStringLiteral("host_us"), timing.host_us);
    return object;
}

SizeTiming timingFromJson(const QJsonObject &object)
{
    SizeTiming timing;
    timing.name = object.value(u"name").toString();
    timing.weight = object.value(u"weight").toDouble(1);
    timing.time_us = object.value(u"time_us").toDouble();
    timing.interval = intervalFromJson(object.value(u"interval"));
    const QJsonArray samples = object.value(u"samples_us").toArray();
    for (const QJsonValue &sample : samples) timing.samples_us.append(sample.toDouble());
    timing.overBaseline = object.value(u"over_baseline").toDouble();
    timing.overBaselineInterval = intervalFromJson(object.value(u"over_baseline_interval"));
    timing.host_us = object.value(u"host_us").toDouble();
    return timing;
}

bool isTimed(const SizeTiming &timing) { return timing.time_us > 0 && timing.weight > 0; }

// A value with the distances in log space to the ends of its interval; an interval that does not hold the value, or none,
// counts as exact.
struct LogValue
{
    double value = 0, below = 0, above = 0;
};

LogValue logOf(double value, const Interval &interval)
{
    return {std::log(value), interval.low > 0 ? std::max(0.0, std::log(value / interval.low)) : 0.0,
            interval.high > 0 ? std::max(0.0, std::log(interval.high / value)) : 0.0};
}

LogValue logTime(const SizeTiming &timing) { return logOf(timing.time_us, timing.interval); }

LogValue logOverBaseline(const SizeTiming &timing) { return logOf(timing.overBaseline, timing.overBaselineInterval); }

// Of two independent values: the ratio is low when the numerator is low and the denominator high.
LogValue quotient(const LogValue &numerator, const LogValue &denominator)
{
    return {numerator.value - denominator.value, std::hypot(numerator.below, denominator.above),
            std::hypot(numerator.above, denominator.below)};
}

// Sum over sizes of weight × log ratio, with independent errors to each side.
struct LogMean
{
    double weight = 0, sum = 0, belowSquared = 0, aboveSquared = 0;

    void add(double w, const LogValue &one)
    {
        weight += w;
        sum += w * one.value;
        belowSquared += w * w * one.below * one.below;
        aboveSquared += w * w * one.above * one.above;
    }
    [[nodiscard]] double value() const { return std::exp(sum / weight); }
    [[nodiscard]] Interval interval() const
    {
        return {std::exp((sum - std::sqrt(belowSquared)) / weight), std::exp((sum + std::sqrt(aboveSquared)) / weight)};
    }
};

LogMean meanOf(const QList<SizeTiming> &timings)
{
    LogMean mean;
    for (const SizeTiming &timing : timings)
        if (isTimed(timing)) mean.add(timing.weight, logTime(timing));
    return mean;
}

// The candidate's counters (Profile::metric), flat, for people and scripts that want one row.
QJsonObject headlineMetrics(const Profile &profile)
{
    QJsonObject metrics;
    if (profile.isEmpty()) return metrics;
    for (const QString &name : profile.deciding()->metrics.keys()) {
        const auto value = profile.metric(name);
        if (value && std::isfinite(*value)) metrics.insert(name, *value);
    }
    metrics.insert(QStringLiteral("kernel_launch_count"), profile.launchCount);
    return metrics;
}

} // namespace

QString toString(Status status) { return nameOf(statusNames, status); }

QString toString(Verdict verdict) { return nameOf(verdictNames, verdict); }

QString toString(TimeKind kind)
{
    return kind == TimeKind::Measured ? QStringLiteral("measured") : QStringLiteral("modelled");
}

std::optional<Status> statusFromString(const QString &text) { return valueOf(statusNames, text); }

std::optional<Verdict> verdictFromString(const QString &text) { return valueOf(verdictNames, text); }

TimeKind timeKindFromString(const QString &text)
{
    return text == u"measured" ? TimeKind::Measured : TimeKind::Modelled;
}

std::optional<double> Evaluation::time_us() const
{
    const LogMean mean = meanOf(timings);
    if (mean.weight <= 0) return std::nullopt;
    return mean.value();
}

std::optional<Interval> Evaluation::interval() const
{
    const LogMean mean = meanOf(timings);
    if (mean.weight <= 0) return std::nullopt;
    return mean.interval();
}

QJsonObject Evaluation::toJson() const
{
    QJsonArray checkArray, findingArray, timingArray;
    for (const Check &check : checks)
        checkArray.append(QJsonObject{{QStringLiteral("name"), check.name},
                                      {QStringLiteral("outcome"), check.outcome},
                                      {QStringLiteral("detail"), check.detail}});
    for (const Finding &finding : findings) findingArray.append(kernelskill::toJson(finding));
    for (const SizeTiming &timing : timings) timingArray.append(kernelskill::toJson(timing));
    QJsonObject artefactObject;
    for (auto it = artefacts.cbegin(); it != artefacts.cend(); ++it) artefactObject.insert(it.key(), it.value());

    const std::optional<double> time = time_us();
    const std::optional<Interval> range = interval();
    return {{QStringLiteral("status"), toString(status)},
            {QStringLiteral("verdict"), toString(verdict)},
            {QStringLiteral("kind"), toString(kind)},
            {QStringLiteral("checks"), checkArray},
            {QStringLiteral("time_us"), time ? QJsonValue(*time) : QJsonValue()},
            {QStringLiteral("interval"), range ? QJsonValue(kernelskill::toJson(*range)) : QJsonValue()},
            {QStringLiteral("metrics"), headlineMetrics(profile)},
            {QStringLiteral("findings"), findingArray},
            {QStringLiteral("log"), log},
            {QStringLiteral("timings"), timingArray},
            {QStringLiteral("profile"), profile.toJson()},
            {QStringLiteral("artefacts"), artefactObject},
            {QStringLiteral("manifest"), manifest},
            {QStringLiteral("evidence"), evidence}};
}

Evaluation Evaluation::fromJson(const QJsonObject &object)
{
    Evaluation evaluation;
    // A status or verdict that this program does not know must never read as success.
    evaluation.status = statusFromString(object.value(u"status").toString()).value_or(Status::Crashed);
    evaluation.verdict = verdictFromString(object.value(u"verdict").toString()).value_or(Verdict::Failed);
    evaluation.kind = timeKindFromString(object.value(u"kind").toString());
    const QJsonArray checkArray = object.value(u"checks").toArray();
    for (const QJsonValue &check : checkArray)
        evaluation.checks.append({check[u"name"].toString(), check[u"outcome"].toString(), check[u"detail"].toString()});
    const QJsonArray findingArray = object.value(u"findings").toArray();
    for (const QJsonValue &finding : findingArray) evaluation.findings.append(findingFromJson(finding.toObject()));
    const QJsonArray timingArray = object.value(u"timings").toArray();
    for (const QJsonValue &timing : timingArray) evaluation.timings.append(timingFromJson(timing.toObject()));
    evaluation.profile = Profile::fromJson(object.value(u"profile").toObject());
    evaluation.log = object.value(u"log").toString();
    const QJsonObject artefactObject = object.value(u"artefacts").toObject();
    for (auto it = artefactObject.begin(); it != artefactObject.end(); ++it)
        evaluation.artefacts.insert(it.key(), it.value().toString());
    evaluation.manifest = object.value(u"manifest").toObject();
    evaluation.evidence = object.value(u"evidence").toObject();
    return evaluation;
}

std::optional<Speedup> speedup(const Evaluation &before, const Evaluation &after)
{
    LogMean mean;
    for (const SizeTiming &slow : before.timings) {
        for (const SizeTiming &fast : after.timings) {
            if (slow.name != fast.name || !isTimed(slow) || !isTimed(fast)) continue;
            const bool sameYardstick = slow.overBaseline > 0 && fast.overBaseline > 0;
            mean.add(slow.weight, sameYardstick ? quotient(logOverBaseline(fast), logOverBaseline(slow))
                                                : quotient(logTime(slow), logTime(fast)));
            break;
        }
    }
    if (mean.weight <= 0) return std::nullopt;
    Speedup result;
    result.value = mean.value();
    result.interval = mean.interval();
    const bool measured = before.kind == TimeKind::Measured && after.kind == TimeKind::Measured;
    result.kind = measured ? TimeKind::Measured : TimeKind::Modelled;
    return result;
}

} // namespace kernelskill
