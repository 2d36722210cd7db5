// SPDX-License-Identifier: Apache-2.0
// What a skill is expected to gain, from the ledger's statistics.
#pragma once

#include "memory/longterm/skill_store.h"

#include <QList>
#include <QString>

namespace kernelskill {

struct RankingContext
{
    QString architecture; // "sm_90"
    QString bottleneck;   // of the chosen case
    QString structure;    // "S3"
};

struct Expectation
{
    double score = 0;   // expected ln speedup plus the exploration term
    double speedup = 1; // exp of the expectation alone
    int uses = 0;       // all rows of this skill
    int usesHere = 0;   // on this architecture
};

// Expected ln speedup of a skill: the mean over its rows, each weighted by how like the context it is, shrunk towards a
// small prior as if `priorUses` applications had given it; plus an exploration term that favours what was tried least.
// Without any statistics all skills score alike and the policy's order decides.
[[nodiscard]] Expectation expectation(const QString &skill, const QList<SkillStatistics> &statistics,
                                      const RankingContext &context);

} // namespace kernelskill
