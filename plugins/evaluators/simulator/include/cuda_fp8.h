// SPDX-License-Identifier: Apache-2.0
// Eight-bit floats: E4M3 (largest value 448, no infinity) and E5M2 (largest 57344), as storage with conversions.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#define KS_BOTH static __inline__ __host__ __device__
namespace kernelskill_fp8 {

struct Format
{
    int mantissaBits, bias;
    unsigned largest;  // bits of the largest finite value
    unsigned overflow; // bits beyond it, without saturation
};
KS_BOTH Format format(__nv_fp8_interpretation_t kind)
{
    return kind == __NV_E4M3 ? Format{3, 7, 0x7e, 0x7f} : Format{2, 15, 0x7b, 0x7c};
}

// Rounds to nearest, ties to even, from the bits of a double, which holds every source exactly.
KS_BOTH unsigned char encode(double value, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind)
{
    const Format f = format(kind);
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
    const unsigned sign = static_cast<unsigned>(bits >> 63) << 7;
    const unsigned long long magnitude = bits & 0x7fffffffffffffffull;
    if (magnitude > 0x7ff0000000000000ull) return static_cast<unsigned char>(sign | 0x7f);
    if (magnitude == 0) return static_cast<unsigned char>(sign);
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    // Below the least normal exponent the mantissa loses a bit a step.
    const int least = 1 - f.bias, kept = f.mantissaBits - (exponent < least ? least - exponent : 0);
    const unsigned long long mantissa = (magnitude & 0xfffffffffffffull) | 0x10000000000000ull;
    unsigned result = 0;
    if (kept >= -1) {
        const int dropped = 52 - kept;
        unsigned long long rounded = mantissa >> dropped;
        const unsigned long long rest = mantissa & ((1ull << dropped) - 1), half = 1ull << (dropped - 1);
        rounded += rest > half || (rest == half && (rounded & 1));
        // The hidden bit carries into the exponent, as rounding up past the mantissa does.
        result = exponent < least ? static_cast<unsigned>(rounded)
                                  : static_cast<unsigned>(rounded) +
                                        (static_cast<unsigned>(exponent + f.bias - 1) << f.mantissaBits);
        if (exponent + f.bias > 31 || result > f.largest)
            result = saturation == __NV_SATFINITE ? f.largest : f.overflow;
    }
    return static_cast<unsigned char>(sign | result);
}
KS_BOTH float decode(unsigned char bits, __nv_fp8_interpretation_t kind)
{
    const Format f = format(kind);
    const unsigned magnitude = bits & 0x7fu, mantissaMask = (1u << f.mantissaBits) - 1;
    const unsigned sign = static_cast<unsigned>(bits & 0x80) << 24;
    if (kind == __NV_E4M3 ? magnitude == 0x7f : magnitude > 0x7c) return __builtin_bit_cast(float, 0x7fffffffu);
    if (kind == __NV_E5M2 && magnitude == 0x7c) return __builtin_bit_cast(float, sign | 0x7f800000u);
    const unsigned exponent = magnitude >> f.mantissaBits, mantissa = magnitude & mantissaMask;
    if (exponent == 0) {
        // mantissa · 2^(1 − bias − mantissaBits)
        const float unit = __builtin_bit_cast(float, static_cast<unsigned>(127 + 1 - f.bias - f.mantissaBits) << 23);
        const float value = static_cast<float>(mantissa) * unit;
        return sign ? -value : value;
    }
    return __builtin_bit_cast(float, sign | (exponent + 127 - static_cast<unsigned>(f.bias)) << 23 |
                                         mantissa << (23 - f.mantissaBits));
}

} // namespace kernelskill_fp8

KS_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                  __nv_fp8_interpretation_t kind)
{
    return kernelskill_fp8::encode(x, saturation, kind);
}
KS_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind)
{
    return kernelskill_fp8::encode(x, saturation, kind);
}
KS_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturation,
                                                      __nv_fp8_interpretation_t kind)
{
    return static_cast<__nv_fp8x2_storage_t>(kernelskill_fp8::encode(x.x, saturation, kind) |
                                             kernelskill_fp8::encode(x.y, saturation, kind) << 8);
}
KS_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation,
                                                   __nv_fp8_interpretation_t kind)
{
    return kernelskill_fp8::encode(static_cast<float>(__half(x)), saturation, kind);
}
KS_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    return __half(kernelskill_fp8::decode(x, kind));
}

KS_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturation,
                                                       __nv_fp8_interpretation_t kind)
{
    return static_cast<__nv_fp8x2_storage_t>(kernelskill_fp8::encode(x.x, saturation, kind) |
                                             kernelskill_fp8::encode(x.y, saturation, kind) << 8);
}
KS_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturation,
                                                        __nv_fp8_interpretation_t kind)
{
    return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_halfraw_to_fp8(__half_raw{x.x}, saturation, kind) |
                                             __nv_cvt_halfraw_to_fp8(__half_raw{x.y}, saturation, kind) << 8);
}
KS_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                       __nv_fp8_interpretation_t kind)
{
    return kernelskill_fp8::encode(static_cast<float>(__nv_bfloat16(x)), saturation, kind);
}
KS_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturation,
                                                            __nv_fp8_interpretation_t kind)
{
    return static_cast<__nv_fp8x2_storage_t>(
        __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.x}, saturation, kind) |
        __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.y}, saturation, kind) << 8);
}
KS_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind)
{
    return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x & 0xff), kind).x,
            __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), kind).x};
}

#define KS_FP8(name, kind)                                                                                             \
    struct name                                                                                                        \
    {                                                                                                                  \
        __nv_fp8_storage_t __x;                                                                                        \
        name() = default;                                                                                              \
        __host__ __device__ explicit name(float x) : __x(kernelskill_fp8::encode(x, __NV_SATFINITE, kind)) {}          \
        __host__ __device__ explicit name(double x) : __x(kernelskill_fp8::encode(x, __NV_SATFINITE, kind)) {}         \
        __host__ __device__ explicit name(int x) : __x(kernelskill_fp8::encode(x, __NV_SATFINITE, kind)) {}            \
        __host__ __device__ explicit name(__half x)                                                                    \
            : __x(kernelskill_fp8::encode(static_cast<float>(x), __NV_SATFINITE, kind))                                \
        {                                                                                                              \
        }                                                                                                              \
        __host__ __device__ explicit name(__nv_bfloat16 x)                                                             \
            : __x(kernelskill_fp8::encode(static_cast<float>(x), __NV_SATFINITE, kind))                                \
        {                                                                                                              \
        }                                                                                                              \
        __host__ __device__ explicit operator float() const                                                            \
        {                                                                                                              \
            return kernelskill_fp8::decode(__x, kind);                                                                 \
        }                                                                                                              \
        __host__ __device__ explicit operator double() const                                                           \
        {                                                                                                              \
            return kernelskill_fp8::decode(__x, kind);                                                                 \
        }                                                                                                              \
        __host__ __device__ explicit operator __half() const                                                           \
        {                                                                                                              \
            return __half(kernelskill_fp8::decode(__x, kind));                                                         \
        }                                                                                                              \
    };
KS_FP8(__nv_fp8_e4m3, __NV_E4M3)
KS_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef KS_FP8
#undef KS_BOTH

#pragma clang attribute pop
