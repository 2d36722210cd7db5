// SPDX-License-Identifier: Apache-2.0
// Complex numbers as pairs: x is the real part, y the imaginary one.
#pragma once

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define KS_BOTH static __inline__ __host__ __device__
#define KS_COMPLEX(type, real, name, root)                                                                             \
    KS_BOTH real cuCreal##name(type z)                                                                                 \
    {                                                                                                                  \
        return z.x;                                                                                                    \
    }                                                                                                                  \
    KS_BOTH real cuCimag##name(type z)                                                                                 \
    {                                                                                                                  \
        return z.y;                                                                                                    \
    }                                                                                                                  \
    KS_BOTH type cuConj##name(type z)                                                                                  \
    {                                                                                                                  \
        return {z.x, -z.y};                                                                                            \
    }                                                                                                                  \
    KS_BOTH type cuCadd##name(type a, type b)                                                                          \
    {                                                                                                                  \
        return {a.x + b.x, a.y + b.y};                                                                                 \
    }                                                                                                                  \
    KS_BOTH type cuCsub##name(type a, type b)                                                                          \
    {                                                                                                                  \
        return {a.x - b.x, a.y - b.y};                                                                                 \
    }                                                                                                                  \
    KS_BOTH type cuCmul##name(type a, type b)                                                                          \
    {                                                                                                                  \
        return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                                         \
    }                                                                                                                  \
    KS_BOTH type cuCfma##name(type a, type b, type c)                                                                  \
    {                                                                                                                  \
        return {(a.x * b.x + c.x) - a.y * b.y, (a.x * b.y + c.y) + a.y * b.x};                                         \
    }                                                                                                                  \
    /* Scaled by the divisor's size, so that its square neither overflows nor vanishes. */                             \
    KS_BOTH type cuCdiv##name(type a, type b)                                                                          \
    {                                                                                                                  \
        const real scale = real(1) / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                                \
        const real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                             \
        const real over = real(1) / (bx * bx + by * by);                                                               \
        return {(ax * bx + ay * by) * over, (ay * bx - ax * by) * over};                                               \
    }                                                                                                                  \
    KS_BOTH real cuCabs##name(type z)                                                                                  \
    {                                                                                                                  \
        return root(z.x, z.y);                                                                                         \
    }
KS_COMPLEX(cuFloatComplex, float, f, hypotf)
KS_COMPLEX(cuDoubleComplex, double, , hypot)
#undef KS_COMPLEX

KS_BOTH cuFloatComplex make_cuFloatComplex(float x, float y)
{
    return {x, y};
}
KS_BOTH cuDoubleComplex make_cuDoubleComplex(double x, double y)
{
    return {x, y};
}
KS_BOTH cuComplex make_cuComplex(float x, float y)
{
    return {x, y};
}
KS_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return {static_cast<float>(z.x), static_cast<float>(z.y)};
}
KS_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
    return {z.x, z.y};
}
#undef KS_BOTH
