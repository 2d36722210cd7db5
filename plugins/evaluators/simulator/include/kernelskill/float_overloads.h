// SPDX-License-Identifier: Apache-2.0
// Overloads for float of the C++ library's functions, which the compiler's headers declare and leave to the library.
#pragma once

#define KS_DEVICE static __device__ __forceinline__
#define KS_ONE(name)                                                                                                   \
    KS_DEVICE float name(float x)                                                                                      \
    {                                                                                                                  \
        return name##f(x);                                                                                             \
    }
#define KS_TWO(name)                                                                                                   \
    KS_DEVICE float name(float x, float y)                                                                             \
    {                                                                                                                  \
        return name##f(x, y);                                                                                          \
    }
KS_ONE(acosh)
KS_ONE(asinh)
KS_ONE(atanh)
KS_ONE(cbrt)
KS_ONE(erf)
KS_ONE(erfc)
KS_ONE(exp2)
KS_ONE(expm1)
KS_ONE(lgamma)
KS_ONE(log1p)
KS_ONE(log2)
KS_ONE(logb)
KS_ONE(nearbyint)
KS_ONE(rint)
KS_ONE(round)
KS_ONE(tgamma)
KS_ONE(trunc)
KS_TWO(copysign)
KS_TWO(fdim)
KS_TWO(fmax)
KS_TWO(fmin)
KS_TWO(hypot)
KS_TWO(nextafter)
KS_TWO(remainder)
#undef KS_ONE
#undef KS_TWO
KS_DEVICE float fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}
KS_DEVICE int ilogb(float x)
{
    return ilogbf(x);
}
KS_DEVICE float remquo(float x, float y, int *quotient)
{
    return remquof(x, y, quotient);
}
KS_DEVICE float scalbn(float x, int n)
{
    return scalbnf(x, n);
}
KS_DEVICE float scalbln(float x, long n)
{
    return scalblnf(x, n);
}
KS_DEVICE long lrint(float x)
{
    return lrintf(x);
}
KS_DEVICE long lround(float x)
{
    return lroundf(x);
}
KS_DEVICE long long llrint(float x)
{
    return llrintf(x);
}
KS_DEVICE long long llround(float x)
{
    return llroundf(x);
}
// Declared by the compiler's headers and defined nowhere.
KS_DEVICE float nanf(const char *)
{
    return __builtin_nanf("");
}
KS_DEVICE double nan(const char *)
{
    return __builtin_nan("");
}
#undef KS_DEVICE
