// SPDX-License-Identifier: Apache-2.0
// The modelled L1 of an SM, for loads and, as they take room there too, stores.
#pragma once

#include "engine/counters/cache.h"

namespace kernelskill::simulator {

// Measured on an H200 (l1_kept_* in tests/bench/simulator_ladders/h200.json): of what one warp reads in turn all is found
// again up to 208 KiB, 0.8 of 224 KiB, 0.4 of 240 KiB, nothing of 304 KiB; and half as much when it writes as many lines, so
// that a written line takes the same room as a read one. This is what 256 sets of 7 lines give, each run of 256 lines one to
// a set: the array of 256 KiB less the least carve-out for shared memory.
//
// Which line goes: rows that each block reads twice lose many lines long before L1 is full, while what every block reads
// loses none (layer_norm v2 a third of its rows and v3 no weight). So a line has to be used again to be kept. It comes with
// age 2 and gets 0 when it is used again; one of age 3 is replaced, and while there is none all grow older together
// (A. Jaleel et al., "High Performance Cache Replacement Using Re-Reference Interval Prediction", 2010).
struct L1Cache {
    CacheSet *sets = nullptr;
    std::uint32_t lines = 0;
    std::uint32_t bits = 0; // 2^bits sets

    // The fewest powers of two that hold so many lines.
    static std::uint32_t bitsFor(std::uint32_t lines) {
        std::uint32_t bits = 0;
        while ((CacheSet::ways << bits) < static_cast<int>(lines)) ++bits;
        return bits;
    }
    [[nodiscard]] std::uint32_t setCount() const { return 1u << bits; }
    [[nodiscard]] std::uint32_t waysOf(std::uint32_t set) const { return (lines + setCount() - 1 - set) >> bits; }
    void clear() const {
        for (std::uint32_t set = 0; set < setCount(); ++set) {
            sets[set] = {};
            for (std::uint32_t way = waysOf(set); way < CacheSet::ways; ++way) sets[set].tag[way] = SectorCache::closed;
        }
    }
    // Lines in a row lie in neighbouring sets, and where such a run begins looks random, so that strides spread.
    [[gnu::always_inline]] CacheSet &setOf(std::uint32_t line) const {
        const std::uint32_t index = (line + ((line >> bits) * 0x9e37'79b1u >> 16)) & (setCount() - 1);
        __builtin_prefetch(sets + ((index + 4) & (setCount() - 1)), 1);
        return sets[index];
    }
    // Returns the sectors of `mask` that were present; the others are present afterwards.
    [[gnu::always_inline]] unsigned access(std::uint32_t line, unsigned mask) const {
        constexpr unsigned replaceable = 3, whenNew = 2;
        CacheSet &set = setOf(line);
        int way = SectorCache::find(set, line);
        if (way < 0) {
            unsigned most = 0;
            way = SectorCache::oldest(set, most);
            if (most < replaceable) {
                std::uint64_t ages;
                __builtin_memcpy(&ages, set.age, sizeof ages);
                ages += 0x0101'0101'0101'0101u * (replaceable - most);
                __builtin_memcpy(set.age, &ages, sizeof ages);
            }
            set.tag[way] = line + 1;
            set.valid[way] = 0;
            set.age[way] = whenNew;
        } else set.age[way] = 0;
        const unsigned hit = set.valid[way] & mask;
        set.valid[way] = static_cast<std::uint8_t>(set.valid[way] | mask);
        return hit;
    }
};

// Lines on their way into an SM's L1, which already count as present: a warp that asks for one meanwhile waits as long as
// the one that asked first. Only among warps of one block, whose clocks agree.
struct LinesUnderWay {
    static constexpr std::uint32_t room = 64; // lines; further ones share
    struct Line { std::uint64_t block = 0, arrival = 0; std::uint32_t tag = 0; };
    Line lines[room];

    static std::uint32_t place(std::uint32_t line) { return (line ^ line >> 6) % room; }
    void note(std::uint32_t line, std::uint64_t block, std::uint64_t arrival) { lines[place(line)] = {block, arrival, line + 1}; }
    // Cycles until it is there.
    [[nodiscard]] std::uint32_t rest(std::uint32_t line, std::uint64_t block, std::uint64_t now) const {
        const Line &l = lines[place(line)];
        return l.tag == line + 1 && l.block == block && l.arrival > now ? static_cast<std::uint32_t>(l.arrival - now) : 0u;
    }
};

} // namespace kernelskill::simulator
