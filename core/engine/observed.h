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
[[nodiscard]] QJsonArray toJson(const QList<ObservedChange> &changes);

} // namespace kernelskill
