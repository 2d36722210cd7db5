// SPDX-License-Identifier: Apache-2.0
// How numbers are written, in one place: narrow no-break space before a unit and between thousands, true minus,
// × for speedups. Pure functions.
#pragma once

#include "evaluation/evaluation.h"

#include <QString>

#include <optional>

namespace kernelskill::numbers {

inline constexpr char16_t narrowSpace = u'\u202F';
inline constexpr char16_t minusSign = u'\u2212';

// Grouped, with a fixed number of decimals: 1 214.5
[[nodiscard]] QString fixed(double value, int decimals);
// As many decimals as three significant figures need, trailing zeros kept: 0.62, 7.9, 58.8, 1 214
[[nodiscard]] QString plain(double value);
[[nodiscard]] QString withUnit(double value, const QString &unit); // plain value; % included
// A metric in the catalogue's unit: bytes and times scaled, counts grouped.
[[nodiscard]] QString metricValue(double value, const QString &unit);
[[nodiscard]] QString duration_us(double value); // 96.3 µs, 1 214 µs, 12.4 ms
[[nodiscard]] QString elapsed_s(double seconds); // 6:41
[[nodiscard]] QString money(double usd);         // $0.38
[[nodiscard]] QString bytes(double value);       // 4 B, 128 KiB

// Two decimals below 2, one below 100, none above.
[[nodiscard]] QString speedupValue(double value);        // 12.6×
[[nodiscard]] QString bounds(const Interval &interval);  // [11.2, 14.2]
[[nodiscard]] QString halfWidth(const Speedup &speedup); // ±1.6, the larger half
[[nodiscard]] QString kindShort(TimeKind kind);          // mod., meas.
// "12.6× [11.2, 14.2] modelled, verified": the only form in which a speedup leaves the window.
[[nodiscard]] QString speedupFull(const Speedup &speedup, const QString &verdict);

// "7.9 → 10.2", "no counter" for a missing side.
[[nodiscard]] QString change(std::optional<double> before, std::optional<double> after, const QString &unit = {});
// The same where room is short: no decimals from 10 on.
[[nodiscard]] QString compactChange(double before, double after, const QString &unit);
// "at most 40" → "≤ 40", "lower" → "lower"
[[nodiscard]] QString promise(const QString &text);

} // namespace kernelskill::numbers
