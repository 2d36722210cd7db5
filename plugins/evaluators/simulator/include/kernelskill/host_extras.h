// SPDX-License-Identifier: Apache-2.0
// What nvcc's headers have on the host's side beside the C++ library.
#pragma once

// clang has its own for the device.
#define KS_HOST_MIN_MAX(type)                                                                                          \
    static inline __host__ type max(type a, type b)                                                                    \
    {                                                                                                                  \
        return a > b ? a : b;                                                                                          \
    }                                                                                                                  \
    static inline __host__ type min(type a, type b)                                                                    \
    {                                                                                                                  \
        return a < b ? a : b;                                                                                          \
    }
KS_HOST_MIN_MAX(int)
KS_HOST_MIN_MAX(float)
KS_HOST_MIN_MAX(double)
#undef KS_HOST_MIN_MAX

// Functions that nvcc gives the host too. A C library that has them by itself keeps its own.
#if !defined(__GLIBC_PREREQ) || !__GLIBC_PREREQ(2, 42)
static inline __host__ float rsqrtf(float x)
{
    return 1.0f / __builtin_sqrtf(x);
}
static inline __host__ double rsqrt(double x)
{
    return 1.0 / __builtin_sqrt(x);
}
#endif
static inline __host__ float rcbrtf(float x)
{
    return 1.0f / __builtin_cbrtf(x);
}
static inline __host__ double rcbrt(double x)
{
    return 1.0 / __builtin_cbrt(x);
}
static inline __host__ float normcdff(float x)
{
    return 0.5f * __builtin_erfcf(-x * 0.70710678f);
}
static inline __host__ double normcdf(double x)
{
    return 0.5 * __builtin_erfc(-x * 0.70710678118654752);
}
