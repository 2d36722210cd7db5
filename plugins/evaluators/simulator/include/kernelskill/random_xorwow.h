// SPDX-License-Identifier: Apache-2.0
// XORWOW: a xorshift generator of 160 bits with a Weyl sequence added.
#pragma once

#include "random_jumps.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

struct curandStateXORWOW
{
    unsigned int d, v[5];
    bool hasNormal, hasNormalDouble;
    float normal;
    double normalDouble;

    __device__ void seed(unsigned long long seed)
    {
        const unsigned int low = static_cast<unsigned int>(seed) ^ 0xaad26b49u;
        const unsigned int high = static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu;
        const unsigned int t0 = 1099087573u * low, t1 = 2591861531u * high;
        d = 6615241u + t1 + t0;
        v[0] = 123456789u + t0;
        v[1] = 362436069u ^ t0;
        v[2] = 521288629u + t1;
        v[3] = 88675123u ^ t1;
        v[4] = 5783321u + t0;
    }
    __device__ void step()
    {
        const unsigned int t = v[0] ^ (v[0] >> 2);
        v[0] = v[1];
        v[1] = v[2];
        v[2] = v[3];
        v[3] = v[4];
        v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
    }
    __device__ void skip(unsigned long long count)
    {
        d += weyl * static_cast<unsigned int>(count);
        jump(kernelskill_random::stepJumps, count);
    }
    // The Weyl sequence has come round many times over 2^67 steps.
    __device__ void skipSequences(unsigned long long count) { jump(kernelskill_random::sequenceJumps, count); }
    __device__ unsigned int next()
    {
        step();
        d += weyl;
        return v[4] + d;
    }

private:
    static constexpr unsigned int weyl = 362437;
    // The sum, over the polynomial's coefficients, of the state so many steps on.
    __device__ void jump(const unsigned int (&jumps)[64][5], unsigned long long count)
    {
        for (int k = 0; count != 0; ++k, count >>= 1) {
            if ((count & 1) == 0) continue;
            unsigned int sum[5] = {0, 0, 0, 0, 0};
            for (int word = 0; word < 5; ++word) {
                const unsigned int bits = jumps[k][word];
                for (int bit = 0; bit < 32; ++bit) {
                    const unsigned int taken = 0u - ((bits >> bit) & 1u);
                    for (int i = 0; i < 5; ++i)
                        sum[i] ^= v[i] & taken;
                    step();
                }
            }
            for (int i = 0; i < 5; ++i)
                v[i] = sum[i];
        }
    }
};
__device__ inline unsigned int curand(curandStateXORWOW *state)
{
    return state->next();
}

#pragma clang attribute pop
