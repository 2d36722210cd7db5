// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/rare/number_formats.h"

#include "engine/execution/rare/lane_operation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace kernelskill::simulator {
namespace {

using ptx::Type;

struct Format {
    int exponentBits, fractionBits;
    bool infinities; // false: the top exponent holds numbers, all ones is the only NaN (e4m3)
    int shift = 0;   // of the format's lowest bit in the result (tf32: the low bits of a float are zero)
};

Format formatOf(Type type) {
    switch (type) {
    case Type::F16: return {5, 10, true};
    case Type::Bf16: return {8, 7, true};
    case Type::Tf32: return {8, 10, true, 13};
    case Type::F8E4m3x2: return {4, 3, false};
    case Type::F8E5m2x2: return {5, 2, true};
    case Type::F64: return {11, 52, true};
    default: return {8, 23, true};
    }
}

int biasOf(const Format &f) { return (1 << (f.exponentBits - 1)) - 1; }

long double decoded(std::uint64_t bits, const Format &f) {
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << f.fractionBits) - 1), top = (std::uint64_t{1} << f.exponentBits) - 1;
    const std::uint64_t exponent = bits >> f.fractionBits & top;
    const bool negative = bits >> (f.fractionBits + f.exponentBits) & 1;
    long double value;
    if (exponent == top && f.infinities) value = fraction != 0 ? std::numeric_limits<long double>::quiet_NaN() : std::numeric_limits<long double>::infinity();
    else if (exponent == top && fraction == (std::uint64_t{1} << f.fractionBits) - 1) value = std::numeric_limits<long double>::quiet_NaN();
    else if (exponent == 0) value = std::ldexp(static_cast<long double>(fraction), 1 - biasOf(f) - f.fractionBits);
    else value = std::ldexp(static_cast<long double>(fraction | std::uint64_t{1} << f.fractionBits), static_cast<int>(exponent) - biasOf(f) - f.fractionBits);
    return negative ? -value : value;
}

// The not negative value in units of its last place, rounded.
long double roundedUnits(long double units, Rounding rounding, bool negative) {
    const long double below = std::floor(units), rest = units - below;
    switch (rounding) {
    case Rounding::Zero: return below;
    case Rounding::Down: return negative && rest > 0 ? below + 1 : below;
    case Rounding::Up: return !negative && rest > 0 ? below + 1 : below;
    case Rounding::NearestAway: return rest >= 0.5L ? below + 1 : below;
    case Rounding::Nearest: break;
    }
    const bool odd = std::fmod(below, 2.0L) != 0;
    return rest > 0.5L || (rest == 0.5L && odd) ? below + 1 : below;
}

std::uint64_t integerBits(long double value, Type type) {
    const int bits = ptx::typeBytes(type) * 8;
    if (std::isnan(value)) return 0;
    const long double limit = std::ldexp(1.0L, ptx::isSigned(type) ? bits - 1 : bits);
    const long double low = ptx::isSigned(type) ? -limit : 0.0L;
    if (value >= limit) value = limit - 1;
    if (value < low) value = low;
    return value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) : static_cast<std::uint64_t>(value);
}

bool isFloatType(Type type) { return ptx::isFloat(type) || type == Type::F8E4m3x2 || type == Type::F8E5m2x2; }

} // namespace

Type elementOf(Type type) {
    switch (type) {
    case Type::F16x2: return Type::F16;
    case Type::Bf16x2: return Type::Bf16;
    default: return type;
    }
}

long double valueOf(std::uint64_t bits, Type type) {
    switch (type) {
    case Type::S8: return static_cast<std::int8_t>(bits);
    case Type::S16: return static_cast<std::int16_t>(bits);
    case Type::S32: return static_cast<std::int32_t>(bits);
    case Type::S64: return static_cast<long double>(static_cast<std::int64_t>(bits));
    case Type::U8: case Type::B8: return static_cast<std::uint8_t>(bits);
    case Type::U16: case Type::B16: return static_cast<std::uint16_t>(bits);
    case Type::U32: case Type::B32: return static_cast<std::uint32_t>(bits);
    case Type::U64: case Type::B64: return static_cast<long double>(bits);
    case Type::F64: return std::bit_cast<double>(bits);
    case Type::F32: case Type::Tf32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default: return decoded(bits, formatOf(elementOf(type)));
    }
}

std::uint64_t encoded(long double value, Type type, RoundingRule rule) {
    const Format f = formatOf(elementOf(type));
    const std::uint64_t top = (std::uint64_t{1} << f.exponentBits) - 1, ones = (std::uint64_t{1} << f.fractionBits) - 1;
    const std::uint64_t infinity = top << f.fractionBits;
    const std::uint64_t largest = f.infinities ? infinity - 1 : infinity | (ones - 1);
    if (std::isnan(value)) return (infinity | ones) << f.shift;
    const bool negative = std::signbit(value);
    const std::uint64_t sign = negative ? std::uint64_t{1} << (f.fractionBits + f.exponentBits) : 0;
    const long double magnitude = std::fabs(value);
    const bool saturates = rule.finite || !f.infinities;
    std::uint64_t bits = 0;
    if (std::isinf(magnitude)) bits = saturates ? largest : infinity;
    else if (magnitude != 0) {
        int exponent = 0;
        (void)std::frexp(magnitude, &exponent); // magnitude in [2^(exponent−1), 2^exponent)
        const int place = std::max(exponent - 1, 1 - biasOf(f)) - f.fractionBits; // of the last digit kept
        const auto units = static_cast<std::uint64_t>(roundedUnits(std::ldexp(magnitude, -place), rule.rounding, negative));
        // units of a normal number carry the hidden bit, which adds one to the exponent's field
        bits = (static_cast<std::uint64_t>(place + f.fractionBits + biasOf(f) - 1) << f.fractionBits) + units;
        if (bits > largest) {
            const bool towardsZero = rule.rounding == Rounding::Zero || (rule.rounding == Rounding::Down && !negative) || (rule.rounding == Rounding::Up && negative);
            bits = saturates || towardsZero ? largest : infinity;
        }
    }
    return (bits | sign) << f.shift;
}

long double roundedToWhole(long double value, Rounding rounding) {
    if (!std::isfinite(value)) return value;
    return std::copysign(roundedUnits(std::fabs(value), rounding, std::signbit(value)), value);
}

std::uint64_t modeOf(const ConvertKey &key) {
    return static_cast<std::uint64_t>(key.to) | static_cast<std::uint64_t>(key.from) << 8 | static_cast<std::uint64_t>(key.rounding) << 16
         | (key.ftz ? 1ull << 20 : 0) | (key.saturate ? 1ull << 21 : 0) | (key.relu ? 1ull << 22 : 0) | (key.finite ? 1ull << 23 : 0)
         | (key.toInteger ? 1ull << 24 : 0) | (key.pair ? 1ull << 25 : 0);
}

namespace {

std::uint64_t convertedElement(std::uint64_t bits, std::uint64_t mode) {
    const auto to = elementOf(static_cast<Type>(mode & 0xff)), from = elementOf(static_cast<Type>(mode >> 8 & 0xff));
    const auto rounding = static_cast<Rounding>(mode >> 16 & 7);
    const bool ftz = mode >> 20 & 1, saturate = mode >> 21 & 1, relu = mode >> 22 & 1, finite = mode >> 23 & 1, whole = mode >> 24 & 1;
    long double value = valueOf(bits, from);
    const auto flush = [](long double v) { return std::fabs(v) < 0x1p-126L ? std::copysign(0.0L, v) : v; };
    if (ftz && from == Type::F32) value = flush(value);
    if (!isFloatType(to)) return integerBits(isFloatType(from) ? roundedToWhole(value, rounding) : value, to);
    if (whole) value = roundedToWhole(value, rounding);
    if (saturate) value = std::isnan(value) || value <= 0 ? 0.0L : std::min(value, 1.0L);
    if (relu && value <= 0) value = 0.0L;
    std::uint64_t result = encoded(value, to, {rounding, finite});
    if (ftz && to == Type::F32 && (result & 0x7f80'0000u) == 0) result &= 0x8000'0000u;
    return result;
}

std::uint64_t convertedLane(const LaneSources &s, std::uint64_t mode) {
    const auto to = static_cast<Type>(mode & 0xff), from = static_cast<Type>(mode >> 8 & 0xff);
    const bool pair = mode >> 25 & 1;
    if (!pair) return convertedElement(s.a, mode);
    const int bits = to == Type::F8E4m3x2 || to == Type::F8E5m2x2 ? 8 : 16;
    if (from == Type::F32) return convertedElement(s.a, mode) << bits | convertedElement(s.b, mode); // the first source is the upper half
    const int fromBits = from == Type::F8E4m3x2 || from == Type::F8E5m2x2 ? 8 : 16;
    const std::uint64_t mask = (std::uint64_t{1} << fromBits) - 1;
    return convertedElement(s.a >> fromBits & mask, mode) << bits | convertedElement(s.a & mask, mode);
}

} // namespace

void convertLanes(WarpContext &context, const MicroOp &op) { laneOperation<convertedLane>(context, op); }

} // namespace kernelskill::simulator
