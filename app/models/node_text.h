// SPDX-License-Identifier: Apache-2.0
// What a node says of itself, in the words all views share. A speedup is only ever given for a node whose time counts.
#pragma once

#include "session/trajectory.h"

#include <QString>

namespace kernelskill::node_text {

[[nodiscard]] bool hasSpeedup(const TrajectoryNode &node);                      // verified or unproven, and timed
[[nodiscard]] std::optional<Speedup> speedup(const TrajectoryNode &node);       // the baseline: 1, by definition
[[nodiscard]] QString headline(const TrajectoryNode &node);                     // "12.6×", or the state's word
[[nodiscard]] QString detail(const TrajectoryNode &node, const QString &stage); // "[11.2, 14.2] mod.", or why
[[nodiscard]] QString title(const TrajectoryNode &node);                        // "Vectorised loads"
[[nodiscard]] QString observation(const TrajectoryNode &node); // "DRAM throughput 80 → 83 %", "repair of 2"
// The same in two pieces, so that a narrow card can shorten the name and keep the figures.
struct Observation
{
    QString name, value;
};
[[nodiscard]] Observation observationParts(const TrajectoryNode &node);
[[nodiscard]] QString full(const TrajectoryNode &node); // "12.6× [11.2, 14.2] modelled, verified"
// Several lines: everything above, for tooltips and the clipboard.
[[nodiscard]] QString summary(const TrajectoryNode &node, const QString &stage);
[[nodiscard]] QString failedRepairs(const QList<int> &repairs); // "4 repairs failed: 6, 7, 8, 9"
// "vectorised-loads" → "Vectorised loads"
[[nodiscard]] QString titleOfSkill(const QString &name);

} // namespace kernelskill::node_text
