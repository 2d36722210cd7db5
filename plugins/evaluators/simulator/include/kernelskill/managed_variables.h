// SPDX-License-Identifier: Apache-2.0
// Tells the run time where this library's managed variables lie: between two symbols that the linker makes when there
// are any. Part of every translation unit; it does nothing in one without them.
#pragma once

#if defined(__CUDA__) && !defined(__CUDA_ARCH__)
extern "C" {
extern char __start_kernelskill_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_kernelskill_managed[] __attribute__((weak, visibility("hidden")));
void __kernelskillManagedVariables(const void *begin, const void *end);
}
static const bool __kernelskillManagedKnown =
    (__start_kernelskill_managed
         ? __kernelskillManagedVariables(__start_kernelskill_managed, __stop_kernelskill_managed)
         : void(),
     true);
#endif
