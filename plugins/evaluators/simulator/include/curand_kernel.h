// SPDX-License-Identifier: Apache-2.0
// Random numbers on the device: XORWOW (Marsaglia, "Xorshift RNGs", 2003), Philox4x32-10 (Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3", 2011) and MRG32k3a (L'Ecuyer 1999), seeded, spaced and scaled as cuRAND
// documents and shows them, so that sequences agree.
#pragma once

#include "cuda_runtime.h"
#include "kernelskill/random_mrg32k3a.h"
#include "kernelskill/random_philox.h"
#include "kernelskill/random_xorwow.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace kernelskill_random {

constexpr float perWord = 2.3283064e-10f, perWordTwoPi = 2.3283064e-10f * 6.2831855f;        // 2^-32
constexpr double perWordDouble = 2.3283064365386963e-10, perDouble = 1.1102230246251565e-16; // 2^-32, 2^-53

__device__ inline float uniform(unsigned int x)
{
    return x * perWord + (perWord / 2.0f);
}
__device__ inline double uniformDouble(unsigned int x, unsigned int y)
{
    const unsigned long long bits =
        static_cast<unsigned long long>(x) ^ (static_cast<unsigned long long>(y) << (53 - 32));
    return static_cast<double>(bits) * perDouble + (perDouble / 2.0);
}
__device__ inline float2 boxMuller(unsigned int x, unsigned int y)
{
    const float u = x * perWord + (perWord / 2.0f), v = y * perWordTwoPi + (perWordTwoPi / 2.0f);
    const float radius = sqrtf(-2.0f * logf(u));
    float2 result;
    __sincosf(v, &result.x, &result.y);
    result.x *= radius;
    result.y *= radius;
    return result;
}
__device__ inline double2 boxMullerDouble(double u, double angle)
{
    const double radius = sqrt(-2.0 * log(u));
    double2 result;
    sincospi(angle, &result.x, &result.y);
    result.x *= radius;
    result.y *= radius;
    return result;
}
// What each generator makes pairs of normal values from.
template <class State> __device__ inline float2 normalPair(State *state)
{
    const unsigned int x = curand(state), y = curand(state);
    return boxMuller(x, y);
}
__device__ inline float2 normalPair(curandStateMRG32k3a *state)
{
    const double x = state->next(), y = state->next();
    const float u = static_cast<float>(x * Mrg32k3a::norm), v = static_cast<float>(y * Mrg32k3a::norm) * 6.2831855f;
    const float radius = sqrtf(-2.0f * logf(u));
    float2 result;
    __sincosf(v, &result.x, &result.y);
    result.x *= radius;
    result.y *= radius;
    return result;
}
__device__ inline double2 normalPairDouble(curandStateXORWOW *state)
{
    const unsigned int x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
    return boxMullerDouble(uniformDouble(x0, x1), 2.0 * uniformDouble(y0, y1));
}
__device__ inline double2 normalPairDouble(curandStatePhilox4_32_10 *state)
{
    const uint4 x = state->four();
    return boxMullerDouble(uniformDouble(x.x, x.y), 2.0 * uniformDouble(x.z, x.w));
}
__device__ inline double2 normalPairDouble(curandStateMRG32k3a *state)
{
    const double x = state->next(), y = state->next();
    return boxMullerDouble(x * Mrg32k3a::norm, y * (Mrg32k3a::norm * 2.0));
}

} // namespace kernelskill_random

typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

// --- where a sequence begins
template <class State>
__device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                   State *state)
{
    state->seed(seed);
    state->skipSequences(subsequence);
    state->skip(offset);
    state->hasNormal = state->hasNormalDouble = false;
}
template <class State> __device__ inline void skipahead(unsigned long long count, State *state)
{
    state->skip(count);
}
template <class State> __device__ inline void skipahead_sequence(unsigned long long count, State *state)
{
    state->skipSequences(count);
}
__device__ inline void skipahead_subsequence(unsigned long long count, curandStateMRG32k3a *state)
{
    state->skipSequences(count);
}

// --- uniform: (0, 1]
template <class State> __device__ inline float curand_uniform(State *state)
{
    return kernelskill_random::uniform(curand(state));
}
__device__ inline float curand_uniform(curandStateMRG32k3a *state)
{
    return static_cast<float>(state->next() * kernelskill_random::Mrg32k3a::norm);
}
__device__ inline double curand_uniform_double(curandStateXORWOW *state)
{
    const unsigned int x = curand(state), y = curand(state);
    return kernelskill_random::uniformDouble(x, y);
}
__device__ inline double curand_uniform_double(curandStatePhilox4_32_10 *state)
{
    return curand(state) * kernelskill_random::perWordDouble + kernelskill_random::perWordDouble;
}
__device__ inline double curand_uniform_double(curandStateMRG32k3a *state)
{
    return state->next() * kernelskill_random::Mrg32k3a::norm;
}
__device__ inline uint4 curand4(curandStatePhilox4_32_10 *state)
{
    return state->four();
}
__device__ inline float4 curand_uniform4(curandStatePhilox4_32_10 *state)
{
    const uint4 x = state->four();
    return {kernelskill_random::uniform(x.x), kernelskill_random::uniform(x.y), kernelskill_random::uniform(x.z),
            kernelskill_random::uniform(x.w)};
}
__device__ inline double2 curand_uniform2_double(curandStatePhilox4_32_10 *state)
{
    const uint4 x = state->four();
    return {kernelskill_random::uniformDouble(x.x, x.y), kernelskill_random::uniformDouble(x.z, x.w)};
}

// --- normal: mean 0, deviation 1; pairs, of which the second waits for the next call
template <class State> __device__ inline float2 curand_normal2(State *state)
{
    return kernelskill_random::normalPair(state);
}
template <class State> __device__ inline double2 curand_normal2_double(State *state)
{
    return kernelskill_random::normalPairDouble(state);
}
template <class State> __device__ inline float curand_normal(State *state)
{
    state->hasNormal = !state->hasNormal;
    if (!state->hasNormal) return state->normal;
    const float2 pair = curand_normal2(state);
    state->normal = pair.y;
    return pair.x;
}
template <class State> __device__ inline double curand_normal_double(State *state)
{
    state->hasNormalDouble = !state->hasNormalDouble;
    if (!state->hasNormalDouble) return state->normalDouble;
    const double2 pair = curand_normal2_double(state);
    state->normalDouble = pair.y;
    return pair.x;
}
__device__ inline float4 curand_normal4(curandStatePhilox4_32_10 *state)
{
    const uint4 x = state->four();
    const float2 first = kernelskill_random::boxMuller(x.x, x.y), second = kernelskill_random::boxMuller(x.z, x.w);
    return {first.x, first.y, second.x, second.y};
}
template <class State> __device__ inline float curand_log_normal(State *state, float mean, float deviation)
{
    return expf(mean + deviation * curand_normal(state));
}
template <class State> __device__ inline double curand_log_normal_double(State *state, double mean, double deviation)
{
    return exp(mean + deviation * curand_normal_double(state));
}

#pragma clang attribute pop
