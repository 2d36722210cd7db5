// SPDX-License-Identifier: Apache-2.0
// Copies from global to shared memory that a group makes together and waits for.
#pragma once

#include "../cooperative_groups.h"
#include "../kernelskill/async_copy.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

template <class Group, class T>
static __device__ __forceinline__ void memcpy_async(const Group &group, T *to, const T *from, size_t bytes)
{
    kernelskill_copy::together(static_cast<unsigned>(group.thread_rank()), static_cast<unsigned>(group.size()), to,
                               from, bytes);
    kernelskill_copy::commit();
}
template <class Group, class T>
static __device__ __forceinline__ void memcpy_async(const Group &group, T *to, size_t toElements, const T *from,
                                                    size_t fromElements)
{
    memcpy_async(group, to, from, (toElements < fromElements ? toElements : fromElements) * sizeof(T));
}
template <class Group> static __device__ __forceinline__ void wait(const Group &group)
{
    kernelskill_copy::waitForAll();
    group.sync();
}
template <unsigned int Prior, class Group> static __device__ __forceinline__ void wait_prior(const Group &group)
{
    kernelskill_copy::waitPrior(Prior);
    group.sync();
}

} // namespace cooperative_groups

#pragma clang attribute pop
