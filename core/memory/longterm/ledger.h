// SPDX-License-Identifier: Apache-2.0
// What applying a skill did: one entry an application, and its sums for ranking.
#pragma once

#include "evaluation/evaluation.h"

#include <QDateTime>
#include <QJsonObject>
#include <QString>

namespace kernelskill {

// One application of a skill. Keyed (session, node): recording it twice changes nothing.
struct LedgerEntry
{
    QString session; // session id (from its file), not a path
    int node = 0;
    QString task;
    QString skill;
    int revision = 1;
    QString method;
    QString architecture; // "sm_90"
    QString bottleneck;   // id
    QString structure;    // "S3"
    QString verdict;
    double logSpeedup = 0; // ln(time base / time node); 0 when not verified
    Interval interval;     // of the speedup
    QJsonObject observed;
    QDateTime when;
    QString kind;         // "measured" or "modelled" (toString(TimeKind)); empty in entries of older programs
    QJsonObject promised; // what the plan promised, as the plan has it
    QString sessionPath;  // where the session's file was seen last; empty: unknown
};

struct SkillTally
{
    int uses = 0, wins = 0, losses = 0; // a win: verified and the interval above 1
    double sumLogSpeedup = 0, sumSquaredLogSpeedup = 0;

    SkillTally &operator+=(const SkillTally &other)
    {
        uses += other.uses;
        wins += other.wins;
        losses += other.losses;
        sumLogSpeedup += other.sumLogSpeedup;
        sumSquaredLogSpeedup += other.sumSquaredLogSpeedup;
        return *this;
    }
};

// What ranking needs, per (skill, architecture, bottleneck, structure) and in total. A session copies it at its start.
struct SkillStatistics
{
    QString skill, architecture, bottleneck, structure;
    int uses = 0, wins = 0, losses = 0; // a win: verified and the interval above 1
    double sumLogSpeedup = 0, sumSquaredLogSpeedup = 0;
    // Of the above, those whose times were measured on a GPU and those a model gave. Entries of older programs are in
    // neither.
    SkillTally measured{}, modelled{};
};

} // namespace kernelskill
