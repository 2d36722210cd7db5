// SPDX-License-Identifier: Apache-2.0
// The compiler's intrinsics header includes a file of this name for the match functions.
#pragma once

#define KS_DEVICE static __device__ __forceinline__
#define KS_MATCH(type, width, as)                                                                                      \
    KS_DEVICE unsigned int __match_any_sync(unsigned int mask, type value)                                             \
    {                                                                                                                  \
        return __match##width##_any_sync(mask, __builtin_bit_cast(as, value));                                         \
    }                                                                                                                  \
    KS_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int *predicate)                             \
    {                                                                                                                  \
        return __match##width##_all_sync(mask, __builtin_bit_cast(as, value), predicate);                              \
    }
KS_MATCH(int, 32, unsigned int)
KS_MATCH(unsigned int, 32, unsigned int)
KS_MATCH(float, 32, unsigned int)
KS_MATCH(long, 64, unsigned long)
KS_MATCH(unsigned long, 64, unsigned long)
KS_MATCH(long long, 64, unsigned long long)
KS_MATCH(unsigned long long, 64, unsigned long long)
KS_MATCH(double, 64, unsigned long long)
#undef KS_MATCH
KS_DEVICE void __nanosleep(unsigned int nanoseconds)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}
#undef KS_DEVICE
