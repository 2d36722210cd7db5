// SPDX-License-Identifier: Apache-2.0
// What one call of the entry point does on the host: which kernels it launches, how often, and whether a graph can
// capture it.
#pragma once

#include "features/kernel_facts.h"

namespace kernelskill::expert {

struct LaunchedKernel
{
    const CodeFunction *kernel = nullptr;
    KernelBinding binding;
};

struct HostFacts
{
    int launches = 0; // along the longest path; branches count once, a launch in a loop counts as two
    std::vector<LaunchedKernel> kernels;
    bool isCapturable = true;
    bool guardsAlignment = false; // decides by a remainder or by the low bits of an address
};

[[nodiscard]] HostFacts hostFactsOf(const CodeProgram &program, const QString &entry);

} // namespace kernelskill::expert
