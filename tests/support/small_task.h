// SPDX-License-Identifier: Apache-2.0
// A task that costs next to nothing: y = 2 x.
#pragma once

#include "task/task.h"

namespace kernelskill::test {

// Written to `folder` and read from there. `judged`: it has a check.cpp, which takes anything but text that begins with
// "bad".
[[nodiscard]] Task smallTask(const QString &folder, bool judged = false);

} // namespace kernelskill::test
