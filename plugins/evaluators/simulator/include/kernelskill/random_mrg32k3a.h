// SPDX-License-Identifier: Apache-2.0
// MRG32k3a: two recurrences of order three, combined. Jumps are powers of their matrices.
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace kernelskill_random {

struct Mrg32k3a
{
    static constexpr unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
    static constexpr double norm = 2.3283065498378288e-10; // 1 / m1
    struct Matrix
    {
        unsigned long long at[3][3];
    };
    __device__ static Matrix product(const Matrix &a, const Matrix &b, unsigned long long m)
    {
        Matrix result;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                unsigned long long sum = 0;
                for (int k = 0; k < 3; ++k)
                    sum = (sum + a.at[i][k] * b.at[k][j] % m) % m;
                result.at[i][j] = sum;
            }
        }
        return result;
    }
    // Applies the matrix `count` times.
    __device__ static void apply(Matrix matrix, unsigned long long count, unsigned int (&state)[3],
                                 unsigned long long m)
    {
        for (; count != 0; count >>= 1) {
            if (count & 1) {
                unsigned int next[3];
                for (int i = 0; i < 3; ++i) {
                    unsigned long long sum = 0;
                    for (int k = 0; k < 3; ++k)
                        sum = (sum + matrix.at[i][k] * state[k] % m) % m;
                    next[i] = static_cast<unsigned int>(sum);
                }
                for (int i = 0; i < 3; ++i)
                    state[i] = next[i];
            }
            if (count > 1) matrix = product(matrix, matrix, m);
        }
    }
    static constexpr Matrix step1 = {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}};
    static constexpr Matrix step2 = {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}};
    // 2^76 steps: what L'Ecuyer's package RngStreams calls a substream.
    static constexpr Matrix sequence1 = {{{82758667ull, 1871391091ull, 4127413238ull},
                                          {3672831523ull, 69195019ull, 1871391091ull},
                                          {3672091415ull, 3528743235ull, 69195019ull}}};
    static constexpr Matrix sequence2 = {{{1511326704ull, 3759209742ull, 1610795712ull},
                                          {4292754251ull, 1511326704ull, 3889917532ull},
                                          {3859662829ull, 4292754251ull, 3708466080ull}}};
};

} // namespace kernelskill_random

struct curandStateMRG32k3a
{
    unsigned int s1[3], s2[3];
    bool hasNormal, hasNormalDouble;
    float normal;
    double normalDouble;

    using Mrg = kernelskill_random::Mrg32k3a;
    __device__ void seed(unsigned long long seed)
    {
        const unsigned long long x = static_cast<unsigned int>(seed) ^ 0x55555555u;
        const unsigned long long y = static_cast<unsigned int>(seed >> 32) ^ 0xaaaaaaaau;
        const unsigned long long first[3] = {x, y, x}, second[3] = {y, x, y};
        for (int i = 0; i < 3; ++i) {
            s1[i] = static_cast<unsigned int>(first[i] * 12345 % Mrg::m1);
            s2[i] = static_cast<unsigned int>(second[i] * 12345 % Mrg::m2);
        }
    }
    __device__ void skip(unsigned long long count)
    {
        Mrg::apply(Mrg::step1, count, s1, Mrg::m1);
        Mrg::apply(Mrg::step2, count, s2, Mrg::m2);
    }
    __device__ void skipSequences(unsigned long long count)
    {
        Mrg::apply(Mrg::sequence1, count, s1, Mrg::m1);
        Mrg::apply(Mrg::sequence2, count, s2, Mrg::m2);
    }
    // 1 … m1
    __device__ double next()
    {
        const unsigned long long p1 = (1403580ull * s1[1] + (Mrg::m1 - 810728) * s1[0]) % Mrg::m1;
        const unsigned long long p2 = (527612ull * s2[2] + (Mrg::m2 - 1370589) * s2[0]) % Mrg::m2;
        s1[0] = s1[1];
        s1[1] = s1[2];
        s1[2] = static_cast<unsigned int>(p1);
        s2[0] = s2[1];
        s2[1] = s2[2];
        s2[2] = static_cast<unsigned int>(p2);
        return static_cast<double>(p1 > p2 ? p1 - p2 : p1 + Mrg::m1 - p2);
    }
};
// All 32 bits: the range of the generator is stretched a little.
__device__ inline unsigned int curand(curandStateMRG32k3a *state)
{
    return static_cast<unsigned int>(state->next() * 1.000000048662);
}

#pragma clang attribute pop
