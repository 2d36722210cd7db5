// SPDX-License-Identifier: Apache-2.0
#include "retrieval/ranking.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kernelskill {

namespace {

constexpr double priorUses = 3;           // of each shrinkage
constexpr double usualLogSpeedup = 0.05;  // most legal methods gain a little
constexpr double usesBehindTheUsual = 10; // applications after which the ledger's own mean outweighs it
constexpr double exploration = 0.10;      // in ln speedup

// Rows of another GPU, bottleneck or structure say something, but less.
double likeness(const SkillStatistics &row, const RankingContext &context)
{
    double weight = 1;
    if (row.architecture != context.architecture) weight *= 0.3;
    if (row.bottleneck != context.bottleneck) weight *= 0.4;
    if (row.structure != context.structure) weight *= 0.5;
    return weight;
}

} // namespace

RankingStatistics::RankingStatistics() : RankingStatistics(QList<SkillStatistics>()) {}

RankingStatistics::RankingStatistics(const QList<SkillStatistics> &rows)
{
    auto data = std::make_shared<Data>();
    data->rows = rows;
    // Sums of floating-point numbers depend on their order: it must not come from how the rows happen to be given.
    std::ranges::stable_sort(data->rows, {}, [](const SkillStatistics &row) {
        return std::tie(row.skill, row.architecture, row.bottleneck, row.structure);
    });
    double uses = 0, sum = 0;
    for (qsizetype i = 0; i < data->rows.size(); ++i) {
        const SkillStatistics &row = data->rows[i];
        data->bySkill[row.skill].append(i);
        uses += row.uses;
        sum += row.sumLogSpeedup;
    }
    data->mean = (sum + usesBehindTheUsual * usualLogSpeedup) / (uses + usesBehindTheUsual);
    m_data = std::move(data);
}

QList<SkillStatistics> RankingStatistics::rowsOf(const QString &skill) const
{
    QList<SkillStatistics> result;
    for (const qsizetype i : m_data->bySkill.value(skill))
        result.append(m_data->rows[i]);
    return result;
}

double Expectation::speedup() const
{
    return std::exp(logSpeedup);
}

Expectation expectation(const QString &skill, const RankingStatistics &statistics, const RankingContext &context)
{
    Expectation result;
    double likeUses = 0, likeSum = 0, exactUses = 0, exactSum = 0;
    for (const SkillStatistics &row : statistics.rowsOf(skill)) {
        const double weight = likeness(row, context);
        if (weight == 1) {
            exactUses += row.uses;
            exactSum += row.sumLogSpeedup;
        } else {
            likeUses += weight * row.uses;
            likeSum += weight * row.sumLogSpeedup;
        }
        result.uses += row.uses;
        if (row.architecture == context.architecture) result.usesHere += row.uses;
    }
    const double elsewhere = (likeSum + priorUses * statistics.meanLogSpeedup()) / (likeUses + priorUses);
    result.logSpeedup = (exactSum + priorUses * elsewhere) / (exactUses + priorUses);
    result.usesExactly = int(exactUses);
    result.likeUses = exactUses + likeUses;
    return result;
}

double explorationBonus(double likeUses, double likeUsesOfAll)
{
    return exploration * std::sqrt(std::log1p(likeUsesOfAll) / (likeUses + 1));
}

} // namespace kernelskill
