// SPDX-License-Identifier: Apache-2.0
#include "kit/dtypes.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <list>

namespace kernelskill::kit {

namespace {

// An IEEE-like 16-bit format: one sign bit, `Exponent` exponent bits, the rest fraction.
template <int Exponent> struct Small
{
    static constexpr int fraction = 15 - Exponent;
    static constexpr int bias = (1 << (Exponent - 1)) - 1;
    static constexpr int exponentMask = (1 << Exponent) - 1;

    // Straight from the bits of the double: going through float would round twice.
    static std::uint16_t fromDouble(double value)
    {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        const auto sign = std::uint16_t((bits >> 63) << 15);
        if (std::isnan(value)) return std::uint16_t(sign | (exponentMask << fraction) | (1 << (fraction - 1)));
        const int exponent = int((bits >> 52) & 0x7ff) - 1023;
        if (exponent > bias) return std::uint16_t(sign | (exponentMask << fraction));
        const int smallest = 1 - bias; // exponent of subnormal numbers
        // Bits of the 53-bit significand below the last kept one.
        const int dropped = 52 - fraction + (exponent < smallest ? smallest - exponent : 0);
        if (dropped > 54) return sign;
        const std::uint64_t significand = (bits & ((1ULL << 52) - 1)) | (exponent > -1023 ? 1ULL << 52 : 0);
        std::uint64_t kept = significand >> dropped;
        const std::uint64_t rest = significand & ((1ULL << dropped) - 1);
        const std::uint64_t half = 1ULL << (dropped - 1);
        if (rest > half || (rest == half && (kept & 1))) ++kept;
        // `kept` holds the hidden bit for normal numbers; a carry moves on into the exponent, up to infinity.
        const std::uint64_t field = exponent < smallest ? kept : kept + (std::uint64_t(exponent + bias - 1) << fraction);
        return std::uint16_t(sign | field);
    }

    static double toDouble(std::uint16_t bits)
    {
        const int exponent = (bits >> fraction) & exponentMask;
        const int significand = bits & ((1 << fraction) - 1);
        double value;
        if (exponent == exponentMask)
            value = significand == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
        else if (exponent == 0)
            value = std::ldexp(significand, 1 - bias - fraction);
        else
            value = std::ldexp(significand | (1 << fraction), exponent - bias - fraction);
        return bits & 0x8000 ? -value : value;
    }
};

using Half = Small<5>;
using BFloat = Small<8>;

template <class T> T convert(double value)
{
    if constexpr (std::is_same_v<T, bool>) {
        return value != 0;
    } else if constexpr (std::is_integral_v<T>) {
        if (std::isnan(value)) return 0;
        const double rounded = std::nearbyint(value);
        // The highest int64 is no double; its successor is, so compare against that.
        if (rounded >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
        if (rounded <= double(std::numeric_limits<T>::lowest())) return std::numeric_limits<T>::lowest();
        return T(rounded);
    } else {
        return T(value);
    }
}

template <class T> void fromDoubles(const double *source, void *target, std::size_t count)
{
    auto *out = static_cast<T *>(target);
    for (std::size_t i = 0; i < count; ++i) out[i] = convert<T>(source[i]);
}

template <class T> void toDoubles(const void *source, double *target, std::size_t count)
{
    const auto *in = static_cast<const T *>(source);
    for (std::size_t i = 0; i < count; ++i) target[i] = double(in[i]);
}

// A bool from a device may hold any byte: read as one, it would be undefined here.
void boolsToDoubles(const void *source, double *target, std::size_t count)
{
    const auto *in = static_cast<const std::uint8_t *>(source);
    for (std::size_t i = 0; i < count; ++i) target[i] = in[i] != 0 ? 1 : 0;
}

template <class Format> void smallFromDoubles(const double *source, void *target, std::size_t count)
{
    auto *out = static_cast<std::uint16_t *>(target);
    for (std::size_t i = 0; i < count; ++i) out[i] = Format::fromDouble(source[i]);
}

template <class Format> void smallToDoubles(const void *source, double *target, std::size_t count)
{
    static const std::vector<double> table = [] {
        std::vector<double> all(65536);
        for (std::size_t bits = 0; bits < all.size(); ++bits) all[bits] = Format::toDouble(std::uint16_t(bits));
        return all;
    }();
    const auto *in = static_cast<const std::uint16_t *>(source);
    for (std::size_t i = 0; i < count; ++i) target[i] = table[in[i]];
}

template <class T> Dtype standard(const char *name)
{
    using Limits = std::numeric_limits<T>;
    const bool floating = std::is_floating_point_v<T>;
    return {name, sizeof(T), floating, floating ? double(Limits::epsilon()) : 0, double(Limits::lowest()),
            double(Limits::max()), fromDoubles<T>, toDoubles<T>};
}

std::list<Dtype> &registry()
{
    static std::list<Dtype> all{
        standard<double>("float64"),
        standard<float>("float32"),
        {"float16", 2, true, std::ldexp(1, -10), -65504, 65504, smallFromDoubles<Half>, smallToDoubles<Half>},
        {"bfloat16", 2, true, std::ldexp(1, -7), BFloat::toDouble(0xff7f), BFloat::toDouble(0x7f7f),
         smallFromDoubles<BFloat>, smallToDoubles<BFloat>},
        standard<std::int64_t>("int64"),
        standard<std::int32_t>("int32"),
        standard<std::int8_t>("int8"),
        standard<std::uint8_t>("uint8"),
        {"bool", 1, false, 0, 0, 1, fromDoubles<bool>, boolsToDoubles},
    };
    return all;
}

} // namespace

const Dtype *findDtype(std::string_view name)
{
    for (const Dtype &dtype : registry())
        if (dtype.name == name) return &dtype;
    return nullptr;
}

std::vector<std::string> dtypeNames()
{
    std::vector<std::string> names;
    for (const Dtype &dtype : registry()) names.push_back(dtype.name);
    return names;
}

bool registerDtype(Dtype dtype)
{
    const bool complete = !dtype.name.empty() && dtype.bytes > 0 && dtype.fromDouble && dtype.toDouble;
    if (!complete || findDtype(dtype.name)) return false;
    registry().push_back(std::move(dtype));
    return true;
}

std::uint16_t float16FromDouble(double value) { return Half::fromDouble(value); }
double float16ToDouble(std::uint16_t bits) { return Half::toDouble(bits); }
std::uint16_t bfloat16FromDouble(double value) { return BFloat::fromDouble(value); }
double bfloat16ToDouble(std::uint16_t bits) { return BFloat::toDouble(bits); }

} // namespace kernelskill::kit
