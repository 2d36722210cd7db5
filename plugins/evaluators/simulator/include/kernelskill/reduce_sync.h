// SPDX-License-Identifier: Apache-2.0
// The compiler's intrinsics, but for the reductions over a warp: clang 19's pass mask and value the wrong way round.
#pragma once

#define __reduce_add_sync __ks_swapped_add
#define __reduce_min_sync __ks_swapped_min
#define __reduce_max_sync __ks_swapped_max
#define __reduce_or_sync __ks_swapped_or
#define __reduce_and_sync __ks_swapped_and
#define __reduce_xor_sync __ks_swapped_xor
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_or_sync
#undef __reduce_and_sync
#undef __reduce_xor_sync

#define KS_REDUCE(name, instruction, type)                                                                             \
    static __device__ __forceinline__ type name(unsigned int mask, type value)                                         \
    {                                                                                                                  \
        type result;                                                                                                   \
        asm volatile("redux.sync." instruction " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));                 \
        return result;                                                                                                 \
    }
KS_REDUCE(__reduce_add_sync, "add.s32", int)
KS_REDUCE(__reduce_add_sync, "add.u32", unsigned int)
KS_REDUCE(__reduce_min_sync, "min.s32", int)
KS_REDUCE(__reduce_min_sync, "min.u32", unsigned int)
KS_REDUCE(__reduce_max_sync, "max.s32", int)
KS_REDUCE(__reduce_max_sync, "max.u32", unsigned int)
KS_REDUCE(__reduce_or_sync, "or.b32", unsigned int)
KS_REDUCE(__reduce_and_sync, "and.b32", unsigned int)
KS_REDUCE(__reduce_xor_sync, "xor.b32", unsigned int)
#undef KS_REDUCE
