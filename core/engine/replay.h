// SPDX-License-Identifier: Apache-2.0
// The settings with which a recorded session is played again.
#pragma once

#include "engine/run_settings.h"
#include "session/recording.h"

namespace kernelskill {

inline constexpr auto replayAgent = "replay"; // plugin id

// As recorded, but for the cast, and with a memory that learns nothing: a step played again is no new evidence. `speed`:
// "max", or so many times the recorded pace.
[[nodiscard]] Result<RunSettings> replaySettings(const QString &sessionPath, const QString &speed);

} // namespace kernelskill
