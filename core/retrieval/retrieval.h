// SPDX-License-Identifier: Apache-2.0
// From evidence to allowed methods, deterministically, with every predicate on record.
#pragma once

#include "base/result.h"
#include "memory/longterm/skill.h"

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>
#include <QVariantMap>

namespace kernelskill {

enum class Truth { False, True, Unknown };
[[nodiscard]] QString toString(Truth truth); // "false", "true", "unknown"

struct PredicateTrace
{
    QString text;        // "dram_throughput_pct >= 80"
    Truth truth = Truth::Unknown;
    QVariantMap values;  // the fields it reads; an invalid QVariant is unknown
};

struct CaseTrace
{
    QString id;          // "memory_bandwidth.streaming"
    QString bottleneck;  // "memory_bandwidth"
    QString title;
    Truth truth = Truth::Unknown; // bottleneck signature ∧ tier ∧ structure ∧ conditions
    QList<PredicateTrace> predicates;
    QStringList allowed, forbidden; // methods
    bool chosen = false;
};

struct BottleneckTrace
{
    QString id, title;
    Truth truth = Truth::Unknown;
    QList<PredicateTrace> predicates;
};

struct RankedMethod
{
    QString method;  // "M3"; empty for a skill without number
    QString skill;
    double score = 0;
    bool pinned = false;
    bool unproven = false; // offered through a case with unknown conditions
    QString reason;  // in words: "pinned", "expected 1.42× from 7 uses on sm_90", "policy order 2"
};

// One kernel of the candidate. The one with most recoverable time decides, ties by order of launch.
struct KernelTrace
{
    QString name;
    double timeShare = 0;      // 0…1 of the candidate
    double duration_us = 0;    // all launches
    double recoverable_us = 0; // time above its own roofline
};

struct Retrieval
{
    QString kernel;        // the deciding one
    QList<KernelTrace> kernels; // all, most recoverable time first
    QVariantMap evidence;  // metrics, run fields, features, derived
    QString tier;          // "H", "M", "L", "unknown"
    QList<BottleneckTrace> bottlenecks;
    QList<CaseTrace> cases;
    QList<RankedMethod> allowed; // best first
    QStringList forbidden;       // methods
    QString explanation;         // one paragraph for a person
    bool fallback = false;       // only the fallback matched

    [[nodiscard]] const RankedMethod *find(const QString &method, const QString &skill) const;
    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static Retrieval fromJson(const QJsonObject &object);
};

} // namespace kernelskill
