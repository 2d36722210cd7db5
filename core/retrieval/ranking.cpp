// SPDX-License-Identifier: Apache-2.0
#include "retrieval/ranking.h"

#include <cmath>

namespace kernelskill {

namespace {

constexpr double priorUses = 3;
constexpr double priorLogSpeedup = 0.05; // most legal methods gain a little
constexpr double exploration = 0.10;     // weight of the exploration term, in ln speedup

// Rows of another GPU or bottleneck say something, but less.
double likeness(const SkillStatistics &row, const RankingContext &context)
{
    double weight = 1;
    if (row.architecture != context.architecture) weight *= 0.3;
    if (row.bottleneck != context.bottleneck) weight *= 0.4;
    if (row.structure != context.structure) weight *= 0.5;
    return weight;
}

} // namespace

Expectation expectation(const QString &skill, const QList<SkillStatistics> &statistics, const RankingContext &context)
{
    Expectation result;
    double uses = 0, sum = 0, usesOfAll = 0;
    for (const SkillStatistics &row : statistics) {
        const double weight = likeness(row, context);
        usesOfAll += weight * row.uses;
        if (row.skill != skill) continue;
        uses += weight * row.uses;
        sum += weight * row.sumLogSpeedup;
        result.uses += row.uses;
        if (row.architecture == context.architecture) result.usesHere += row.uses;
    }
    const double expected = (sum + priorUses * priorLogSpeedup) / (uses + priorUses);
    result.speedup = std::exp(expected);
    result.score = expected + exploration * std::sqrt(std::log1p(usesOfAll) / (uses + 1));
    return result;
}

} // namespace kernelskill
