// SPDX-License-Identifier: Apache-2.0
// What a skill promised of the counters against what they show. Pure.
#pragma once

#include "agent/roles.h"
#include "session/trajectory.h"

#include <QJsonArray>

namespace kernelskill {

// One entry a promise, in their order, of the candidates as a whole (Profile::metric).
[[nodiscard]] QList<ObservedChange> observedChanges(const QList<MetricPromise> &promises, const Profile &before,
                                                    const Profile &after);
// The same of what a person predicted: `promised` says "lower", "same" or "higher", `kept` whether it did.
[[nodiscard]] QList<ObservedChange> predictedChanges(const Prediction &prediction, const Profile &before, const Profile &after);
[[nodiscard]] QJsonArray toJson(const QList<ObservedChange> &changes);

} // namespace kernelskill
