// SPDX-License-Identifier: Apache-2.0
// Where the running program lies, also when the dynamic linker was started by hand to load it, as the start scripts of
// a bundle do (packaging/bundle): /proc/self/exe is the linker then.
#pragma once

#include <string>

namespace kernelskill::kit {

// Absolute; the place of the start script, in a bundle.
[[nodiscard]] std::string programFolder();

// Root of the bundle that the program runs from, empty outside one. Everything the program needs to run lies below it.
[[nodiscard]] std::string bundleFolder();

// The same from what the kernel says, for tests: the target of /proc/self/exe and the program's first argument.
[[nodiscard]] std::string programFolder(const std::string &executable, const std::string &firstArgument);
[[nodiscard]] std::string bundleFolder(const std::string &executable, const std::string &firstArgument);

} // namespace kernelskill::kit
