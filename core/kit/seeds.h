// SPDX-License-Identifier: Apache-2.0
// Random streams by name. A seed is derived from a root and a path of words and numbers, so that adding a stream never
// shifts another; a stream is counter-based, so that any element is known without the ones before it.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>

namespace kernelskill::kit {

__extension__ typedef unsigned __int128 Wide; // for products of two 64-bit numbers

// Finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection that mixes all 64 bits.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

class Seed
{
public:
    constexpr explicit Seed(std::uint64_t value = 0) : m_value(value) {}

    // Seed::of(1, "softmax", "x", 3). The order counts, and so does where a word ends.
    template <class... Parts> [[nodiscard]] static constexpr Seed of(std::uint64_t root, const Parts &...parts)
    {
        Seed seed(mix(root + golden));
        ((seed = seed.with(parts)), ...);
        return seed;
    }
    [[nodiscard]] constexpr Seed with(std::string_view word) const
    {
        std::uint64_t hash = 0xcbf29ce484222325ULL; // FNV-1a
        for (char c : word) hash = (hash ^ std::uint8_t(c)) * 0x100000001b3ULL;
        return Seed(mix(m_value * 3 + mix(hash ^ 0x77)));
    }
    template <std::integral Number> [[nodiscard]] constexpr Seed with(Number number) const
    {
        return Seed(mix(m_value * 5 + mix(std::uint64_t(number) + golden)));
    }

    [[nodiscard]] constexpr std::uint64_t value() const { return m_value; }
    // Element `index` of this stream: splitmix64, whose state is a counter.
    [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t index) const { return mix(m_value + (index + 1) * golden); }

    friend constexpr bool operator==(Seed, Seed) = default;

private:
    static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
    std::uint64_t m_value;
};

// Draws one after the other from a seed. Satisfies UniformRandomBitGenerator; the standard's distributions differ between
// libraries, so use the functions here where results must not.
class RandomStream
{
public:
    using result_type = std::uint64_t;
    constexpr explicit RandomStream(Seed seed) : m_seed(seed) {}
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return ~result_type(0); }
    constexpr result_type operator()() { return m_seed.bits(m_index++); }

    [[nodiscard]] constexpr double uniform() { return double((*this)() >> 11) * 0x1p-53; } // 0 ≤ x < 1
    // 0 ≤ x < bound, without bias; bound > 0 (Lemire 2019).
    [[nodiscard]] constexpr std::uint64_t below(std::uint64_t bound)
    {
        for (;;) {
            const auto product = Wide((*this)()) * bound;
            if (std::uint64_t(product) >= (0 - bound) % bound) return std::uint64_t(product >> 64);
        }
    }

private:
    Seed m_seed;
    std::uint64_t m_index = 0;
};

} // namespace kernelskill::kit
