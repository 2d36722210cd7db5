// SPDX-License-Identifier: Apache-2.0
// A policy with all its expressions prepared. Kept for each thread, so that retrieving one row costs well under 5 ms.
#pragma once

#include "retrieval/policy.h"
#include "retrieval/policy_evaluator.h"

#include <memory>
#include <vector>

namespace kernelskill {

// A condition that must hold, and the text a person reads.
struct CompiledPredicate
{
    int number = -1;
    QString text;
    QString expression; // as evaluated; the text of most
};

struct CompiledBottleneck
{
    std::vector<CompiledPredicate> predicates; // all of them must hold; the alternatives of `any` are one of them
};

struct CompiledCase
{
    qsizetype bottleneck = 0;                  // index in Policy::bottlenecks
    std::vector<CompiledPredicate> predicates; // tier, structure, conditions
};

struct CompiledPolicy
{
    std::unique_ptr<PolicyEvaluator> evaluator;
    std::vector<CompiledBottleneck> bottlenecks; // as Policy::bottlenecks
    std::vector<CompiledCase> cases;             // as Policy::cases
    std::vector<std::pair<QString, int>> tiers;  // H, M, L and their predicates
    int reuseSource = -1;

    [[nodiscard]] static Result<std::unique_ptr<CompiledPolicy>> compile(const Policy &policy);
    // The calling thread's; compiled at the first call for a digest.
    [[nodiscard]] static Result<CompiledPolicy *> cached(const Policy &policy);
};

// "" for an empty list; else the alternatives joined by OR.
[[nodiscard]] QString anyOf(const QStringList &alternatives);

// The first case that no row of evidence can satisfy; null when all can be reached.
[[nodiscard]] const PolicyCase *unreachableCase(const Policy &policy, CompiledPolicy &compiled);
// The first case for which an earlier one of its bottleneck always holds too, while those allow all that it allows.
[[nodiscard]] const PolicyCase *shadowedCase(const Policy &policy, CompiledPolicy &compiled);

} // namespace kernelskill
