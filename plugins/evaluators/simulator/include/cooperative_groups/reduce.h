// SPDX-License-Identifier: Apache-2.0
// reduce(): one value of all threads of a part of a warp, at each of them.
#pragma once

#include "../cooperative_groups.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

#define KS_OPERATION(name, expression)                                                                                 \
    template <class T = void> struct name                                                                              \
    {                                                                                                                  \
        __host__ __device__ T operator()(T a, T b) const                                                               \
        {                                                                                                              \
            return expression;                                                                                         \
        }                                                                                                              \
    };                                                                                                                 \
    template <> struct name<void>                                                                                      \
    {                                                                                                                  \
        template <class T> __host__ __device__ T operator()(T a, T b) const                                            \
        {                                                                                                              \
            return expression;                                                                                         \
        }                                                                                                              \
    };
KS_OPERATION(plus, a + b)
KS_OPERATION(less, b < a ? b : a)
KS_OPERATION(greater, a < b ? b : a)
KS_OPERATION(bit_and, a &b)
KS_OPERATION(bit_or, a | b)
KS_OPERATION(bit_xor, a ^ b)
#undef KS_OPERATION

template <unsigned int Size, class Parent, class T, class Operation>
static __device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent> &tile, T value, Operation &&operation)
{
    if constexpr (Size > 32) {
        // Each warp's result to shared memory, then all of the tile's warps' for everybody.
        __shared__ __align__(16) unsigned char results[32 * sizeof(T)];
        auto *const of = reinterpret_cast<T *>(results);
        const thread_block_tile<32> warp;
        value = reduce(warp, value, operation);
        if (warp.thread_rank() == 0) of[warp.meta_group_rank()] = value;
        tile.sync();
        value = of[tile.meta_group_rank() * (Size / 32)];
        for (unsigned int i = 1; i < Size / 32; ++i)
            value = operation(value, of[tile.meta_group_rank() * (Size / 32) + i]);
        tile.sync();
    } else {
#pragma unroll
        for (unsigned int lanes = Size / 2; lanes > 0; lanes /= 2)
            value = operation(value, tile.shfl_xor(value, lanes));
    }
    return value;
}
// Of any number of lanes: halves of what is left, then the first one's result for all.
template <class T, class Operation>
static __device__ __forceinline__ T reduce(const coalesced_group &group, T value, Operation &&operation)
{
    const unsigned int rank = group.thread_rank();
    for (unsigned int left = group.size(); left > 1; left = (left + 1) / 2) {
        const unsigned int half = (left + 1) / 2;
        const T other = group.shfl_down(value, half);
        if (rank + half < left) value = operation(value, other);
    }
    return group.shfl(value, 0);
}
// Asynchronous forms change one value in memory; the order of the groups is not given.
template <class Group, class T, class Operation>
static __device__ __forceinline__ void reduce_store_async(const Group &group, T *to, T value, Operation &&operation)
{
    const T result = reduce(group, value, operation);
    if (group.thread_rank() == 0) *to = result;
}

} // namespace cooperative_groups

#pragma clang attribute pop
