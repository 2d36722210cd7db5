// SPDX-License-Identifier: Apache-2.0
// The short vectors of CUDA C++ (char1 … double4), uint3 and dim3.
#pragma once

#include "kernelskill/attributes.h"

#include <stddef.h>

// A vector of two or four is one access to memory, and the compiler must see it as one: as a plain structure its optimiser
// takes it apart into its members, and what a branch or a shared array comes between is not put together again. On the
// device, therefore, copying goes through the compiler's own vector type. What needs plain structures there (a union with
// such a member, say) is compiled again with KERNELSKILL_PLAIN_VECTORS, see the simulator's front end.
#if defined(__CUDA_ARCH__) && !defined(KERNELSKILL_PLAIN_VECTORS)
#define KS_TRIVIAL_ABI __attribute__((trivial_abi))
#define KS_COPIES(name, type, count, members, values, take)                                                            \
    typedef type ks_##name __attribute__((ext_vector_type(count)));                                                    \
    name() = default;                                                                                                  \
    __host__ __device__ constexpr name members : values {}                                                             \
    __host__ __device__ name(const name &other)                                                                        \
    {                                                                                                                  \
        const ks_##name whole = *reinterpret_cast<const ks_##name *>(&other);                                          \
        take                                                                                                           \
    }                                                                                                                  \
    __host__ __device__ name &operator=(const name &other)                                                             \
    {                                                                                                                  \
        *reinterpret_cast<ks_##name *>(this) = *reinterpret_cast<const ks_##name *>(&other);                           \
        return *this;                                                                                                  \
    }
#define KS_VALUES2 x(vx), y(vy)
#define KS_VALUES4 x(vx), y(vy), z(vz), w(vw)
#else
#define KS_TRIVIAL_ABI
#define KS_COPIES(name, type, count, members, values, take)
#endif

#define KS_VECTORS(name, type, align2, align4)                                                                         \
    struct __device_builtin__ name##1                                                                                  \
    {                                                                                                                  \
        type x;                                                                                                        \
    };                                                                                                                 \
    struct __device_builtin__ KS_TRIVIAL_ABI __attribute__((aligned(align2))) name##2                                  \
    {                                                                                                                  \
        type x, y;                                                                                                     \
        KS_COPIES(name##2, type, 2, (type vx, type vy), KS_VALUES2, x = whole[0]; y = whole[1];)                       \
    };                                                                                                                 \
    struct __device_builtin__ name##3                                                                                  \
    {                                                                                                                  \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    struct __device_builtin__ KS_TRIVIAL_ABI __attribute__((aligned(align4))) name##4                                  \
    {                                                                                                                  \
        type x, y, z, w;                                                                                               \
        KS_COPIES(name##4, type, 4, (type vx, type vy, type vz, type vw), KS_VALUES4, x = whole[0]; y = whole[1];      \
                  z = whole[2]; w = whole[3];)                                                                         \
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
#undef KS_COPIES
#undef KS_TRIVIAL_ABI

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
