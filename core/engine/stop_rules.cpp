// SPDX-License-Identifier: Apache-2.0
#include "engine/stop_rules.h"

namespace kernelskill {

QString stopReason(const RunSettings &settings, const Trajectory &trajectory, const StopInput &input)
{
    const int done = trajectory.lastRound();
    if (done >= settings.rounds) return QStringLiteral("rounds");
    if (settings.budget.money_usd > 0 && trajectory.cost_usd >= settings.budget.money_usd)
        return QStringLiteral("money");
    if (settings.budget.tokens > 0 && trajectory.tokensIn + trajectory.tokensOut >= settings.budget.tokens)
        return QStringLiteral("tokens");
    if (settings.budget.calls > 0 && trajectory.llmCalls >= settings.budget.calls) return QStringLiteral("calls");
    if (settings.budget.time_s > 0 && input.elapsed_s >= settings.budget.time_s) return QStringLiteral("time");
    if (settings.rooflineFraction > 0 && input.rooflineFraction >= settings.rooflineFraction)
        return QStringLiteral("roofline");
    const TrajectoryNode *best = trajectory.node(trajectory.best);
    if (settings.plateauRounds > 0 && best && done - best->round >= settings.plateauRounds)
        return QStringLiteral("plateau");
    return {};
}

double rooflineFraction(const Profile &profile)
{
    double least_us = 0, spent_us = 0;
    for (const KernelProfile &kernel : profile.kernels) {
        least_us += kernel.roofline_us;
        spent_us += kernel.duration_us;
    }
    return spent_us > 0 ? least_us / spent_us : 0;
}

} // namespace kernelskill
