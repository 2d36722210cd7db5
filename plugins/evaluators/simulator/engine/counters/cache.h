// SPDX-License-Identifier: Apache-2.0
// A set-associative cache of 128-byte lines with four 32-byte sectors, least recently used replacement.
// Plain inline code without library containers: it is compiled once per instruction set of the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernelskill::simulator {

// A set fills one cache line of the host, which is what makes the model cheap.
struct alignas(64) CacheSet {
    static constexpr int ways = 8;
    std::uint32_t tag[ways];      // line number + 1; 0: free
    std::uint8_t valid[ways];     // sectors present
    std::uint8_t dirty[ways];     // sectors to write back
    std::uint8_t age[ways];       // uses of the set since this way's last use, up to 255
};

struct SectorCache {
    CacheSet *sets = nullptr;
    std::uint32_t setCount = 0;
    std::uint64_t inverse = 0; // ⌈2^64 / setCount⌉ modulo 2^64

    static SectorCache over(CacheSet *sets, std::uint32_t setCount) { return {sets, setCount, ~std::uint64_t{0} / setCount + 1}; }
    [[gnu::always_inline]] static std::uint32_t sectorsIn(unsigned mask) { return static_cast<std::uint32_t>(__builtin_popcount(mask)); }
    // The remainder by setCount without a division (D. Lemire, "Faster remainder by direct computation", 2019).
    [[gnu::always_inline]] std::uint32_t indexOf(std::uint32_t number) const {
        __extension__ using Product = unsigned __int128;
        return static_cast<std::uint32_t>(static_cast<Product>(inverse * number) * setCount >> 64);
    }
    [[gnu::always_inline]] CacheSet &setOf(std::uint32_t line) const {
        // consecutive lines in consecutive sets; higher bits folded in so that power-of-two strides spread
        const std::uint32_t index = indexOf(line ^ (line >> 9) * 5u ^ (line >> 17) * 3u);
        __builtin_prefetch(sets + (index + 4 < setCount ? index + 4 : 0), 1); // streams go on to the next lines
        return sets[index];
    }
    [[gnu::always_inline]] int find(const CacheSet &set, std::uint32_t line) const {
        using Tags [[gnu::vector_size(32)]] = std::uint32_t;
        using Halves [[gnu::vector_size(32)]] = std::uint64_t;
        Tags tags;
        __builtin_memcpy(&tags, set.tag, sizeof tags);
        const Tags bits = reinterpret_cast<Tags>(tags == line + 1) & Tags{1, 2, 4, 8, 16, 32, 64, 128};
        const Halves pairs = reinterpret_cast<Halves>(bits);
        const std::uint64_t hits = pairs[0] | pairs[1] | pairs[2] | pairs[3];
        const auto ways = static_cast<std::uint32_t>(hits | hits >> 32);
        return ways ? __builtin_ctz(ways) : -1;
    }
    // All ages grow by one, up to 255: eight bytes at a time.
    [[gnu::always_inline]] static void touch(CacheSet &set, int way) {
        constexpr std::uint64_t ones = 0x0101'0101'0101'0101u;
        std::uint64_t ages;
        __builtin_memcpy(&ages, set.age, sizeof ages);
        const std::uint64_t full = (((ages & ones * 127) + ones) & ages) >> 7 & ones;
        ages += ones ^ full;
        __builtin_memcpy(set.age, &ages, sizeof ages);
        set.age[way] = 0;
    }
    // Makes room for a line; returns its way and how many dirty sectors had to leave.
    [[gnu::always_inline]] int replace(CacheSet &set, std::uint32_t line, std::uint32_t &writtenBack) {
        using Tags [[gnu::vector_size(32)]] = std::uint32_t;
        using Ages [[gnu::vector_size(8)]] = std::uint8_t;
        using Keys [[gnu::vector_size(16)]] = std::uint16_t;
        Tags tags;
        Ages ages;
        __builtin_memcpy(&tags, set.tag, sizeof tags);
        __builtin_memcpy(&ages, set.age, sizeof ages);
        ages |= __builtin_convertvector(reinterpret_cast<Tags>(tags == 0), Ages); // free ways first
        __builtin_memcpy(set.age, &ages, sizeof ages);
        Keys keys = (__builtin_convertvector(ages, Keys) << 3) | Keys{7, 6, 5, 4, 3, 2, 1, 0}; // of equal ages the first way
        Keys other = __builtin_shufflevector(keys, keys, 4, 5, 6, 7, 0, 1, 2, 3);
        keys = keys > other ? keys : other;
        other = __builtin_shufflevector(keys, keys, 2, 3, 0, 1, 2, 3, 0, 1);
        keys = keys > other ? keys : other;
        const std::uint16_t most = keys[0] > keys[1] ? keys[0] : keys[1];
        const int victim = CacheSet::ways - 1 - (most & 7);
        writtenBack += sectorsIn(set.dirty[victim]);
        set.tag[victim] = line + 1;
        set.valid[victim] = set.dirty[victim] = 0;
        return victim;
    }
    // Returns the sectors of `mask` that were present; the others are present afterwards.
    [[gnu::always_inline]] unsigned read(std::uint32_t line, unsigned mask, std::uint32_t &writtenBack) {
        CacheSet &set = setOf(line);
        int way = find(set, line);
        if (way < 0) way = replace(set, line, writtenBack);
        touch(set, way);
        const unsigned hit = set.valid[way] & mask;
        set.valid[way] = static_cast<std::uint8_t>(set.valid[way] | mask);
        return hit;
    }
    [[gnu::always_inline]] void write(std::uint32_t line, unsigned mask, std::uint32_t &writtenBack) {
        CacheSet &set = setOf(line);
        int way = find(set, line);
        if (way < 0) way = replace(set, line, writtenBack);
        touch(set, way);
        set.valid[way] = static_cast<std::uint8_t>(set.valid[way] | mask);
        set.dirty[way] = static_cast<std::uint8_t>(set.dirty[way] | mask);
    }
    [[gnu::always_inline]] void invalidate(std::uint32_t line, unsigned mask) {
        CacheSet &set = setOf(line);
        const int way = find(set, line);
        if (way >= 0) set.valid[way] = static_cast<std::uint8_t>(set.valid[way] & ~mask);
    }
};

} // namespace kernelskill::simulator
