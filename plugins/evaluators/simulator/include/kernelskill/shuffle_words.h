// SPDX-License-Identifier: Apache-2.0
// Exchanges a value of any size between lanes, a word at a time.
#pragma once

namespace kernelskill_shuffle {

// `exchange` moves one word. The value must be trivially copyable.
template <class T, class Exchange> static __device__ __forceinline__ T words(T value, Exchange &&exchange)
{
    constexpr int count = (sizeof(T) + 3) / 4;
    int parts[count] = {};
    __builtin_memcpy(parts, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < count; ++i)
        parts[i] = exchange(parts[i]);
    __builtin_memcpy(&value, parts, sizeof(T));
    return value;
}

} // namespace kernelskill_shuffle
