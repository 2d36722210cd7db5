// SPDX-License-Identifier: Apache-2.0
// Short-term memory in words, for a prompt or a person, within a budget.
#pragma once

#include "memory/shortterm/attempts.h"

namespace kernelskill {

// Tokens a text costs, on the high side: models split English and code at about 4 characters a token, code at less.
[[nodiscard]] int estimatedTokens(const QString &text);

// One line an attempt, newest last, e.g. "node 4 on 2: memory-coalescing {"tile":32}: verified, 3.10×". Where they do not
// all fit in `tokenBudget`, the best attempt and the newest ones keep their lines and the others become counts by
// skill ("earlier: launch-tuning 3 tries, best 1.02×, 1 wrong"); where not even these fit, the counts are cut at the end,
// saying so. Never more than the budget; empty when nothing was tried or the budget is below 16.
[[nodiscard]] QString summarise(const Attempts &attempts, int tokenBudget);

} // namespace kernelskill
