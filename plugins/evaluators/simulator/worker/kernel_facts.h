// SPDX-License-Identifier: Apache-2.0
// What the worker must know of a kernel before it runs: whether its blocks talk to one another.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace kernelskill::simulator {

// Mangled names of the kernels in PTX text whose blocks may depend on other blocks of the same launch: a global atomic
// whose old value is used, a volatile, acquire or relaxed load of global memory, a store with release. Sampling such a
// kernel would show it a world it never sees, so all of its blocks run. Errs on the side of "may depend".
[[nodiscard]] std::set<std::string, std::less<>> communicatingKernels(std::string_view ptx);

} // namespace kernelskill::simulator
