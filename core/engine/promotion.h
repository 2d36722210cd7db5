// SPDX-License-Identifier: Apache-2.0
// When a candidate becomes the base of the next rounds, and when it is the best so far. Pure.
#pragma once

#include "engine/run_settings.h"
#include "evaluation/evaluation.h"
#include "task/task.h"

namespace kernelskill {

struct PromotionInput
{
    const Evaluation *candidate = nullptr;
    const Evaluation *base = nullptr;     // null: none yet
    const Evaluation *best = nullptr;     // null: none yet
    const Evaluation *baseline = nullptr; // of the first seed; null when it was not timed
    QList<TimeSize> sizes;                // of the task, with their limits of regression
    Promotion rule = Promotion::Interval;
};

struct PromotionDecision
{
    bool base = false, best = false;
    QString reason; // why not the base, in words
};

// Interval: the lower bound of the speedup over the base exceeds 1.02. Paper: at least 1.3 times the base, or a speedup
// over the baseline that is 0.3 higher than the base's. Either way no size may be slower than its limit allows. The
// first usable candidate is both. Best follows any gain whose interval lies above 1; a verified best gives way to
// verified ones only.
[[nodiscard]] PromotionDecision decidePromotion(const PromotionInput &input);

} // namespace kernelskill
