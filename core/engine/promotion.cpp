// SPDX-License-Identifier: Apache-2.0
#include "engine/promotion.h"

#include <algorithm>

namespace kernelskill {

namespace {

constexpr double leastGain = 1.02;                            // of the interval's lower bound
constexpr double paperLeastRatio = 1.3, paperLeastRise = 0.3; // of the published rule

// The name of the first size that got slower than its limit allows; empty when none did.
QString regressedSize(const Evaluation &before, const Evaluation &after, const QList<TimeSize> &sizes)
{
    for (const SizeTiming &timing : after.timings) {
        const auto old = std::ranges::find(before.timings, timing.name, &SizeTiming::name);
        if (old == before.timings.end() || old->time_us <= 0) continue;
        const auto size = std::ranges::find(sizes, timing.name, &TimeSize::name);
        const double limit = size == sizes.end() ? TimeSize{}.maxRegression : size->maxRegression;
        // With a single size the overall speedup decides; the limit is for what a mean over several would hide.
        if (after.timings.size() > 1 && timing.time_us > limit * old->time_us) return timing.name;
    }
    return {};
}

bool exceedsPaperRule(const PromotionInput &input, const Speedup &step)
{
    if (step.value >= paperLeastRatio) return true;
    if (!input.baseline) return false;
    const auto candidate = speedup(*input.baseline, *input.candidate), base = speedup(*input.baseline, *input.base);
    return candidate && base && candidate->value - base->value >= paperLeastRise;
}

void decideBase(const PromotionInput &input, PromotionDecision &decision)
{
    const auto step = speedup(*input.base, *input.candidate);
    if (!step) {
        decision.reason = QStringLiteral("not timed");
        return;
    }
    const bool gained =
        input.rule == Promotion::Paper ? exceedsPaperRule(input, *step) : step->interval.low > leastGain;
    if (!gained) {
        decision.reason = step->touchesOne()        ? QStringLiteral("no change")
                          : step->interval.high < 1 ? QStringLiteral("slower than its base")
                                                    : QStringLiteral("the gain is too small for a new base");
        return;
    }
    if (const QString size = regressedSize(*input.base, *input.candidate, input.sizes); !size.isEmpty()) {
        decision.reason = QStringLiteral("size '%1' got slower than its limit allows").arg(size);
        return;
    }
    decision.base = true;
}

void decideBest(const PromotionInput &input, PromotionDecision &decision)
{
    if (input.best->verdict == Verdict::Verified && input.candidate->verdict != Verdict::Verified) return;
    const auto gain = speedup(*input.best, *input.candidate);
    decision.best =
        gain && gain->interval.low > 1 && regressedSize(*input.best, *input.candidate, input.sizes).isEmpty();
}

} // namespace

PromotionDecision decidePromotion(const PromotionInput &input)
{
    PromotionDecision decision;
    if (!input.candidate || !input.candidate->isUsable()) {
        decision.reason = QStringLiteral("did not pass its checks");
        return decision;
    }
    if (input.base)
        decideBase(input, decision);
    else
        decision.base = true;
    if (input.best)
        decideBest(input, decision);
    else
        decision.best = true;
    return decision;
}

} // namespace kernelskill
