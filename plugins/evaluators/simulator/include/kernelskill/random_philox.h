// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10: ten rounds of multiplication over a counter of 128 bits, keyed by the seed.
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

struct curandStatePhilox4_32_10
{
    unsigned long long counterLow, counterHigh;
    uint2 key;
    uint4 output;      // of the counter
    unsigned int used; // of the output
    bool hasNormal, hasNormalDouble;
    float normal;
    double normalDouble;

    __device__ void seed(unsigned long long seed)
    {
        key = {static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32)};
        counterLow = counterHigh = 0;
        used = 0;
        output = compute();
    }
    __device__ void skip(unsigned long long count)
    {
        used += static_cast<unsigned int>(count & 3);
        advance(count / 4 + (used >> 2));
        used &= 3;
    }
    __device__ void skipSequences(unsigned long long count)
    {
        counterHigh += count;
        output = compute();
    }
    __device__ unsigned int next()
    {
        const unsigned int value = used == 0 ? output.x : used == 1 ? output.y : used == 2 ? output.z : output.w;
        if (++used == 4) {
            advance(1);
            used = 0;
        }
        return value;
    }
    __device__ uint4 four()
    {
        const uint4 now = output;
        advance(1);
        const uint4 then = output;
        switch (used) {
        case 0:
            return now;
        case 1:
            return {now.y, now.z, now.w, then.x};
        case 2:
            return {now.z, now.w, then.x, then.y};
        default:
            return {now.w, then.x, then.y, then.z};
        }
    }

private:
    __device__ void advance(unsigned long long count)
    {
        counterLow += count;
        if (counterLow < count) ++counterHigh;
        output = compute();
    }
    __device__ uint4 compute() const
    {
        uint4 c{static_cast<unsigned int>(counterLow), static_cast<unsigned int>(counterLow >> 32),
                static_cast<unsigned int>(counterHigh), static_cast<unsigned int>(counterHigh >> 32)};
        uint2 k = key;
#pragma unroll
        for (int round = 0; round < 10; ++round) {
            const unsigned int low0 = 0xd2511f53u * c.x, high0 = __umulhi(0xd2511f53u, c.x);
            const unsigned int low1 = 0xcd9e8d57u * c.z, high1 = __umulhi(0xcd9e8d57u, c.z);
            c = {high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0};
            k.x += 0x9e3779b9u;
            k.y += 0xbb67ae85u;
        }
        return c;
    }
};
__device__ inline unsigned int curand(curandStatePhilox4_32_10 *state)
{
    return state->next();
}

#pragma clang attribute pop
