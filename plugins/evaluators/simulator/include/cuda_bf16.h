// SPDX-License-Identifier: Apache-2.0
// bfloat16: storage in 16 bits, arithmetic in float32 rounded to nearest even.
#pragma once

#include "cuda_runtime.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

struct __nv_bfloat16_raw
{
    unsigned short x;
};

static __host__ __device__ __forceinline__ unsigned short __ks_bfloat16_bits(float a)
{
    const unsigned bits = __builtin_bit_cast(unsigned, a);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
// On the device this is one conversion instruction.
static __device__ __forceinline__ unsigned short __ks_bfloat16_device(float a)
{
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(a));
    return bits;
}

struct __attribute__((aligned(2))) __nv_bfloat16
{
    unsigned short __bits;

    __nv_bfloat16() = default;
#ifdef __CUDA_ARCH__
    __host__ __device__ __nv_bfloat16(float v) : __bits(__ks_bfloat16_device(v)) {}
#else
    __host__ __device__ __nv_bfloat16(float v) : __bits(__ks_bfloat16_bits(v)) {}
#endif
    __host__ __device__ __nv_bfloat16(double v) : __nv_bfloat16(static_cast<float>(v)) {}
    __host__ __device__ __nv_bfloat16(int v) : __nv_bfloat16(static_cast<float>(v)) {}
    __host__ __device__ __nv_bfloat16(unsigned int v) : __nv_bfloat16(static_cast<float>(v)) {}
    __host__ __device__ constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : __bits(raw.x) {}
    __host__ __device__ operator float() const
    {
        return __builtin_bit_cast(float, static_cast<unsigned>(__bits) << 16);
    }
    __host__ __device__ operator __nv_bfloat16_raw() const
    {
        return {__bits};
    }
    __host__ __device__ explicit operator bool() const
    {
        return (__bits & 0x7fff) != 0;
    }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __attribute__((aligned(4))) __nv_bfloat162
{
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162;

#define KS_BOTH static __host__ __device__ __forceinline__
#define KS_DEVICE static __device__ __forceinline__

KS_BOTH __nv_bfloat16 __float2bfloat16(float a)
{
    return __nv_bfloat16(a);
}
KS_BOTH __nv_bfloat16 __float2bfloat16_rn(float a)
{
    return __nv_bfloat16(a);
}
KS_BOTH __nv_bfloat16 __double2bfloat16(double a)
{
    return __nv_bfloat16(a);
}
KS_BOTH float __bfloat162float(__nv_bfloat16 a)
{
    return static_cast<float>(a);
}
KS_BOTH __nv_bfloat162 __float2bfloat162_rn(float a)
{
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a));
}
KS_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
KS_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a)
{
    return __floats2bfloat162_rn(a.x, a.y);
}
KS_BOTH float2 __bfloat1622float2(__nv_bfloat162 a)
{
    return float2{static_cast<float>(a.x), static_cast<float>(a.y)};
}
KS_BOTH float __low2float(__nv_bfloat162 a)
{
    return static_cast<float>(a.x);
}
KS_BOTH float __high2float(__nv_bfloat162 a)
{
    return static_cast<float>(a.y);
}
KS_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a)
{
    return a.x;
}
KS_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a)
{
    return a.y;
}
KS_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a)
{
    return __nv_bfloat162(a, a);
}
KS_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
KS_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
KS_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a)
{
    return a.__bits;
}
KS_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short a)
{
    return __nv_bfloat16(__nv_bfloat16_raw{a});
}

#define KS_OPERATOR(symbol, name)                                                                                      \
    KS_BOTH __nv_bfloat16 operator symbol(__nv_bfloat16 a, __nv_bfloat16 b)                                            \
    {                                                                                                                  \
        return __nv_bfloat16(static_cast<float>(a) symbol static_cast<float>(b));                                      \
    }                                                                                                                  \
    KS_BOTH __nv_bfloat16 &operator symbol##=(__nv_bfloat16 &a, __nv_bfloat16 b)                                       \
    {                                                                                                                  \
        return a = a symbol b;                                                                                         \
    }                                                                                                                  \
    KS_BOTH __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b)                                                       \
    {                                                                                                                  \
        return a symbol b;                                                                                             \
    }                                                                                                                  \
    KS_BOTH __nv_bfloat162 operator symbol(__nv_bfloat162 a, __nv_bfloat162 b)                                         \
    {                                                                                                                  \
        return __nv_bfloat162(a.x symbol b.x, a.y symbol b.y);                                                         \
    }                                                                                                                  \
    KS_BOTH __nv_bfloat162 name##2(__nv_bfloat162 a, __nv_bfloat162 b)                                                 \
    {                                                                                                                  \
        return a symbol b;                                                                                             \
    }
KS_OPERATOR(+, __hadd)
KS_OPERATOR(-, __hsub)
KS_OPERATOR(*, __hmul)
KS_OPERATOR(/, __hdiv)
#undef KS_OPERATOR
KS_BOTH __nv_bfloat16 operator-(__nv_bfloat16 a)
{
    return __ushort_as_bfloat16(a.__bits ^ 0x8000);
}
KS_BOTH __nv_bfloat16 __hneg(__nv_bfloat16 a)
{
    return -a;
}
KS_BOTH __nv_bfloat16 __habs(__nv_bfloat16 a)
{
    return __ushort_as_bfloat16(a.__bits & 0x7fff);
}
KS_DEVICE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    unsigned short result;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(result) : "h"(a.__bits), "h"(b.__bits), "h"(c.__bits));
    return __ushort_as_bfloat16(result);
}
KS_DEVICE __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    unsigned result;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;"
        : "=r"(result)
        : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)),
          "r"(__builtin_bit_cast(unsigned, c)));
    return __builtin_bit_cast(__nv_bfloat162, result);
}
#define KS_COMPARE(symbol, name)                                                                                       \
    KS_BOTH bool operator symbol(__nv_bfloat16 a, __nv_bfloat16 b)                                                     \
    {                                                                                                                  \
        return static_cast<float>(a) symbol static_cast<float>(b);                                                     \
    }                                                                                                                  \
    KS_BOTH bool name(__nv_bfloat16 a, __nv_bfloat16 b)                                                                \
    {                                                                                                                  \
        return a symbol b;                                                                                             \
    }
KS_COMPARE(==, __heq)
KS_COMPARE(!=, __hne)
KS_COMPARE(<, __hlt)
KS_COMPARE(<=, __hle)
KS_COMPARE(>, __hgt)
KS_COMPARE(>=, __hge)
#undef KS_COMPARE
KS_BOTH bool __hisnan(__nv_bfloat16 a)
{
    return (a.__bits & 0x7fff) > 0x7f80;
}
KS_BOTH __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : a > b ? a : b;
}
KS_BOTH __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __hisnan(a) ? b : __hisnan(b) ? a : a < b ? a : b;
}
KS_DEVICE __nv_bfloat16 hexp(__nv_bfloat16 a)
{
    return __nv_bfloat16(__expf(static_cast<float>(a)));
}
KS_DEVICE __nv_bfloat16 hlog(__nv_bfloat16 a)
{
    return __nv_bfloat16(__logf(static_cast<float>(a)));
}
KS_DEVICE __nv_bfloat16 hsqrt(__nv_bfloat16 a)
{
    return __nv_bfloat16(sqrtf(static_cast<float>(a)));
}
KS_DEVICE __nv_bfloat16 hrsqrt(__nv_bfloat16 a)
{
    return __nv_bfloat16(rsqrtf(static_cast<float>(a)));
}
KS_DEVICE __nv_bfloat16 hrcp(__nv_bfloat16 a)
{
    return __nv_bfloat16(1.0f / static_cast<float>(a));
}

#define KS_SHUFFLE(name, argument)                                                                                     \
    KS_DEVICE __nv_bfloat16 name(unsigned mask, __nv_bfloat16 value, argument lane, int width = 32)                    \
    {                                                                                                                  \
        return __ushort_as_bfloat16(                                                                                   \
            static_cast<unsigned short>(name(mask, static_cast<unsigned>(value.__bits), lane, width)));                \
    }
KS_SHUFFLE(__shfl_sync, int)
KS_SHUFFLE(__shfl_up_sync, unsigned)
KS_SHUFFLE(__shfl_down_sync, unsigned)
KS_SHUFFLE(__shfl_xor_sync, int)
#undef KS_SHUFFLE
KS_DEVICE __nv_bfloat16 __ldg(const __nv_bfloat16 *p)
{
    return __ushort_as_bfloat16(__ldg(reinterpret_cast<const unsigned short *>(p)));
}
#undef KS_BOTH
#undef KS_DEVICE
#pragma clang attribute pop
