// SPDX-License-Identifier: Apache-2.0
// This file is compiled without contraction of a·b+c: a fused operation rounds once and would give other bits.
#include "kit/value_generator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace kernelskill::kit {

namespace {

// Numerator and denominator of AS 241's three rational functions, constant term first.
struct Rational
{
    double numerator[8], denominator[8];
    [[nodiscard]] constexpr double operator()(double x) const { return at(numerator, x) / at(denominator, x); }
    static constexpr double at(const double (&c)[8], double x)
    {
        return ((((((c[7] * x + c[6]) * x + c[5]) * x + c[4]) * x + c[3]) * x + c[2]) * x + c[1]) * x + c[0];
    }
};

constexpr Rational middle{
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
     4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
     3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}};
constexpr Rational tail{
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
     1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
constexpr Rational farTail{
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
     1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};

constexpr double middleHalfWidth = 0.425;

// Natural logarithm of 0 < x < 1, normal numbers only. The library's differs in its last bit from platform to platform.
// log x = e·log 2 + 2 artanh s with s = (m − 1) / (m + 1), m = x / 2^e within √½ … √2, so |s| < 0.172; the first term left
// out of the series is below 1e-17. No branch, so that loops over it vectorise.
double logarithm(double x)
{
    constexpr std::uint64_t one = 1023ULL << 52, fraction = (1ULL << 52) - 1;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const double unscaled = std::bit_cast<double>((bits & fraction) | one); // 1 ≤ m < 2
    const double upper = unscaled > 1.4142135623730951 ? 1.0 : 0.0;
    const double m = unscaled * (1 - 0.5 * upper);
    const double exponent = double(int(bits >> 52) - 1023) + upper;
    const double s = (m - 1) / (m + 1);
    const double q = s * s;
    constexpr double c[] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9, 1.0 / 11,
                            1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
    double sum = c[10];
    for (int n = 9; n >= 0; --n) sum = sum * q + c[n];
    return exponent * 0.6931471805599453 + 2 * s * sum;
}

// Distance from the middle, as a positive number, for the probability p < ½ that lies beyond it.
double tailDistance(double p)
{
    const double r = std::sqrt(-logarithm(p));
    return r <= 5 ? tail(r - 1.6) : farTail(r - 5);
}

double tailQuantile(double p) { return p < 0.5 ? -tailDistance(p) : tailDistance(1 - p); }

// The middle of one of 2^53 equal intervals: never 0, never 1.
double openUniform(std::uint64_t bits) { return (double(std::int64_t(bits >> 11)) + 0.5) * 0x1p-53; }

constexpr std::size_t chunk = 1024;

// The middle's formula for all first, then the 15 % that lie in the tails, gathered: loops without branches, which the
// compiler turns into vector code.
void standardNormals(Seed seed, double *out, std::size_t begin, std::size_t length)
{
    double p[chunk], beyond[chunk], distance[chunk];
    std::uint32_t place[chunk];
    for (std::size_t i = 0; i < length; ++i) p[i] = openUniform(seed.bits(begin + i));
    for (std::size_t i = 0; i < length; ++i) {
        const double q = p[i] - 0.5;
        out[i] = q * middle(middleHalfWidth * middleHalfWidth - q * q);
    }
    std::size_t tails = 0;
    for (std::size_t i = 0; i < length; ++i) {
        place[tails] = std::uint32_t(i);
        beyond[tails] = p[i] < 0.5 ? p[i] : 1 - p[i];
        tails += std::abs(p[i] - 0.5) > middleHalfWidth ? 1 : 0;
    }
    for (std::size_t i = 0; i < tails; ++i) distance[i] = std::sqrt(-logarithm(beyond[i]));
    for (std::size_t i = 0; i < tails; ++i) beyond[i] = tail(distance[i] - 1.6);
    for (std::size_t i = 0; i < tails; ++i) {
        const double value = distance[i] <= 5 ? beyond[i] : farTail(distance[i] - 5);
        out[place[i]] = p[place[i]] < 0.5 ? -value : value;
    }
}

void normals(Seed seed, double mean, double deviation, double *target, std::size_t begin, std::size_t count)
{
    for (std::size_t done = 0; done < count; done += chunk) {
        const std::size_t length = std::min(chunk, count - done);
        double *out = target + done;
        standardNormals(seed, out, begin + done, length);
        for (std::size_t i = 0; i < length; ++i) out[i] = mean + deviation * out[i];
    }
}

// Unbiased: the few top values of the 64 bits that would favour small numbers go to a stream of their own.
std::uint64_t boundedInteger(Seed seed, std::uint64_t index, std::uint64_t bound)
{
    const Wide product = Wide(seed.bits(index)) * bound;
    if (std::uint64_t(product) >= (0 - bound) % bound) return std::uint64_t(product >> 64);
    RandomStream again(seed.with("again").with(index));
    return again.below(bound);
}

void randomValues(const ValueDistribution &d, Seed seed, double *out, std::size_t begin, std::size_t count,
                  std::size_t total)
{
    switch (d.kind) {
    case DistributionKind::Normal: return normals(seed, d.first, d.second, out, begin, count);
    case DistributionKind::Uniform:
        for (std::size_t i = 0; i < count; ++i)
            out[i] = std::min(d.second, d.first + (d.second - d.first) * openUniform(seed.bits(begin + i)));
        return;
    case DistributionKind::Integer: {
        // Low and high are whole and at most 2^53 in size, so the width fits.
        const auto width = std::uint64_t(std::int64_t(d.second) - std::int64_t(d.first)) + 1;
        for (std::size_t i = 0; i < count; ++i) out[i] = d.first + double(boundedInteger(seed, begin + i, width));
        return;
    }
    case DistributionKind::Bernoulli:
        for (std::size_t i = 0; i < count; ++i) out[i] = openUniform(seed.bits(begin + i)) < d.first ? 1 : 0;
        return;
    case DistributionKind::Constant: std::fill(out, out + count, d.first); return;
    case DistributionKind::Permutation:
        for (std::size_t i = 0; i < count; ++i) out[i] = double(permuted(seed, begin + i, total));
        return;
    }
}

bool isBounded(DistributionKind kind)
{
    return kind == DistributionKind::Uniform || kind == DistributionKind::Integer || kind == DistributionKind::Bernoulli;
}

// A value for all elements of a bounded distribution, or none where the values stay random.
std::optional<double> boundedFill(const ValueDistribution &d, Variant variant)
{
    const bool bernoulli = d.kind == DistributionKind::Bernoulli;
    const double low = bernoulli ? 0 : d.first, high = bernoulli ? 1 : d.second;
    switch (variant) {
    case Variant::Zeros: return std::clamp(0.0, low, high);
    case Variant::Ones: return std::clamp(1.0, low, high);
    case Variant::Large: return high;
    case Variant::Negative: return low;
    case Variant::Tiny: return d.kind == DistributionKind::Uniform ? std::clamp(1e-6, low, high) : low;
    case Variant::Random: break;
    }
    return std::nullopt;
}

// Factors keep squares and sums of a few thousand of them inside the dtype's range.
void distort(Variant variant, const Dtype &dtype, double *out, std::size_t count)
{
    const bool narrow = dtype.highest < 1e6;
    const double large = narrow ? 16 : 1000, tiny = narrow ? 1e-3 : 1e-6;
    for (std::size_t i = 0; i < count; ++i) {
        switch (variant) {
        case Variant::Zeros: out[i] = 0; break;
        case Variant::Ones: out[i] = 1; break;
        case Variant::Large: out[i] *= large; break;
        case Variant::Tiny: out[i] *= tiny; break;
        case Variant::Negative: out[i] = -std::abs(out[i]); break;
        case Variant::Random: break;
        }
    }
}

struct VariantName
{
    Variant variant;
    std::string_view name;
};
constexpr VariantName variantNames[] = {{Variant::Random, "random"}, {Variant::Zeros, "zeros"},
                                        {Variant::Ones, "ones"},     {Variant::Large, "large"},
                                        {Variant::Tiny, "tiny"},     {Variant::Negative, "negative"}};

} // namespace

std::string_view toString(Variant variant) { return variantNames[std::size_t(variant)].name; }

std::optional<Variant> variantFromString(std::string_view text)
{
    for (const VariantName &entry : variantNames)
        if (entry.name == text) return entry.variant;
    return std::nullopt;
}

double normalQuantile(double p)
{
    const double q = p - 0.5;
    if (std::abs(q) <= middleHalfWidth) return q * middle(middleHalfWidth * middleHalfWidth - q * q);
    return tailQuantile(p);
}

// A Feistel network on the next even number of bits, walked until it lands inside: fewer than four steps on average.
std::uint64_t permuted(Seed seed, std::uint64_t index, std::uint64_t total)
{
    if (total <= 1) return 0;
    const int half = (std::bit_width(total - 1) + 1) / 2;
    const std::uint64_t mask = (1ULL << half) - 1;
    std::uint64_t value = index;
    do {
        std::uint64_t left = value >> half, right = value & mask;
        for (std::uint64_t round = 0; round < 6; ++round) {
            const std::uint64_t next = left ^ (seed.bits(round << 40 | right) >> 20 & mask);
            left = right;
            right = next;
        }
        value = left << half | right;
    } while (value >= total);
    return value;
}

void generateDoubles(const ValueDistribution &distribution, Variant variant, const Dtype &dtype, Seed seed,
                     double *target, std::size_t begin, std::size_t count, std::size_t total)
{
    if (variant != Variant::Random && isBounded(distribution.kind)) {
        if (const auto value = boundedFill(distribution, variant)) {
            std::fill(target, target + count, *value);
            return;
        }
    }
    randomValues(distribution, seed, target, begin, count, total);
    if (distribution.kind == DistributionKind::Normal) distort(variant, dtype, target, count);
}

void generateValues(const Dtype &dtype, const ValueDistribution &distribution, Variant variant, Seed seed, void *target,
                    std::size_t begin, std::size_t count, std::size_t total)
{
    double values[chunk];
    auto *out = static_cast<std::byte *>(target);
    for (std::size_t done = 0; done < count; done += chunk) {
        const std::size_t length = std::min(chunk, count - done);
        generateDoubles(distribution, variant, dtype, seed, values, begin + done, length, total);
        dtype.fromDouble(values, out + done * dtype.bytes, length);
    }
}

} // namespace kernelskill::kit
