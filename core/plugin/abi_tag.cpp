// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_manager.h"

namespace kernelskill {

QString PluginManager::abiTag()
{
    // Made by packaging/cmake/WorkbenchPlugin.cmake, which writes the same text into each plugin's metadata.
    return QStringLiteral(KERNELSKILL_ABI);
}

} // namespace kernelskill
