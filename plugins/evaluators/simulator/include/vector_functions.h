// SPDX-License-Identifier: Apache-2.0
// make_float4 and its family.
#pragma once

#include "vector_types.h"

#define KS_MAKE(name, type)                                                                                            \
    static __inline__ __host__ __device__ constexpr name##1 make_##name##1(type x)                                     \
    {                                                                                                                  \
        return name##1 {x};                                                                                            \
    }                                                                                                                  \
    static __inline__ __host__ __device__ constexpr name##2 make_##name##2(type x, type y)                             \
    {                                                                                                                  \
        return name##2 {x, y};                                                                                         \
    }                                                                                                                  \
    static __inline__ __host__ __device__ constexpr name##3 make_##name##3(type x, type y, type z)                     \
    {                                                                                                                  \
        return name##3 {x, y, z};                                                                                      \
    }                                                                                                                  \
    static __inline__ __host__ __device__ constexpr name##4 make_##name##4(type x, type y, type z, type w)             \
    {                                                                                                                  \
        return name##4 {x, y, z, w};                                                                                   \
    }
KS_MAKE(char, signed char)
KS_MAKE(uchar, unsigned char)
KS_MAKE(short, short)
KS_MAKE(ushort, unsigned short)
KS_MAKE(int, int)
KS_MAKE(uint, unsigned int)
KS_MAKE(long, long)
KS_MAKE(ulong, unsigned long)
KS_MAKE(longlong, long long)
KS_MAKE(ulonglong, unsigned long long)
KS_MAKE(float, float)
KS_MAKE(double, double)
#undef KS_MAKE
