// SPDX-License-Identifier: Apache-2.0
// Half precision: __half and __half2 over the compiler's own _Float16, which becomes native f16 and f16x2 instructions.
#pragma once

#include "cuda_runtime.h"
#include "kernelskill/narrow_float_rounding.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

typedef _Float16 __ks_half2_vector __attribute__((ext_vector_type(2)));

struct __half_raw
{
    unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw
{
    unsigned short x, y;
};

struct __attribute__((aligned(2))) __half
{
    _Float16 __value;

    __half() = default;
    __host__ __device__ constexpr __half(_Float16 v) : __value(v) {}
    __host__ __device__ constexpr __half(float v) : __value(static_cast<_Float16>(v)) {}
    __host__ __device__ constexpr __half(double v) : __value(static_cast<_Float16>(v)) {}
    __host__ __device__ constexpr __half(int v) : __value(static_cast<_Float16>(static_cast<float>(v))) {}
    __host__ __device__ constexpr __half(unsigned int v) : __value(static_cast<_Float16>(static_cast<float>(v))) {}
    __host__ __device__ constexpr __half(short v) : __value(static_cast<_Float16>(static_cast<float>(v))) {}
    __host__ __device__ constexpr __half(long long v) : __value(static_cast<_Float16>(static_cast<float>(v))) {}
    __host__ __device__ __half(__half_raw raw) : __value(__builtin_bit_cast(_Float16, raw.x)) {}
    __host__ __device__ constexpr operator float() const { return static_cast<float>(__value); }
    __host__ __device__ operator __half_raw() const { return {__builtin_bit_cast(unsigned short, __value)}; }
    __host__ __device__ constexpr explicit operator bool() const { return __value != static_cast<_Float16>(0); }
};
typedef __half half;
typedef __half __nv_half;

struct __attribute__((aligned(4))) __half2
{
    // One register, as the machine has it: halves that are kept apart would take one each.
    union
    {
        struct
        {
            __half x, y;
        };
        __ks_half2_vector __both;
    };
    __half2() = default;
    __host__ __device__ constexpr __half2(__half a, __half b) : x(a), y(b) {}
    __host__ __device__ __half2(__ks_half2_vector v) : __both(v) {}
    __host__ __device__ __half2(__half2_raw raw) : __both(__builtin_bit_cast(__ks_half2_vector, raw)) {}
    __host__ __device__ operator __half2_raw() const { return __builtin_bit_cast(__half2_raw, __both); }
    __host__ __device__ __ks_half2_vector __vector() const { return __both; }
};
typedef __half2 half2;
typedef __half2 __nv_half2;

#define KS_BOTH static __host__ __device__ __forceinline__
#define KS_DEVICE static __device__ __forceinline__

// --- conversions
// ---------------------------------------------------------------------------------------------------------------
KS_BOTH __half __float2half(float a)
{
    return __half(a);
}
KS_BOTH __half __float2half_rn(float a)
{
    return __half(a);
}
KS_BOTH __half __double2half(double a)
{
    return __half(a);
}
KS_BOTH float __half2float(__half a)
{
    return static_cast<float>(a.__value);
}
// A float rounded as asked; the host goes one step from the nearest.
namespace kernelskill_narrow {
enum Rounding { rn, rz, rd, ru };
KS_BOTH __half toHalf(float a, Rounding mode)
{
#ifdef __CUDA_ARCH__
    unsigned short bits;
    if (mode == rn)
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(a));
    else if (mode == rz)
        asm("cvt.rz.f16.f32 %0, %1;" : "=h"(bits) : "f"(a));
    else if (mode == rd)
        asm("cvt.rm.f16.f32 %0, %1;" : "=h"(bits) : "f"(a));
    else
        asm("cvt.rp.f16.f32 %0, %1;" : "=h"(bits) : "f"(a));
    return __half(__builtin_bit_cast(_Float16, bits));
#else
    const _Float16 nearest = static_cast<_Float16>(a);
    const float value = static_cast<float>(nearest);
    const unsigned short bits = __builtin_bit_cast(unsigned short, nearest);
    const bool down = mode == rd || (mode == rz && a > 0), up = mode == ru || (mode == rz && a < 0);
    if (!((down && value > a) || (up && value < a))) return __half(nearest);
    const unsigned short smallest = down ? 0x8001 : 1;
    const bool away = (value > 0) == up;
    const unsigned short next = value == 0 ? smallest : static_cast<unsigned short>(away ? bits + 1 : bits - 1);
    return __half(__builtin_bit_cast(_Float16, next));
#endif
}
} // namespace kernelskill_narrow
KS_BOTH __half __float2half_rz(float a)
{
    return kernelskill_narrow::toHalf(a, kernelskill_narrow::rz);
}
KS_BOTH __half __float2half_rd(float a)
{
    return kernelskill_narrow::toHalf(a, kernelskill_narrow::rd);
}
KS_BOTH __half __float2half_ru(float a)
{
    return kernelskill_narrow::toHalf(a, kernelskill_narrow::ru);
}
KS_BOTH __half2 __float2half2_rn(float a)
{
    return __half2(__half(a), __half(a));
}
KS_BOTH __half2 __floats2half2_rn(float a, float b)
{
    return __half2(__half(a), __half(b));
}
KS_BOTH __half2 __float22half2_rn(float2 a)
{
    return __half2(__half(a.x), __half(a.y));
}
KS_BOTH float2 __half22float2(__half2 a)
{
    return float2{static_cast<float>(a.x), static_cast<float>(a.y)};
}
KS_BOTH float __low2float(__half2 a)
{
    return static_cast<float>(a.x);
}
KS_BOTH float __high2float(__half2 a)
{
    return static_cast<float>(a.y);
}
KS_BOTH __half __low2half(__half2 a)
{
    return a.x;
}
KS_BOTH __half __high2half(__half2 a)
{
    return a.y;
}
KS_BOTH __half2 __low2half2(__half2 a)
{
    return __half2(a.x, a.x);
}
KS_BOTH __half2 __high2half2(__half2 a)
{
    return __half2(a.y, a.y);
}
KS_BOTH __half2 __half2half2(__half a)
{
    return __half2(a, a);
}
KS_BOTH __half2 __halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
KS_BOTH __half2 make_half2(__half a, __half b)
{
    return __half2(a, b);
}
KS_BOTH __half2 __lowhigh2highlow(__half2 a)
{
    return __half2(a.y, a.x);
}
KS_BOTH __half2 __lows2half2(__half2 a, __half2 b)
{
    return __half2(a.x, b.x);
}
KS_BOTH __half2 __highs2half2(__half2 a, __half2 b)
{
    return __half2(a.y, b.y);
}
KS_BOTH unsigned short __half_as_ushort(__half a)
{
    return __builtin_bit_cast(unsigned short, a.__value);
}
KS_BOTH short __half_as_short(__half a)
{
    return __builtin_bit_cast(short, a.__value);
}
KS_BOTH __half __ushort_as_half(unsigned short a)
{
    return __half(__builtin_bit_cast(_Float16, a));
}
KS_BOTH __half __short_as_half(short a)
{
    return __half(__builtin_bit_cast(_Float16, a));
}

// --- arithmetic
// ------------------------------------------------------------------------------------------------------------------
#define KS_OPERATOR(symbol, name)                                                                                      \
    KS_BOTH __half operator symbol(__half a, __half b)                                                                 \
    {                                                                                                                  \
        return __half(static_cast<_Float16>(a.__value symbol b.__value));                                              \
    }                                                                                                                  \
    KS_BOTH __half &operator symbol##=(__half &a, __half b)                                                            \
    {                                                                                                                  \
        return a = a symbol b;                                                                                         \
    }                                                                                                                  \
    KS_BOTH __half name(__half a, __half b)                                                                            \
    {                                                                                                                  \
        return a symbol b;                                                                                             \
    }                                                                                                                  \
    KS_BOTH __half2 operator symbol(__half2 a, __half2 b)                                                              \
    {                                                                                                                  \
        return __half2(a.__vector() symbol b.__vector());                                                              \
    }                                                                                                                  \
    KS_BOTH __half2 &operator symbol##=(__half2 &a, __half2 b)                                                         \
    {                                                                                                                  \
        return a = a symbol b;                                                                                         \
    }                                                                                                                  \
    KS_BOTH __half2 name##2(__half2 a, __half2 b)                                                                      \
    {                                                                                                                  \
        return a symbol b;                                                                                             \
    }
KS_OPERATOR(+, __hadd)
KS_OPERATOR(-, __hsub)
KS_OPERATOR(*, __hmul)
#undef KS_OPERATOR
KS_BOTH __half operator/(__half a, __half b)
{
    return __half(static_cast<float>(a) / static_cast<float>(b));
}
KS_BOTH __half &operator/=(__half &a, __half b)
{
    return a = a / b;
}
KS_BOTH __half __hdiv(__half a, __half b)
{
    return a / b;
}
KS_BOTH __half2 operator/(__half2 a, __half2 b)
{
    return __half2(a.x / b.x, a.y / b.y);
}
KS_BOTH __half2 __h2div(__half2 a, __half2 b)
{
    return a / b;
}
KS_BOTH __half operator-(__half a)
{
    return __half(static_cast<_Float16>(-a.__value));
}
KS_BOTH __half2 operator-(__half2 a)
{
    return __half2(-a.x, -a.y);
}
KS_BOTH __half __hneg(__half a)
{
    return -a;
}
KS_BOTH __half2 __hneg2(__half2 a)
{
    return -a;
}
KS_BOTH __half __habs(__half a)
{
    return __ushort_as_half(__half_as_ushort(a) & 0x7fff);
}
KS_BOTH __half2 __habs2(__half2 a)
{
    return __half2(__habs(a.x), __habs(a.y));
}
KS_DEVICE __half __hfma(__half a, __half b, __half c)
{
    unsigned short result;
    asm("fma.rn.f16 %0, %1, %2, %3;"
        : "=h"(result)
        : "h"(__half_as_ushort(a)), "h"(__half_as_ushort(b)), "h"(__half_as_ushort(c)));
    return __ushort_as_half(result);
}
KS_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    unsigned result;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(result)
        : "r"(__builtin_bit_cast(unsigned, a.__vector())), "r"(__builtin_bit_cast(unsigned, b.__vector())),
          "r"(__builtin_bit_cast(unsigned, c.__vector())));
    return __half2(__builtin_bit_cast(__ks_half2_vector, result));
}

// --- comparisons
// -------------------------------------------------------------------------------------------------------------------
#define KS_COMPARE(symbol, name)                                                                                       \
    KS_BOTH bool operator symbol(__half a, __half b)                                                                   \
    {                                                                                                                  \
        return a.__value symbol b.__value;                                                                             \
    }                                                                                                                  \
    KS_BOTH bool name(__half a, __half b)                                                                              \
    {                                                                                                                  \
        return a.__value symbol b.__value;                                                                             \
    }                                                                                                                  \
    KS_BOTH __half2 name##2(__half2 a, __half2 b)                                                                      \
    {                                                                                                                  \
        return __half2(__half(a.x.__value symbol b.x.__value ? 1.0f : 0.0f),                                           \
                       __half(a.y.__value symbol b.y.__value ? 1.0f : 0.0f));                                          \
    }
KS_COMPARE(==, __heq)
KS_COMPARE(!=, __hne)
KS_COMPARE(<, __hlt)
KS_COMPARE(<=, __hle)
KS_COMPARE(>, __hgt)
KS_COMPARE(>=, __hge)
#undef KS_COMPARE
KS_BOTH bool __hisnan(__half a)
{
    return a.__value != a.__value;
}
KS_BOTH int __hisinf(__half a)
{
    const unsigned short bits = __half_as_ushort(a);
    return (bits & 0x7fff) != 0x7c00 ? 0 : bits & 0x8000 ? -1 : 1;
}
// Of a number and a NaN the number.
KS_BOTH __half __hmax(__half a, __half b)
{
    return __half(__builtin_elementwise_max(a.__value, b.__value));
}
KS_BOTH __half __hmin(__half a, __half b)
{
    return __half(__builtin_elementwise_min(a.__value, b.__value));
}
KS_BOTH __half2 __hmax2(__half2 a, __half2 b)
{
    return __half2(__builtin_elementwise_max(a.__vector(), b.__vector()));
}
KS_BOTH __half2 __hmin2(__half2 a, __half2 b)
{
    return __half2(__builtin_elementwise_min(a.__vector(), b.__vector()));
}

// --- functions: computed in float32, rounded once
// -------------------------------------------------------------------------------------
#define KS_UNARY(name, expression)                                                                                     \
    KS_DEVICE __half h##name(__half h)                                                                                 \
    {                                                                                                                  \
        const float a = static_cast<float>(h);                                                                         \
        return __half(static_cast<float>(expression));                                                                 \
    }                                                                                                                  \
    KS_DEVICE __half2 h2##name(__half2 h)                                                                              \
    {                                                                                                                  \
        return __half2(h##name(h.x), h##name(h.y));                                                                    \
    }
KS_UNARY(exp, __expf(a))
KS_UNARY(exp2, exp2f(a))
KS_UNARY(exp10, exp10f(a))
KS_UNARY(log, __logf(a))
KS_UNARY(log10, log10f(a))
KS_UNARY(tanh, tanhf(a))
KS_UNARY(log2, log2f(a))
KS_UNARY(sqrt, sqrtf(a))
KS_UNARY(rsqrt, rsqrtf(a))
KS_UNARY(rcp, 1.0f / a)
KS_UNARY(sin, sinf(a))
KS_UNARY(cos, cosf(a))
KS_UNARY(floor, floorf(a))
KS_UNARY(ceil, ceilf(a))
KS_UNARY(trunc, truncf(a))
KS_UNARY(rint, rintf(a))
#undef KS_UNARY

// --- exchange within a warp, cached loads, atomics
// ----------------------------------------------------------------------------------
#define KS_SHUFFLE(name, argument)                                                                                     \
    KS_DEVICE __half name(unsigned mask, __half value, argument lane, int width = 32)                                  \
    {                                                                                                                  \
        return __ushort_as_half(                                                                                       \
            static_cast<unsigned short>(name(mask, static_cast<unsigned>(__half_as_ushort(value)), lane, width)));     \
    }                                                                                                                  \
    KS_DEVICE __half2 name(unsigned mask, __half2 value, argument lane, int width = 32)                                \
    {                                                                                                                  \
        const unsigned bits = name(mask, __builtin_bit_cast(unsigned, value.__vector()), lane, width);                 \
        return __half2(__builtin_bit_cast(__ks_half2_vector, bits));                                                   \
    }
KS_SHUFFLE(__shfl_sync, int)
KS_SHUFFLE(__shfl_up_sync, unsigned)
KS_SHUFFLE(__shfl_down_sync, unsigned)
KS_SHUFFLE(__shfl_xor_sync, int)
#undef KS_SHUFFLE
KS_DEVICE __half __ldg(const __half *p)
{
    return __ushort_as_half(__ldg(reinterpret_cast<const unsigned short *>(p)));
}
KS_DEVICE __half2 __ldg(const __half2 *p)
{
    return __half2(__builtin_bit_cast(__ks_half2_vector, __ldg(reinterpret_cast<const unsigned *>(p))));
}
KS_DEVICE __half atomicAdd(__half *p, __half value)
{
    unsigned short old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(__half_as_ushort(value)) : "memory");
    return __ushort_as_half(old);
}
KS_DEVICE __half2 atomicAdd(__half2 *p, __half2 value)
{
    unsigned old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(p), "r"(__builtin_bit_cast(unsigned, value.__vector()))
                 : "memory");
    return __half2(__builtin_bit_cast(__ks_half2_vector, old));
}
#define KS_T __half
#define KS_T2 __half2
#define KS_NAME(before, after) before##half##after
#define KS_FROM(after) __half##after
#define KS_BITS(a) __half_as_ushort(a)
#define KS_OF(bits) __ushort_as_half(bits)
#define KS_ROUND(a, mode) kernelskill_narrow::toHalf(a, kernelskill_narrow::mode)
#include "kernelskill/narrow_float_functions.h"
#undef KS_T
#undef KS_T2
#undef KS_NAME
#undef KS_FROM
#undef KS_BITS
#undef KS_OF
#undef KS_ROUND
#undef KS_BOTH
#undef KS_DEVICE
#pragma clang attribute pop
