// SPDX-License-Identifier: Apache-2.0
// Where things are: resources and skills that ship with the program, and the user's own folders (XDG).
#pragma once

#include <QString>
#include <QStringList>

namespace kernelskill::paths {

// Folder with tasks/ gpus/ icons/ themes/ schema/. $KERNELSKILL_RESOURCES, else beside an installed program
// (<prefix>/share/kernelskill/resources), else the source tree the program was built from.
[[nodiscard]] QString resources();
[[nodiscard]] QString skills();          // $KERNELSKILL_SKILLS, else the same search
[[nodiscard]] QStringList pluginFolders(); // $KERNELSKILL_PLUGIN_PATH (colon list), else <program>/../plugins, <prefix>/lib/kernelskill/plugins
[[nodiscard]] QString dataFolder();      // memory.db and sessions/ live here: $XDG_DATA_HOME/kernelskill
[[nodiscard]] QString cacheFolder();     // $XDG_CACHE_HOME/kernelskill
[[nodiscard]] QString configFolder();    // $XDG_CONFIG_HOME/kernelskill
[[nodiscard]] QString sessionsFolder();  // dataFolder()/sessions
[[nodiscard]] QString executableFolder(); // the running program's own folder

// A helper program of ours ("kernelskill-reference-runner"): beside the running program, in <program>/../bin, in
// <prefix>/lib/kernelskill/bin, then on PATH. Empty when there is none.
[[nodiscard]] QString helperProgram(const QString &name);

} // namespace kernelskill::paths
