// SPDX-License-Identifier: Apache-2.0
// cvt: between integers, floats and halves, with rounding and saturation.
#include "engine/execution/isa/float_functions.h"
#include "engine/execution/isa/lanes.h"

#include <cfenv>
#include <limits>

namespace kernelskill::simulator::KERNELSKILL_ISA {
namespace {

using ptx::Type;

template <class T> inline constexpr bool isHalf = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;
template <class T> inline constexpr bool isReal = std::is_floating_point_v<T> || isHalf<T>;

template <class T> inline auto wide(T v) {
    if constexpr (std::is_same_v<T, Half>) return halfToFloat(v.bits);
    else if constexpr (std::is_same_v<T, Bfloat>) return bfloatToFloat(v.bits);
    else return v;
}

template <class F> inline F roundWhole(F v, int rounding) {
    switch (rounding) {
    case 0: if constexpr (sizeof(F) == 4) return __builtin_rintf(v); else return __builtin_rint(v);
    case 1: if constexpr (sizeof(F) == 4) return __builtin_truncf(v); else return __builtin_trunc(v);
    case 2: if constexpr (sizeof(F) == 4) return __builtin_floorf(v); else return __builtin_floor(v);
    default: if constexpr (sizeof(F) == 4) return __builtin_ceilf(v); else return __builtin_ceil(v);
    }
}

// Out of range clamps, NaN becomes 0 — the hardware's rule, whether or not .sat is given.
template <class I, class F> inline I toInteger(F v) {
    constexpr F low = static_cast<F>(std::numeric_limits<I>::min());
    const F beyond = static_cast<F>(std::numeric_limits<I>::max() / 2 + 1) * F{2};
    if constexpr (sizeof(I) <= 2) {
        const F bounded = v > low ? (v < beyond - 1 ? v : beyond - 1) : low;
        return isNan(v) ? I{0} : static_cast<I>(static_cast<std::int32_t>(isNan(v) ? F{0} : bounded));
    } else {
        if (isNan(v)) return sizeof(F) == 8 || sizeof(I) == 8 ? static_cast<I>(I{1} << (sizeof(I) * 8 - 1)) : I{0};
        if (v <= low) return std::numeric_limits<I>::min();
        if (v >= beyond) return std::numeric_limits<I>::max();
        return static_cast<I>(v);
    }
}

template <class To, class From, int R, bool Saturate, bool Ftz, bool Whole> inline To convertOne(From from) {
    if constexpr (isReal<From> && std::is_integral_v<To>) {
        auto v = wide(from);
        if constexpr (Ftz && std::is_same_v<From, float>) v = flush(v);
        return toInteger<To>(roundWhole(v, R));
    } else if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
        if constexpr (!Saturate) return static_cast<To>(from);
        else {
            __extension__ using W = __int128;
            const W v = from, low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
            return static_cast<To>(v < low ? low : v > high ? high : v);
        }
    } else if constexpr (std::is_integral_v<From>) {
        if constexpr (isHalf<To>) {
            const double exact = static_cast<double>(from);
            if constexpr (std::is_same_v<To, Half>) return {doubleToHalf(exact)};
            else return {floatToBfloat(static_cast<float>(from))};
        } else return static_cast<To>(from);
    } else {
        auto v = wide(from);
        if constexpr (Ftz && std::is_same_v<From, float>) v = flush(v);
        if constexpr (Whole) v = roundWhole(v, R);
        if constexpr (Saturate) v = clamp01(v);
        if constexpr (std::is_same_v<To, Half>) { if constexpr (sizeof(v) == 8) return {doubleToHalf(v)}; else return {floatToHalf(v)}; }
        else if constexpr (std::is_same_v<To, Bfloat>) return {floatToBfloat(static_cast<float>(v))};
        else if constexpr (Ftz && std::is_same_v<To, float>) return flush(static_cast<float>(v));
        else return static_cast<To>(v);
    }
}

// A narrow result fills its register: with the sign when it has one.
template <class To> inline Row<To> toRegister(To value) {
    if constexpr (std::is_integral_v<To> && std::is_signed_v<To> && sizeof(To) < 4) return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    else return toLane<To>(value);
}

template <class To, class From, class Source, auto F, bool Full> void convertRow(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<Row<To>>(op.d);
    const auto *a = context.source<Source>(op.a);
#pragma GCC ivdep
    for (int i = 0; i < laneCount; ++i) keep<Full>(d, i, toRegister<To>(F(fromLane<From>(static_cast<Row<From>>(a[i])))), context.exec);
}

// Rounding other than to nearest between floats: done by the host's rounding mode for doubles to floats and integers to
// floats, by bits for the halves.
template <class To, class From> void directedRow(WarpContext &context, const MicroOp &op) {
    static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    auto *d = context.row<Row<To>>(op.d);
    const auto *a = context.source<Row<From>>(op.a);
    const int mode = static_cast<int>(op.immediate & 7);
    const int before = std::fegetround();
    std::fesetround(modes[mode]);
    for (int i = 0; i < laneCount; ++i) {
        volatile auto v = wide(fromLane<From>(a[i]));
        To result;
        if constexpr (isHalf<To>) {
            // cut towards zero, then step away when the direction asks for it
            constexpr bool bf = std::is_same_v<To, Bfloat>;
            const float f = static_cast<float>(v);
            const std::uint32_t nearest = bf ? floatToBfloat(f) : floatToHalf(f);
            const float back = bf ? bfloatToFloat(static_cast<std::uint16_t>(nearest)) : halfToFloat(static_cast<std::uint16_t>(nearest));
            std::uint32_t bits = nearest;
            const bool negative = std::signbit(f);
            const bool towardsZero = mode == 1 || (mode == 2 && !negative) || (mode == 3 && negative);
            if (towardsZero && std::fabs(back) > std::fabs(f)) --bits;
            if (!towardsZero && mode != 0 && std::fabs(back) < std::fabs(f)) ++bits;
            result.bits = static_cast<std::uint16_t>(bits);
        } else {
            result = static_cast<To>(v);
        }
        keep<false>(d, i, toLane<To>(result), context.exec);
    }
    std::fesetround(before);
}

template <class To, class From, int R, bool Saturate, bool Ftz, bool Whole> Handlers rows(bool wideRow) {
    constexpr auto F = convertOne<To, From, R, Saturate, Ftz, Whole>;
    if constexpr (sizeof(From) < 8)
        if (wideRow) return {convertRow<To, From, std::uint64_t, F, false>, convertRow<To, From, std::uint64_t, F, false>};
    // narrow types are rare: one handler serves full and partial warps, which halves the code of this file
    if constexpr (sizeof(To) < 4 || sizeof(From) < 4) return {convertRow<To, From, Row<From>, F, false>, convertRow<To, From, Row<From>, F, false>};
    else return {convertRow<To, From, Row<From>, F, true>, convertRow<To, From, Row<From>, F, false>};
}

template <class To, class From> Handlers between(const ConvertKey &key) {
    if constexpr (isReal<From> && std::is_integral_v<To>) {
        const int r = key.rounding == Rounding::Nearest ? 0 : key.rounding == Rounding::Zero ? 1 : key.rounding == Rounding::Down ? 2 : 3;
        switch (r) {
        case 0: return key.ftz ? rows<To, From, 0, false, true, true>(false) : rows<To, From, 0, false, false, true>(false);
        case 1: return key.ftz ? rows<To, From, 1, false, true, true>(false) : rows<To, From, 1, false, false, true>(false);
        case 2: return key.ftz ? rows<To, From, 2, false, true, true>(false) : rows<To, From, 2, false, false, true>(false);
        default: return key.ftz ? rows<To, From, 3, false, true, true>(false) : rows<To, From, 3, false, false, true>(false);
        }
    } else if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
        return key.saturate ? rows<To, From, 0, true, false, false>(key.wideRow) : rows<To, From, 0, false, false, false>(key.wideRow);
    } else if constexpr (std::is_integral_v<From>) {
        if (key.rounding != Rounding::Nearest) return {directedRow<To, From>, directedRow<To, From>};
        return rows<To, From, 0, false, false, false>(key.wideRow);
    } else {
        if (key.toInteger) {
            switch (key.rounding) {
            case Rounding::Zero: return key.ftz ? rows<To, From, 1, false, true, true>(false) : rows<To, From, 1, false, false, true>(false);
            case Rounding::Down: return key.ftz ? rows<To, From, 2, false, true, true>(false) : rows<To, From, 2, false, false, true>(false);
            case Rounding::Up: return key.ftz ? rows<To, From, 3, false, true, true>(false) : rows<To, From, 3, false, false, true>(false);
            default: return key.ftz ? rows<To, From, 0, false, true, true>(false) : rows<To, From, 0, false, false, true>(false);
            }
        }
        constexpr bool narrows = sizeof(To) < sizeof(From);
        if (narrows && key.rounding != Rounding::Nearest) return {directedRow<To, From>, directedRow<To, From>};
        if (key.saturate) return key.ftz ? rows<To, From, 0, true, true, false>(false) : rows<To, From, 0, true, false, false>(false);
        return key.ftz ? rows<To, From, 0, false, true, false>(false) : rows<To, From, 0, false, false, false>(false);
    }
}

template <class To> Handlers into(const ConvertKey &key) {
    switch (key.from) {
    case Type::U8: case Type::B8: return between<To, std::uint8_t>(key);
    case Type::S8: return between<To, std::int8_t>(key);
    case Type::U16: case Type::B16: return between<To, std::uint16_t>(key);
    case Type::S16: return between<To, std::int16_t>(key);
    case Type::U32: case Type::B32: return between<To, std::uint32_t>(key);
    case Type::S32: return between<To, std::int32_t>(key);
    case Type::U64: case Type::B64: return between<To, std::uint64_t>(key);
    case Type::S64: return between<To, std::int64_t>(key);
    case Type::F16: return between<To, Half>(key);
    case Type::Bf16: return between<To, Bfloat>(key);
    case Type::F32: return between<To, float>(key);
    case Type::F64: return between<To, double>(key);
    default: return {};
    }
}

// cvt.rn.f16x2.f32 d, a, b: a in the upper half
template <bool Brain, bool Relu> std::uint32_t packHalves(float a, float b) {
    if constexpr (Relu) { a = a > 0.0f || isNan(a) ? a : 0.0f; b = b > 0.0f || isNan(b) ? b : 0.0f; }
    const std::uint32_t high = Brain ? floatToBfloat(a) : floatToHalf(a), low = Brain ? floatToBfloat(b) : floatToHalf(b);
    return high << 16 | low;
}
template <bool Brain> std::uint32_t packHalvesCut(float a, float b) {
    const auto cut = [](float f) -> std::uint32_t {
        if constexpr (Brain) return bitsOf(f) >> 16;
        std::uint32_t h = floatToHalf(f);
        return std::fabs(halfToFloat(static_cast<std::uint16_t>(h))) > std::fabs(f) ? h - 1 : h;
    };
    return cut(a) << 16 | cut(b);
}
std::uint32_t toTf32(float a) { // nearest, ties away
    return isNan(a) || (bitsOf(a) & 0x7f80'0000u) == 0x7f80'0000u ? bitsOf(a) : (bitsOf(a) + 0x1000u) & 0xffff'e000u;
}

} // namespace

Handlers selectConvert(const ConvertKey &key) {
    const bool cut = key.rounding == Rounding::Zero;
    switch (key.to) {
    case Type::F16x2:
        if (cut) return binary<std::uint32_t, float, float, packHalvesCut<false>>();
        return key.relu ? binary<std::uint32_t, float, float, packHalves<false, true>>() : binary<std::uint32_t, float, float, packHalves<false, false>>();
    case Type::Bf16x2:
        if (cut) return binary<std::uint32_t, float, float, packHalvesCut<true>>();
        return key.relu ? binary<std::uint32_t, float, float, packHalves<true, true>>() : binary<std::uint32_t, float, float, packHalves<true, false>>();
    case Type::Tf32: return unary<std::uint32_t, float, toTf32>();
    case Type::U8: case Type::B8: return into<std::uint8_t>(key);
    case Type::S8: return into<std::int8_t>(key);
    case Type::U16: case Type::B16: return into<std::uint16_t>(key);
    case Type::S16: return into<std::int16_t>(key);
    case Type::U32: case Type::B32: return into<std::uint32_t>(key);
    case Type::S32: return into<std::int32_t>(key);
    case Type::U64: case Type::B64: return into<std::uint64_t>(key);
    case Type::S64: return into<std::int64_t>(key);
    case Type::F16: return key.relu ? Handlers{} : into<Half>(key);
    case Type::Bf16: return key.relu ? Handlers{} : into<Bfloat>(key);
    case Type::F32: return into<float>(key);
    case Type::F64: return into<double>(key);
    default: return {};
    }
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
