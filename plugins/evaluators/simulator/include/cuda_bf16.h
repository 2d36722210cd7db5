// SPDX-License-Identifier: Apache-2.0
// bfloat16: storage in 16 bits, arithmetic in float32 rounded to nearest even.
#pragma once

#include "cuda_runtime.h"
#include "kernelskill/narrow_float_rounding.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

struct __nv_bfloat16_raw
{
    unsigned short x;
};

struct __attribute__((aligned(4))) __nv_bfloat162_raw
{
    unsigned short x, y;
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
    __host__ __device__ __nv_bfloat162(__nv_bfloat162_raw raw)
        : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y})
    {
    }
    __host__ __device__ operator __nv_bfloat162_raw() const
    {
        return {x.__bits, y.__bits};
    }
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
// A float rounded as asked.
namespace kernelskill_narrow {
enum BfloatRounding { bfloat_rn, bfloat_rz, bfloat_rd, bfloat_ru };
KS_BOTH __nv_bfloat16 toBfloat(float a, BfloatRounding mode)
{
    const unsigned bits = __builtin_bit_cast(unsigned, a);
    if (mode == bfloat_rn || (bits & 0x7fffffffu) > 0x7f800000u) return __nv_bfloat16(a);
    const bool negative = bits >> 31 != 0;
    const bool away = (bits & 0xffffu) != 0 && mode == (negative ? bfloat_rd : bfloat_ru);
    return __nv_bfloat16(__nv_bfloat16_raw{static_cast<unsigned short>((bits >> 16) + (away ? 1u : 0u))});
}
} // namespace kernelskill_narrow
KS_BOTH __nv_bfloat16 __float2bfloat16_rz(float a)
{
    return kernelskill_narrow::toBfloat(a, kernelskill_narrow::bfloat_rz);
}
KS_BOTH __nv_bfloat16 __float2bfloat16_rd(float a)
{
    return kernelskill_narrow::toBfloat(a, kernelskill_narrow::bfloat_rd);
}
KS_BOTH __nv_bfloat16 __float2bfloat16_ru(float a)
{
    return kernelskill_narrow::toBfloat(a, kernelskill_narrow::bfloat_ru);
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
KS_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a)
{
    return __nv_bfloat162(a.x, a.x);
}
KS_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a)
{
    return __nv_bfloat162(a.y, a.y);
}
KS_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.x, b.x);
}
KS_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.y, b.y);
}
KS_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a)
{
    return __nv_bfloat162(a.y, a.x);
}
KS_BOTH short __bfloat16_as_short(__nv_bfloat16 a)
{
    return static_cast<short>(a.__bits);
}
KS_BOTH __nv_bfloat16 __short_as_bfloat16(short a)
{
    return __nv_bfloat16(__nv_bfloat16_raw{static_cast<unsigned short>(a)});
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
KS_BOTH __nv_bfloat162 operator-(__nv_bfloat162 a)
{
    return __nv_bfloat162(-a.x, -a.y);
}
KS_BOTH __nv_bfloat162 __hneg2(__nv_bfloat162 a)
{
    return -a;
}
KS_BOTH __nv_bfloat162 __habs2(__nv_bfloat162 a)
{
    return __nv_bfloat162(__habs(a.x), __habs(a.y));
}
KS_BOTH __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return a / b;
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
    }                                                                                                                  \
    KS_BOTH __nv_bfloat162 name##2(__nv_bfloat162 a, __nv_bfloat162 b)                                                 \
    {                                                                                                                  \
        return __nv_bfloat162(__nv_bfloat16(a.x symbol b.x ? 1.0f : 0.0f),                                             \
                              __nv_bfloat16(a.y symbol b.y ? 1.0f : 0.0f));                                            \
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
KS_BOTH __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
KS_BOTH __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
KS_BOTH int __hisinf(__nv_bfloat16 a)
{
    return (a.__bits & 0x7fff) != 0x7f80 ? 0 : a.__bits & 0x8000 ? -1 : 1;
}

// --- functions: computed in float32, rounded once
#define KS_UNARY(name, expression)                                                                                     \
    KS_DEVICE __nv_bfloat16 h##name(__nv_bfloat16 h)                                                                   \
    {                                                                                                                  \
        const float a = static_cast<float>(h);                                                                         \
        return __nv_bfloat16(static_cast<float>(expression));                                                          \
    }                                                                                                                  \
    KS_DEVICE __nv_bfloat162 h2##name(__nv_bfloat162 h)                                                                \
    {                                                                                                                  \
        return __nv_bfloat162(h##name(h.x), h##name(h.y));                                                             \
    }
KS_UNARY(exp, __expf(a))
KS_UNARY(exp2, exp2f(a))
KS_UNARY(exp10, exp10f(a))
KS_UNARY(log, __logf(a))
KS_UNARY(log2, log2f(a))
KS_UNARY(log10, log10f(a))
KS_UNARY(tanh, tanhf(a))
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

#define KS_SHUFFLE(name, argument)                                                                                     \
    KS_DEVICE __nv_bfloat16 name(unsigned mask, __nv_bfloat16 value, argument lane, int width = 32)                    \
    {                                                                                                                  \
        return __ushort_as_bfloat16(                                                                                   \
            static_cast<unsigned short>(name(mask, static_cast<unsigned>(value.__bits), lane, width)));                \
    }                                                                                                                  \
    KS_DEVICE __nv_bfloat162 name(unsigned mask, __nv_bfloat162 value, argument lane, int width = 32)                  \
    {                                                                                                                  \
        return __builtin_bit_cast(__nv_bfloat162, name(mask, __builtin_bit_cast(unsigned, value), lane, width));       \
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
KS_DEVICE __nv_bfloat162 __ldg(const __nv_bfloat162 *p)
{
    return __builtin_bit_cast(__nv_bfloat162, __ldg(reinterpret_cast<const unsigned *>(p)));
}
#if __CUDA_ARCH__ >= 900
KS_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 value)
{
    unsigned short old;
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(value.__bits) : "memory");
    return __ushort_as_bfloat16(old);
}
KS_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 value)
{
    unsigned old;
    asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(p), "r"(__builtin_bit_cast(unsigned, value))
                 : "memory");
    return __builtin_bit_cast(__nv_bfloat162, old);
}
#else
// Before Hopper a loop of comparisons and exchanges.
KS_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 value)
{
    unsigned *word = reinterpret_cast<unsigned *>(p);
    unsigned seen = *word, before;
    do {
        before = seen;
        const __nv_bfloat162 sum = __builtin_bit_cast(__nv_bfloat162, before) + value;
        seen = atomicCAS(word, before, __builtin_bit_cast(unsigned, sum));
    } while (seen != before);
    return __builtin_bit_cast(__nv_bfloat162, before);
}
KS_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 value)
{
    unsigned short *half = reinterpret_cast<unsigned short *>(p);
    unsigned short seen = *half, before;
    do {
        before = seen;
        seen = atomicCAS(half, before, (__ushort_as_bfloat16(before) + value).__bits);
    } while (seen != before);
    return __ushort_as_bfloat16(before);
}
#endif
#define KS_T __nv_bfloat16
#define KS_T2 __nv_bfloat162
#define KS_NAME(before, after) before##bfloat16##after
#define KS_FROM(after) __bfloat16##after
#define KS_BITS(a) __bfloat16_as_ushort(a)
#define KS_OF(bits) __ushort_as_bfloat16(bits)
#define KS_ROUND(a, mode) kernelskill_narrow::toBfloat(a, kernelskill_narrow::bfloat_##mode)
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
