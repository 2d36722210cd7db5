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

    static std::uint32_t sectorsIn(unsigned mask) { return static_cast<std::uint32_t>(__builtin_popcount(mask)); }
    CacheSet &setOf(std::uint32_t line) const {
        // consecutive lines in consecutive sets; higher bits folded in so that power-of-two strides spread
        const std::uint32_t folded = line ^ (line >> 9) * 5u ^ (line >> 17) * 3u;
        const std::uint32_t index = folded % setCount;
        __builtin_prefetch(sets + (index + 4 < setCount ? index + 4 : 0), 1); // streams go on to the next lines
        return sets[index];
    }
    int find(const CacheSet &set, std::uint32_t line) const {
        const std::uint32_t tag = line + 1;
        std::uint32_t hits = 0;
        for (int w = 0; w < CacheSet::ways; ++w) hits |= set.tag[w] == tag ? 1u << w : 0u;
        return hits ? __builtin_ctz(hits) : -1;
    }
    static void touch(CacheSet &set, int way) {
        for (int w = 0; w < CacheSet::ways; ++w) set.age[w] = static_cast<std::uint8_t>(set.age[w] + (set.age[w] < 255 ? 1 : 0));
        set.age[way] = 0;
    }
    // Makes room for a line; returns its way and how many dirty sectors had to leave.
    int replace(CacheSet &set, std::uint32_t line, std::uint32_t &writtenBack) {
        int victim = 0;
        for (int w = 0; w < CacheSet::ways; ++w)
            if (set.tag[w] == 0) set.age[w] = 255; // free ways first
        for (int w = 1; w < CacheSet::ways; ++w)
            if (set.age[w] > set.age[victim]) victim = w;
        writtenBack += sectorsIn(set.dirty[victim]);
        set.tag[victim] = line + 1;
        set.valid[victim] = set.dirty[victim] = 0;
        return victim;
    }
    // Returns the sectors of `mask` that were present; the others are present afterwards.
    unsigned read(std::uint32_t line, unsigned mask, std::uint32_t &writtenBack) {
        CacheSet &set = setOf(line);
        int way = find(set, line);
        if (way < 0) way = replace(set, line, writtenBack);
        touch(set, way);
        const unsigned hit = set.valid[way] & mask;
        set.valid[way] = static_cast<std::uint8_t>(set.valid[way] | mask);
        return hit;
    }
    void write(std::uint32_t line, unsigned mask, std::uint32_t &writtenBack) {
        CacheSet &set = setOf(line);
        int way = find(set, line);
        if (way < 0) way = replace(set, line, writtenBack);
        touch(set, way);
        set.valid[way] = static_cast<std::uint8_t>(set.valid[way] | mask);
        set.dirty[way] = static_cast<std::uint8_t>(set.dirty[way] | mask);
    }
    void invalidate(std::uint32_t line, unsigned mask) {
        CacheSet &set = setOf(line);
        const int way = find(set, line);
        if (way >= 0) set.valid[way] = static_cast<std::uint8_t>(set.valid[way] & ~mask);
    }
};

} // namespace kernelskill::simulator
