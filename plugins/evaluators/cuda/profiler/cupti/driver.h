// SPDX-License-Identifier: Apache-2.0
// The few driver functions used, found in the libcuda that the process already has: nothing links to it.
#pragma once

#include <cuda.h>

namespace kernelskill::profiling {

struct Driver
{
    CUresult (*contextCurrent)(CUcontext *) = nullptr;
    CUresult (*contextDevice)(CUdevice *) = nullptr;
    CUresult (*contextSynchronize)() = nullptr;
    CUresult (*deviceAttribute)(int *, CUdevice_attribute, CUdevice) = nullptr;
    CUresult (*errorName)(CUresult, const char **) = nullptr;
};

const Driver &driver(); // throws Failure without libcuda.so.1

} // namespace kernelskill::profiling
