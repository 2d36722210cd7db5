// SPDX-License-Identifier: Apache-2.0
// What a skill is expected to gain, from the ledger's statistics.
#pragma once

#include "memory/longterm/skill_store.h"

#include <QHash>
#include <QList>
#include <QString>

#include <memory>

namespace kernelskill {

struct RankingContext
{
    QString architecture; // "sm_90"
    QString bottleneck;   // of the chosen case
    QString structure;    // "S3"
};

// The ledger's statistics, arranged once so that ranking touches only the rows of the skills it ranks. Cheap to copy.
class RankingStatistics
{
public:
    RankingStatistics();
    RankingStatistics(const QList<SkillStatistics> &rows); // implicit: it is the same thing, arranged
    RankingStatistics(std::initializer_list<SkillStatistics> rows) : RankingStatistics(QList<SkillStatistics>(rows)) {}

    [[nodiscard]] const QList<SkillStatistics> &rows() const { return m_data->rows; } // by skill and situation
    [[nodiscard]] QList<SkillStatistics> rowsOf(const QString &skill) const;
    // Mean ln speedup of an application of any skill anywhere; with few rows near what most methods gain, 0.05.
    [[nodiscard]] double meanLogSpeedup() const { return m_data->mean; }

private:
    struct Data
    {
        QList<SkillStatistics> rows;
        QHash<QString, QList<qsizetype>> bySkill;
        double mean = 0;
    };
    std::shared_ptr<const Data> m_data;
};

struct Expectation
{
    double logSpeedup = 0; // expected ln speedup
    double likeUses = 0;   // applications, each weighted by how like the context it is: what the expectation rests on
    int usesExactly = 0;   // same architecture, bottleneck and structure
    int usesHere = 0;      // on this architecture
    int uses = 0;          // anywhere
    [[nodiscard]] double speedup() const;
};

// Expected ln speedup of a skill here, as an empirical Bayes estimate in two steps. The skill's mean over situations that
// are only like this one is shrunk towards the mean of all skills; the mean in exactly this situation is shrunk towards
// that. Each step counts its target as `priorUses` applications, so a few uses move the expectation and many decide it.
[[nodiscard]] Expectation expectation(const QString &skill, const RankingStatistics &statistics,
                                      const RankingContext &context);

// What is added to the expectation of a skill that was tried little, in ln speedup, when the skills it competes with have
// `likeUsesOfAll` applications together: c·√(ln(1 + all) / (1 + own)), after UCB1 (Auer, Cesa-Bianchi, Fischer 2002).
// Nothing was tried: 0 for all, and the policy's order decides.
[[nodiscard]] double explorationBonus(double likeUses, double likeUsesOfAll);

} // namespace kernelskill
