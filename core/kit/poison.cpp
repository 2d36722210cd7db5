// SPDX-License-Identifier: Apache-2.0
#include "kit/poison.h"

#include <algorithm>
#include <cstring>

namespace kernelskill::kit {

namespace {

// Set bits that make a quiet NaN of a little-endian floating value, from its size and the bits of its fraction.
std::uint64_t nanBits(const Dtype &dtype)
{
    if (!dtype.isFloating) return 0;
    if (dtype.bytes == 8) return 0x7ff8000000000000ULL;
    if (dtype.bytes == 4) return 0x7fc00000ULL;
    if (dtype.bytes == 2) return dtype.highest > 1e6 ? 0x7fc0ULL : 0x7e00ULL; // bfloat16, float16
    return 0;
}

// The poison of element `index`, in its low bytes. Wider or unknown formats get random bits.
std::uint64_t pattern(const Dtype &dtype, Seed seed, std::size_t index)
{
    const std::uint64_t bits = seed.bits(index);
    return bits | nanBits(dtype);
}

bool holdsPoison(const Dtype &dtype, Seed seed, const std::byte *bytes, std::size_t index)
{
    const std::uint64_t expected = pattern(dtype, seed, index);
    return std::memcmp(bytes + index * dtype.bytes, &expected, std::min<std::size_t>(dtype.bytes, 8)) == 0;
}

} // namespace

void poison(const Dtype &dtype, Seed seed, void *target, std::size_t count)
{
    auto *bytes = static_cast<std::byte *>(target);
    if (dtype.bytes == 4) { // most buffers: worth a loop without calls
        const auto nan = static_cast<std::uint32_t>(nanBits(dtype));
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t bits = static_cast<std::uint32_t>(seed.bits(i)) | nan;
            std::memcpy(bytes + i * 4, &bits, 4);
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t bits = pattern(dtype, seed, i);
        std::memcpy(bytes + i * dtype.bytes, &bits, std::min<std::size_t>(dtype.bytes, 8));
    }
}

Unwritten unwritten(const Dtype &dtype, Seed seed, const void *buffer, std::size_t count)
{
    Unwritten result;
    const auto *bytes = static_cast<const std::byte *>(buffer);
    for (std::size_t i = 0; i < count; ++i)
        if (holdsPoison(dtype, seed, bytes, i) && result.count++ == 0) result.first = i;
    return result;
}

Unwritten unwrittenInBoth(const Dtype &dtype, Seed firstSeed, const void *first, Seed secondSeed, const void *second,
                          std::size_t count)
{
    Unwritten result;
    const auto *firstBytes = static_cast<const std::byte *>(first);
    const auto *secondBytes = static_cast<const std::byte *>(second);
    for (std::size_t i = 0; i < count; ++i)
        if (holdsPoison(dtype, firstSeed, firstBytes, i) && holdsPoison(dtype, secondSeed, secondBytes, i) &&
            result.count++ == 0)
            result.first = i;
    return result;
}

void writeCanary(Seed seed, void *target, std::size_t bytes)
{
    auto *out = static_cast<unsigned char *>(target);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(seed.bits(i / 8) >> (i % 8 * 8));
}

std::optional<std::size_t> brokenCanary(Seed seed, const void *buffer, std::size_t bytes)
{
    const auto *in = static_cast<const unsigned char *>(buffer);
    for (std::size_t i = 0; i < bytes; ++i)
        if (in[i] != static_cast<unsigned char>(seed.bits(i / 8) >> (i % 8 * 8))) return i;
    return std::nullopt;
}

} // namespace kernelskill::kit
