// SPDX-License-Identifier: Apache-2.0
// What an evaluator says of one candidate: status, verdict with its evidence, times, profile, findings.
#pragma once

#include "profile/profile.h"

#include <QJsonObject>
#include <QList>
#include <QMap>
#include <QString>

#include <array>
#include <optional>

namespace kernelskill {

enum class Status { Ok, BuildFailed, Timeout, Crashed, Wrong };
enum class Verdict { Verified, Unproven, Suspect, Wrong, Failed };
enum class TimeKind { Measured, Modelled };

[[nodiscard]] QString toString(Status status);   // "ok", "build_failed", …
[[nodiscard]] QString toString(Verdict verdict); // "verified", …
[[nodiscard]] QString toString(TimeKind kind);   // "measured", "modelled"
[[nodiscard]] std::optional<Status> statusFromString(const QString &text);
[[nodiscard]] std::optional<Verdict> verdictFromString(const QString &text);
[[nodiscard]] TimeKind timeKindFromString(const QString &text); // anything but "measured" is modelled

struct Check
{
    QString name;    // "build", "outputs rows=7 cols=515 seed 1", "inputs unmodified", "findings", …
    QString outcome; // "passed", "failed", "not made"
    QString detail;
};

struct Finding
{
    QString kind; // "out_of_bounds", "race", "compile_error", "timeout", "sandbox", …
    QString kernel;
    QString file; // the candidate's own path when it is one of its files
    int line = 0;
    std::array<qint64, 3> block{0, 0, 0}, thread{0, 0, 0};
    bool hasPlace = false; // block and thread are meant
    quint64 address = 0;
    QString message;
};

struct Interval
{
    double low = 0, high = 0;
    friend bool operator==(const Interval &, const Interval &) = default;
};

struct SizeTiming
{
    QString name;
    double weight = 1;
    double time_us = 0;
    Interval interval; // 95 %
    QList<double> samples_us;
    // Where the evaluator timed the task's baseline in turn with the candidate: the baseline's time over the candidate's,
    // with its 95 % interval. What slows both alike cancels. 0: not measured.
    double overBaseline = 0;
    Interval overBaselineInterval{0, 0};
    double host_us = 0; // wall clock of one call among many in a row, launches included. 0: not measured
};

struct Evaluation
{
    Status status = Status::Ok;
    Verdict verdict = Verdict::Unproven;
    TimeKind kind = TimeKind::Modelled;
    QList<Check> checks;
    QList<SizeTiming> timings; // one per TimeSize, empty when nothing was timed
    Profile profile;           // at the first time size
    QList<Finding> findings;
    QString log;               // compiler and program output, capped
    QMap<QString, QString> artefacts; // "ptx", "sass" → text
    QJsonObject manifest;      // compiler, device, versions, digests
    QJsonObject evidence;      // what the verdict rests on beyond the checks: clocks, temperature, precision, wall clock

    [[nodiscard]] bool isUsable() const { return verdict == Verdict::Verified || verdict == Verdict::Unproven; }
    [[nodiscard]] std::optional<double> time_us() const;   // weighted geometric mean over sizes
    [[nodiscard]] std::optional<Interval> interval() const;
    [[nodiscard]] QJsonObject toJson() const; // formats.md, `evaluate --json`, plus what a session keeps
    [[nodiscard]] static Evaluation fromJson(const QJsonObject &object);
};

struct Speedup
{
    double value = 1;
    Interval interval{1, 1};
    TimeKind kind = TimeKind::Modelled;
    [[nodiscard]] bool touchesOne() const { return interval.low <= 1 && interval.high >= 1; }
};

// Time of `before` over time of `after`: weighted geometric mean over sizes of the same name. Empty without times. Where
// both were timed in turn with the same baseline, the ratio of their speedups over it, so that what the machine did
// between the two evaluations cancels.
// The interval combines both in log space (independent errors).
[[nodiscard]] std::optional<Speedup> speedup(const Evaluation &before, const Evaluation &after);

} // namespace kernelskill
