// SPDX-License-Identifier: Apache-2.0
// inclusive_scan() and exclusive_scan() over a part of a warp.
#pragma once

#include "../cooperative_groups.h"
#include "reduce.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

template <class Group, class T, class Operation>
static __device__ __forceinline__ T inclusive_scan(const Group &group, T value, Operation &&operation)
{
    const unsigned int rank = static_cast<unsigned>(group.thread_rank());
    for (unsigned int distance = 1; distance < group.num_threads(); distance *= 2) {
        const T before = group.shfl_up(value, distance);
        if (rank >= distance) value = operation(before, value);
    }
    return value;
}
template <class Group, class T> static __device__ __forceinline__ T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}
// The first thread's result is T().
template <class Group, class T, class Operation>
static __device__ __forceinline__ T exclusive_scan(const Group &group, T value, Operation &&operation)
{
    const T up = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? T() : up;
}
template <class Group, class T> static __device__ __forceinline__ T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#pragma clang attribute pop
