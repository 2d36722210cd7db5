// SPDX-License-Identifier: Apache-2.0
// Integers as floats for another rounding after it: what does not fit is rounded to the neighbour whose last bit is one,
// which no rounding to fewer bits takes for a tie or a whole.
#pragma once

namespace kernelskill_narrow {

static __host__ __device__ __forceinline__ float odd(unsigned long long a)
{
    if (a < (1ull << 24)) return static_cast<float>(a);
    const int dropped = 40 - __builtin_clzll(a);
    const unsigned long long kept = (a >> dropped) | ((a & ((1ull << dropped) - 1)) != 0 ? 1u : 0u);
    return static_cast<float>(kept) * __builtin_bit_cast(float, static_cast<unsigned>(127 + dropped) << 23);
}
static __host__ __device__ __forceinline__ float odd(long long a)
{
    return a < 0 ? -odd(0ull - static_cast<unsigned long long>(a)) : odd(static_cast<unsigned long long>(a));
}
static __host__ __device__ __forceinline__ float odd(int a)
{
    return odd(static_cast<long long>(a));
}
static __host__ __device__ __forceinline__ float odd(unsigned int a)
{
    return odd(static_cast<unsigned long long>(a));
}

} // namespace kernelskill_narrow
