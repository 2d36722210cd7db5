// SPDX-License-Identifier: Apache-2.0
// Device library, part 1: bits, integers, conversions and the directed-rounding arithmetic. The functions carry the
// names that the compiler's own CUDA wrappers call (`__nv_*`); every body is a handful of instructions and is always
// inlined.
#pragma once

extern "C" {
#define KS_FUNCTION __device__ inline __attribute__((always_inline))

// --- integers -------------------------------------------------------------------------------------------------------
KS_FUNCTION int __nv_abs(int a)
{
    return a < 0 ? -a : a;
}
KS_FUNCTION long long __nv_llabs(long long a)
{
    return a < 0 ? -a : a;
}
KS_FUNCTION int __nv_max(int a, int b)
{
    return a > b ? a : b;
}
KS_FUNCTION int __nv_min(int a, int b)
{
    return a < b ? a : b;
}
KS_FUNCTION unsigned int __nv_umax(unsigned int a, unsigned int b)
{
    return a > b ? a : b;
}
KS_FUNCTION unsigned int __nv_umin(unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}
KS_FUNCTION long long __nv_llmax(long long a, long long b)
{
    return a > b ? a : b;
}
KS_FUNCTION long long __nv_llmin(long long a, long long b)
{
    return a < b ? a : b;
}
KS_FUNCTION unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}
KS_FUNCTION unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}
KS_FUNCTION int __nv_brev(int a)
{
    return static_cast<int>(__builtin_bitreverse32(static_cast<unsigned>(a)));
}
KS_FUNCTION long long __nv_brevll(long long a)
{
    return static_cast<long long>(__builtin_bitreverse64(static_cast<unsigned long long>(a)));
}
KS_FUNCTION int __nv_clz(int a)
{
    return a == 0 ? 32 : __builtin_clz(static_cast<unsigned>(a));
}
KS_FUNCTION int __nv_clzll(long long a)
{
    return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a));
}
KS_FUNCTION int __nv_ffs(int a)
{
    return a == 0 ? 0 : __builtin_ctz(static_cast<unsigned>(a)) + 1;
}
KS_FUNCTION int __nv_ffsll(long long a)
{
    return a == 0 ? 0 : __builtin_ctzll(static_cast<unsigned long long>(a)) + 1;
}
KS_FUNCTION int __nv_popc(unsigned int a)
{
    return __builtin_popcount(a);
}
KS_FUNCTION int __nv_popcll(unsigned long long a)
{
    return __builtin_popcountll(a);
}
KS_FUNCTION int __nv_byte_perm(int a, int b, int c)
{
    unsigned result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c & 0x7777));
    return static_cast<int>(result);
}
KS_FUNCTION int __nv_mulhi(int a, int b)
{
    return static_cast<int>((static_cast<long long>(a) * b) >> 32);
}
KS_FUNCTION unsigned int __nv_umulhi(unsigned int a, unsigned int b)
{
    return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
KS_FUNCTION long long __nv_mul64hi(long long a, long long b)
{
    long long result;
    asm("mul.hi.s64 %0, %1, %2;" : "=l"(result) : "l"(a), "l"(b));
    return result;
}
KS_FUNCTION unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b)
{
    unsigned long long result;
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(result) : "l"(a), "l"(b));
    return result;
}
KS_FUNCTION int __nv_mul24(int a, int b)
{
    return ((a << 8) >> 8) * ((b << 8) >> 8);
}
KS_FUNCTION unsigned int __nv_umul24(unsigned int a, unsigned int b)
{
    return (a & 0xffffffu) * (b & 0xffffffu);
}
KS_FUNCTION int __nv_hadd(int a, int b)
{
    return (a & b) + ((a ^ b) >> 1);
}
KS_FUNCTION int __nv_rhadd(int a, int b)
{
    return (a | b) - ((a ^ b) >> 1);
}
KS_FUNCTION int __nv_uhadd(unsigned int a, unsigned int b)
{
    return static_cast<int>((a & b) + ((a ^ b) >> 1));
}
KS_FUNCTION unsigned int __nv_urhadd(unsigned int a, unsigned int b)
{
    return (a | b) - ((a ^ b) >> 1);
}
KS_FUNCTION int __nv_sad(int a, int b, int c)
{
    return (a > b ? a - b : b - a) + c;
}
KS_FUNCTION unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c)
{
    return (a > b ? a - b : b - a) + c;
}

// --- the same bits under another type
// -----------------------------------------------------------------------------------
KS_FUNCTION int __nv_float_as_int(float a)
{
    return __builtin_bit_cast(int, a);
}
KS_FUNCTION unsigned int __nv_float_as_uint(float a)
{
    return __builtin_bit_cast(unsigned, a);
}
KS_FUNCTION float __nv_int_as_float(int a)
{
    return __builtin_bit_cast(float, a);
}
KS_FUNCTION float __nv_uint_as_float(unsigned int a)
{
    return __builtin_bit_cast(float, a);
}
KS_FUNCTION unsigned long long __nv_double_as_longlong(double a)
{
    return __builtin_bit_cast(unsigned long long, a);
}
KS_FUNCTION double __nv_longlong_as_double(long long a)
{
    return __builtin_bit_cast(double, a);
}
KS_FUNCTION int __nv_double2hiint(double a)
{
    return static_cast<int>(__builtin_bit_cast(long long, a) >> 32);
}
KS_FUNCTION int __nv_double2loint(double a)
{
    return static_cast<int>(__builtin_bit_cast(long long, a));
}
KS_FUNCTION double __nv_hiloint2double(int high, int low)
{
    return __builtin_bit_cast(double, (static_cast<long long>(high) << 32) | static_cast<unsigned>(low));
}
KS_FUNCTION int __nv_signbitf(float a)
{
    return __builtin_bit_cast(int, a) < 0;
}
KS_FUNCTION int __nv_signbitd(double a)
{
    return __builtin_bit_cast(long long, a) < 0;
}
KS_FUNCTION int __nv_isnanf(float a)
{
    return a != a;
}
KS_FUNCTION int __nv_isnand(double a)
{
    return a != a;
}
KS_FUNCTION int __nv_isinff(float a)
{
    return (__builtin_bit_cast(unsigned, a) & 0x7fffffffu) == 0x7f800000u;
}
KS_FUNCTION int __nv_isinfd(double a)
{
    return (__builtin_bit_cast(unsigned long long, a) & 0x7fffffffffffffffull) == 0x7ff0000000000000ull;
}
KS_FUNCTION int __nv_finitef(float a)
{
    return (__builtin_bit_cast(unsigned, a) & 0x7fffffffu) < 0x7f800000u;
}
KS_FUNCTION int __nv_isfinited(double a)
{
    return (__builtin_bit_cast(unsigned long long, a) & 0x7fffffffffffffffull) < 0x7ff0000000000000ull;
}

// --- arithmetic and conversions with a stated rounding: nearest, to zero, down, up
// -------------------------------------------
#define KS_BINARY(name, type, operation, letter)                                                                       \
    KS_FUNCTION type __nv_##name##_rn(type a, type b)                                                                  \
    {                                                                                                                  \
        return __nvvm_##operation##_rn_##letter(a, b);                                                                 \
    }                                                                                                                  \
    KS_FUNCTION type __nv_##name##_rz(type a, type b)                                                                  \
    {                                                                                                                  \
        return __nvvm_##operation##_rz_##letter(a, b);                                                                 \
    }                                                                                                                  \
    KS_FUNCTION type __nv_##name##_rd(type a, type b)                                                                  \
    {                                                                                                                  \
        return __nvvm_##operation##_rm_##letter(a, b);                                                                 \
    }                                                                                                                  \
    KS_FUNCTION type __nv_##name##_ru(type a, type b)                                                                  \
    {                                                                                                                  \
        return __nvvm_##operation##_rp_##letter(a, b);                                                                 \
    }
#define KS_UNARY(name, type, operation, letter)                                                                        \
    KS_FUNCTION type __nv_##name##_rn(type a)                                                                          \
    {                                                                                                                  \
        return __nvvm_##operation##_rn_##letter(a);                                                                    \
    }                                                                                                                  \
    KS_FUNCTION type __nv_##name##_rz(type a)                                                                          \
    {                                                                                                                  \
        return __nvvm_##operation##_rz_##letter(a);                                                                    \
    }                                                                                                                  \
    KS_FUNCTION type __nv_##name##_rd(type a)                                                                          \
    {                                                                                                                  \
        return __nvvm_##operation##_rm_##letter(a);                                                                    \
    }                                                                                                                  \
    KS_FUNCTION type __nv_##name##_ru(type a)                                                                          \
    {                                                                                                                  \
        return __nvvm_##operation##_rp_##letter(a);                                                                    \
    }
#define KS_FMA(name, type, letter)                                                                                     \
    KS_FUNCTION type __nv_##name##_rn(type a, type b, type c)                                                          \
    {                                                                                                                  \
        return __nvvm_fma_rn_##letter(a, b, c);                                                                        \
    }                                                                                                                  \
    KS_FUNCTION type __nv_##name##_rz(type a, type b, type c)                                                          \
    {                                                                                                                  \
        return __nvvm_fma_rz_##letter(a, b, c);                                                                        \
    }                                                                                                                  \
    KS_FUNCTION type __nv_##name##_rd(type a, type b, type c)                                                          \
    {                                                                                                                  \
        return __nvvm_fma_rm_##letter(a, b, c);                                                                        \
    }                                                                                                                  \
    KS_FUNCTION type __nv_##name##_ru(type a, type b, type c)                                                          \
    {                                                                                                                  \
        return __nvvm_fma_rp_##letter(a, b, c);                                                                        \
    }
#define KS_CONVERT(name, from, to, operation)                                                                          \
    KS_FUNCTION to __nv_##name##_rn(from a)                                                                            \
    {                                                                                                                  \
        return static_cast<to>(__nvvm_##operation##_rn(a));                                                            \
    }                                                                                                                  \
    KS_FUNCTION to __nv_##name##_rz(from a)                                                                            \
    {                                                                                                                  \
        return static_cast<to>(__nvvm_##operation##_rz(a));                                                            \
    }                                                                                                                  \
    KS_FUNCTION to __nv_##name##_rd(from a)                                                                            \
    {                                                                                                                  \
        return static_cast<to>(__nvvm_##operation##_rm(a));                                                            \
    }                                                                                                                  \
    KS_FUNCTION to __nv_##name##_ru(from a)                                                                            \
    {                                                                                                                  \
        return static_cast<to>(__nvvm_##operation##_rp(a));                                                            \
    }
KS_BINARY(fadd, float, add, f)
KS_BINARY(fmul, float, mul, f)
KS_BINARY(fdiv, float, div, f)
KS_BINARY(dadd, double, add, d)
KS_BINARY(dmul, double, mul, d)
KS_BINARY(ddiv, double, div, d)
KS_UNARY(frcp, float, rcp, f)
KS_UNARY(drcp, double, rcp, d)
KS_UNARY(fsqrt, float, sqrt, f)
KS_UNARY(dsqrt, double, sqrt, d)
KS_FMA(fma, double, d)
KS_FMA(fmaf, float, f)
KS_FMA(fmaf_ieee, float, f)
#define KS_SUBTRACT(prefix, type, suffix)                                                                              \
    KS_FUNCTION type __nv_##prefix##sub_##suffix(type a, type b)                                                       \
    {                                                                                                                  \
        return __nv_##prefix##add_##suffix(a, -b);                                                                     \
    }
KS_SUBTRACT(f, float, rn)
KS_SUBTRACT(f, float, rz)
KS_SUBTRACT(f, float, rd)
KS_SUBTRACT(f, float, ru)
KS_SUBTRACT(d, double, rn)
KS_SUBTRACT(d, double, rz)
KS_SUBTRACT(d, double, rd)
KS_SUBTRACT(d, double, ru)
KS_CONVERT(double2float, double, float, d2f)
KS_CONVERT(double2int, double, int, d2i)
KS_CONVERT(double2uint, double, unsigned int, d2ui)
KS_CONVERT(double2ll, double, long long, d2ll)
KS_CONVERT(double2ull, double, unsigned long long, d2ull)
KS_CONVERT(float2int, float, int, f2i)
KS_CONVERT(float2uint, float, unsigned int, f2ui)
KS_CONVERT(float2ll, float, long long, f2ll)
KS_CONVERT(float2ull, float, unsigned long long, f2ull)
// From integers: the compiler takes its own intrinsic of rounding to zero for rounding to nearest, hence as text.
#define KS_FROM_INTEGER(name, from, to, operation, instruction, result, source)                                        \
    KS_FUNCTION to __nv_##name##_rn(from a)                                                                            \
    {                                                                                                                  \
        return static_cast<to>(__nvvm_##operation##_rn(a));                                                            \
    }                                                                                                                  \
    KS_FUNCTION to __nv_##name##_rz(from a)                                                                            \
    {                                                                                                                  \
        to value;                                                                                                      \
        asm("cvt.rz." instruction " %0, %1;" : "=" result(value) : source(a));                                         \
        return value;                                                                                                  \
    }                                                                                                                  \
    KS_FUNCTION to __nv_##name##_rd(from a)                                                                            \
    {                                                                                                                  \
        return static_cast<to>(__nvvm_##operation##_rm(a));                                                            \
    }                                                                                                                  \
    KS_FUNCTION to __nv_##name##_ru(from a)                                                                            \
    {                                                                                                                  \
        return static_cast<to>(__nvvm_##operation##_rp(a));                                                            \
    }
KS_FROM_INTEGER(int2float, int, float, i2f, "f32.s32", "f", "r")
KS_FROM_INTEGER(uint2float, unsigned int, float, ui2f, "f32.u32", "f", "r")
KS_FROM_INTEGER(ll2float, long long, float, ll2f, "f32.s64", "f", "l")
KS_FROM_INTEGER(ull2float, unsigned long long, float, ull2f, "f32.u64", "f", "l")
KS_FROM_INTEGER(ll2double, long long, double, ll2d, "f64.s64", "d", "l")
KS_FROM_INTEGER(ull2double, unsigned long long, double, ull2d, "f64.u64", "d", "l")
#undef KS_FROM_INTEGER
KS_FUNCTION double __nv_int2double_rn(int a)
{
    return static_cast<double>(a);
}
KS_FUNCTION double __nv_uint2double_rn(unsigned int a)
{
    return static_cast<double>(a);
}
#undef KS_BINARY
#undef KS_UNARY
#undef KS_FMA
#undef KS_CONVERT
#undef KS_SUBTRACT

// --- what the hardware does in one instruction
// ------------------------------------------------------------------------------
KS_FUNCTION float __nv_fabsf(float a)
{
    return __builtin_fabsf(a);
}
KS_FUNCTION double __nv_fabs(double a)
{
    return __builtin_fabs(a);
}
KS_FUNCTION float __nv_fmaxf(float a, float b)
{
    return __nvvm_fmax_f(a, b);
}
KS_FUNCTION float __nv_fminf(float a, float b)
{
    return __nvvm_fmin_f(a, b);
}
KS_FUNCTION double __nv_fmax(double a, double b)
{
    return __nvvm_fmax_d(a, b);
}
KS_FUNCTION double __nv_fmin(double a, double b)
{
    return __nvvm_fmin_d(a, b);
}
KS_FUNCTION float __nv_fmaf(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
KS_FUNCTION double __nv_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
KS_FUNCTION float __nv_sqrtf(float a)
{
    return __nvvm_sqrt_rn_f(a);
}
KS_FUNCTION double __nv_sqrt(double a)
{
    return __nvvm_sqrt_rn_d(a);
}
KS_FUNCTION float __nv_rsqrtf(float a)
{
    return __nvvm_rsqrt_approx_f(a);
}
KS_FUNCTION float __nv_frsqrt_rn(float a)
{
    return __nvvm_rsqrt_approx_f(a);
}
KS_FUNCTION float __nv_floorf(float a)
{
    return __builtin_floorf(a);
}
KS_FUNCTION double __nv_floor(double a)
{
    return __builtin_floor(a);
}
KS_FUNCTION float __nv_ceilf(float a)
{
    return __builtin_ceilf(a);
}
KS_FUNCTION double __nv_ceil(double a)
{
    return __builtin_ceil(a);
}
KS_FUNCTION float __nv_truncf(float a)
{
    return __builtin_truncf(a);
}
KS_FUNCTION double __nv_trunc(double a)
{
    return __builtin_trunc(a);
}
KS_FUNCTION float __nv_rintf(float a)
{
    return __builtin_rintf(a);
}
KS_FUNCTION double __nv_rint(double a)
{
    return __builtin_rint(a);
}
KS_FUNCTION float __nv_nearbyintf(float a)
{
    return __builtin_rintf(a);
}
KS_FUNCTION double __nv_nearbyint(double a)
{
    return __builtin_rint(a);
}
KS_FUNCTION long long __nv_llrint(double a)
{
    return __nvvm_d2ll_rn(a);
}
KS_FUNCTION long long __nv_llrintf(float a)
{
    return __nvvm_f2ll_rn(a);
}
// The sign of one, all else of the other: a LOP3 of the machine.
KS_FUNCTION float __nv_copysignf(float a, float b)
{
    return __nv_uint_as_float((__nv_float_as_uint(a) & 0x7fffffffu) | (__nv_float_as_uint(b) & 0x80000000u));
}
KS_FUNCTION double __nv_copysign(double a, double b)
{
    const unsigned high = (static_cast<unsigned>(__nv_double2hiint(a)) & 0x7fffffffu) |
                          (static_cast<unsigned>(__nv_double2hiint(b)) & 0x80000000u);
    return __nv_hiloint2double(static_cast<int>(high), __nv_double2loint(a));
}
KS_FUNCTION float __nv_saturatef(float a)
{
    return __nvvm_saturate_f(a);
}
// Halves away from zero: half a unit more, cut off on the way.
KS_FUNCTION float __nv_roundf(float a)
{
    return __builtin_truncf(__nvvm_add_rz_f(a, __nv_copysignf(0.5f, a)));
}
KS_FUNCTION double __nv_round(double a)
{
    return __builtin_trunc(__nvvm_add_rz_d(a, __nv_copysign(0.5, a)));
}
KS_FUNCTION long long __nv_llround(double a)
{
    return static_cast<long long>(__nv_round(a));
}
KS_FUNCTION long long __nv_llroundf(float a)
{
    return static_cast<long long>(__nv_roundf(a));
}
} // extern "C"
