// SPDX-License-Identifier: Apache-2.0
// Scalar float functions written without branches so that loops over lanes become vector code.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#ifndef KERNELSKILL_ISA
#error "compiled once per instruction set: see CMakeLists.txt"
#endif

namespace kernelskill::simulator::KERNELSKILL_ISA {

struct Half { std::uint16_t bits; };
struct Bfloat { std::uint16_t bits; };
struct Half2 { std::uint32_t bits; };
struct Bfloat2 { std::uint32_t bits; };

inline std::uint32_t bitsOf(float v) { return __builtin_bit_cast(std::uint32_t, v); }
inline float floatOf(std::uint32_t v) { return __builtin_bit_cast(float, v); }
inline bool isNan(float v) { return (bitsOf(v) & 0x7fff'ffffu) > 0x7f80'0000u; }
inline bool isNan(double v) { return (__builtin_bit_cast(std::uint64_t, v) & ~(std::uint64_t{1} << 63)) > 0x7ff0'0000'0000'0000u; }

// Subnormal to zero of the same sign.
inline float flush(float v) {
    const std::uint32_t b = bitsOf(v);
    return floatOf((b & 0x7f80'0000u) == 0 ? b & 0x8000'0000u : b);
}
template <class T> inline T clamp01(T v) { return v > T{0} ? (v < T{1} ? v : T{1}) : T{0}; } // .sat: NaN becomes 0

// PTX min and max: the other operand when one is NaN; −0 is less than +0.
inline float minimum(float a, float b) {
    const float smaller = a < b ? a : (b < a ? b : floatOf(bitsOf(a) | bitsOf(b)));
    return isNan(a) ? b : (isNan(b) ? a : smaller);
}
inline float maximum(float a, float b) {
    const float greater = b < a ? a : (a < b ? b : floatOf(bitsOf(a) & bitsOf(b)));
    return isNan(a) ? b : (isNan(b) ? a : greater);
}
inline double minimum(double a, double b) {
    if (isNan(a)) return b;
    if (isNan(b)) return a;
    return a < b ? a : (b < a ? b : (std::signbit(a) ? a : b));
}
inline double maximum(double a, double b) {
    if (isNan(a)) return b;
    if (isNan(b)) return a;
    return b < a ? a : (a < b ? b : (std::signbit(a) ? b : a));
}

// binary16 → binary32: shift into place, then scale; subnormals come out right by the multiplication.
inline float halfToFloat(std::uint16_t h) {
    const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
    const std::uint32_t magnitude = h & 0x7fffu;
    const float scaled = floatOf(magnitude << 13) * 0x1p112f;
    const std::uint32_t special = magnitude >= 0x7c00u ? 0x7f80'0000u | magnitude << 13 : bitsOf(scaled);
    return floatOf(special | sign);
}
// binary32 → binary16, round to nearest even, without branches.
inline std::uint16_t floatToHalf(float f) {
    const std::uint32_t bits = bitsOf(f);
    const std::uint32_t sign = bits >> 16 & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7fff'ffffu;
    const std::uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u) - 0x3800'0000u) >> 13;
    // below 2^-14: adding 0.5 lets the float adder round to the subnormal's last place
    const std::uint32_t subnormal = bitsOf(floatOf(magnitude) + 0.5f) - 0x3f00'0000u;
    std::uint32_t result = magnitude < 0x3880'0000u ? subnormal : normal;
    result = magnitude >= 0x4780'0000u ? 0x7c00u : (result > 0x7c00u ? 0x7c00u : result);
    return static_cast<std::uint16_t>(magnitude > 0x7f80'0000u ? 0x7fffu : result | sign); // what is no number has one form
}
inline std::uint16_t doubleToHalf(double d) {
    // round to odd on the way to float, so that the second rounding is the only one that counts
    float f = static_cast<float>(d);
    const double back = f;
    if (back != d && !isNan(d) && std::isfinite(f)) {
        std::uint32_t b = bitsOf(f);
        if ((b & 1u) == 0) {
            const bool away = std::fabs(back) < std::fabs(d);
            b = away ? b + 1 : b - 1;
        }
        f = floatOf(b);
    }
    return floatToHalf(f);
}
inline float bfloatToFloat(std::uint16_t h) { return floatOf(static_cast<std::uint32_t>(h) << 16); }
inline std::uint16_t floatToBfloat(float f) {
    const std::uint32_t bits = bitsOf(f);
    const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return static_cast<std::uint16_t>(isNan(f) ? 0x7fffu : rounded);
}

// div.approx: a divisor whose reciprocal would be subnormal gives zero, or NaN under an infinite dividend.
inline float divideApproximate(float a, float b) {
    const float magnitude = __builtin_fabsf(b);
    const bool huge = (magnitude > 0x1p126f) & (magnitude <= 0x1.fffffep127f);
    const float zero = floatOf((bitsOf(a) ^ bitsOf(b)) & 0x8000'0000u);
    return huge ? (__builtin_fabsf(a) <= 0x1.fffffep127f ? zero : floatOf(0x7fff'ffffu)) : a / b;
}

// 2^x to about 1 unit in the last place: 2^n · 2^r with |r| ≤ 1/2 and a polynomial for 2^r.
inline float exp2Approximate(float x) {
    const float bounded = x < -160.0f ? -160.0f : (x > 160.0f ? 160.0f : x);
    const float shifted = bounded + 0x1.8p23f; // rounds to a whole number
    const float whole = shifted - 0x1.8p23f;
    const float r = bounded - whole;
    float p = 1.5252734e-5f;
    p = __builtin_fmaf(p, r, 1.5403530e-4f);
    p = __builtin_fmaf(p, r, 1.3333558e-3f);
    p = __builtin_fmaf(p, r, 9.6181291e-3f);
    p = __builtin_fmaf(p, r, 5.5504109e-2f);
    p = __builtin_fmaf(p, r, 2.4022651e-1f);
    p = __builtin_fmaf(p, r, 6.9314718e-1f);
    p = __builtin_fmaf(p, r, 1.0f);
    const std::int32_t n = static_cast<std::int32_t>(whole);
    const std::int32_t first = n / 2, second = n - first; // two steps, so that subnormals and overflow come out right
    const float scaled = p * floatOf(static_cast<std::uint32_t>(first + 127) << 23) * floatOf(static_cast<std::uint32_t>(second + 127) << 23);
    return isNan(x) ? x : scaled;
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
