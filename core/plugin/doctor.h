// SPDX-License-Identifier: Apache-2.0
// What this machine has for the program, what it lacks, and how to mend it: for the command line and the window.
#pragma once

#include "plugin/plugin_manager.h"

#include <QJsonObject>
#include <QList>

namespace kernelskill {

// One object a line: {"name", "ok", "text", "remedy"}, and "optional" where the program works without it. Asks the plugins,
// which may start programs: seconds.
[[nodiscard]] QList<QJsonObject> examine(PluginManager &plugins);

} // namespace kernelskill
