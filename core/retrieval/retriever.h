// SPDX-License-Identifier: Apache-2.0
// Applies a policy to evidence and ranks what it allows. Pure: the same inputs give the same Retrieval.
#pragma once

#include "profile/profile.h"
#include "retrieval/policy.h"
#include "retrieval/ranking.h"
#include "retrieval/retrieval.h"

namespace kernelskill {

enum class RetrievalMode { Policy, Random, All };

struct RetrievalInput
{
    const Policy *policy = nullptr;
    QList<Skill> skills;               // of the snapshot, states as of now
    RankingStatistics statistics;      // of the snapshot; empty when long-term memory is off
    Profile profile;
    QVariantMap features;
    QString architecture;
    QString language = QStringLiteral("cuda");
    RetrievalMode mode = RetrievalMode::Policy;
    quint64 seed = 1;
};

// Never empty while one active skill fits the language: every row reaches a case or the explained fallback.
[[nodiscard]] Result<Retrieval> retrieve(const RetrievalInput &input);

} // namespace kernelskill
