// SPDX-License-Identifier: Apache-2.0
// The limits of a run in words: as a person writes them, and how far they are used up. Pure.
#pragma once

#include "base/result.h"
#include "engine/run_settings.h"
#include "session/trajectory.h"

namespace kernelskill::limits {

enum class Limit { Money, Tokens, Calls, Time };
[[nodiscard]] QList<Limit> all();
[[nodiscard]] QString title(Limit limit);   // "Money"
[[nodiscard]] QString example(Limit limit); // "$2.50", as it may be written
// The one that ended a run: "money", "tokens", "calls", "time".
[[nodiscard]] std::optional<Limit> thatEnded(const QString &endedBy);

// "2.50", "$0.5", "100k", "1.5M", "40", "30 min", "2 h", "1:30:00": in dollars, pieces or seconds. Empty text is none, 0.
// Errors: "limit.text" with what is expected.
[[nodiscard]] Result<double> parse(Limit limit, const QString &text);
// For reading: "$2.50", "200k", "40", "0:30".
[[nodiscard]] QString amount(Limit limit, double value);
// As parse reads it.
[[nodiscard]] QString text(Limit limit, double value);
[[nodiscard]] double valueIn(const Budget &budget, Limit limit);
void setIn(Budget &budget, Limit limit, double value);
// What a session has used: of time, the time its run took so far.
[[nodiscard]] double usedBy(const Trajectory &trajectory, Limit limit, double elapsed_s);

struct Use
{
    QString title, text; // "Tokens", "20.4k of 100k"
    double share = 0;    // 0…1; 0 without a limit
};
// What is worth showing: what has a limit, and what was spent.
[[nodiscard]] QList<Use> uses(const Trajectory &trajectory, double elapsed_s);
// "$0.38 of $5.00 · 20.4k tokens · 18 of 40 calls"; empty where no model was asked and nothing is limited.
[[nodiscard]] QString modelsLine(const Trajectory &trajectory);
// 812, 20.4k, 1.25M
[[nodiscard]] QString compact(qint64 count);

} // namespace kernelskill::limits
