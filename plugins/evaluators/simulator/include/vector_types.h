// SPDX-License-Identifier: Apache-2.0
// The short vectors of CUDA C++ (char1 … double4), uint3 and dim3.
#pragma once

#include "kernelskill/attributes.h"

#include <stddef.h>

#define KS_VECTORS(name, type, align2, align4)                                                                         \
    struct __device_builtin__ name##1                                                                                  \
    {                                                                                                                  \
        type x;                                                                                                        \
    };                                                                                                                 \
    struct __device_builtin__ __attribute__((aligned(align2))) name##2                                                 \
    {                                                                                                                  \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    struct __device_builtin__ name##3                                                                                  \
    {                                                                                                                  \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    struct __device_builtin__ __attribute__((aligned(align4))) name##4                                                 \
    {                                                                                                                  \
        type x, y, z, w;                                                                                               \
    };
KS_VECTORS(char, signed char, 2, 4)
KS_VECTORS(uchar, unsigned char, 2, 4)
KS_VECTORS(short, short, 4, 8)
KS_VECTORS(ushort, unsigned short, 4, 8)
KS_VECTORS(int, int, 8, 16)
KS_VECTORS(uint, unsigned int, 8, 16)
KS_VECTORS(long, long, 16, 16)
KS_VECTORS(ulong, unsigned long, 16, 16)
KS_VECTORS(longlong, long long, 16, 16)
KS_VECTORS(ulonglong, unsigned long long, 16, 16)
KS_VECTORS(float, float, 8, 16)
KS_VECTORS(double, double, 16, 16)
#undef KS_VECTORS

struct __device_builtin__ dim3
{
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
