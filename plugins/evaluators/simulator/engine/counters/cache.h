// SPDX-License-Identifier: Apache-2.0
// The modelled caches: set-associative, 128-byte lines with four 32-byte sectors. In L2 the least recently used line is
// replaced; in L1 one that nobody has found again goes first (drawn(…)), which makes the rows of an H200's co-resident blocks
// find as much of themselves as there (tests/bench/simulator_ladders, "What L1 keeps"). L2 in its two parts; and what an SM's
// stores pass before they get there.
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
    std::uint8_t found;           // of L1: ways whose data were read, or stored, again since they were filled; a bit each
};

struct SectorCache {
    CacheSet *sets = nullptr;
    std::uint32_t setCount = 0;
    std::uint64_t inverse = 0; // ⌈2^64 / setCount⌉ modulo 2^64
    std::uint32_t neighbourBits = 0; // 2^n consecutive lines share a set
    std::uint32_t draw = 0; // last random number; 0: the least recently used line goes, else what drawn() says

    static SectorCache over(CacheSet *sets, std::uint32_t setCount, std::uint32_t neighbourBits = 0, std::uint32_t draw = 0) {
        return {sets, setCount, ~std::uint64_t{0} / setCount + 1, neighbourBits, draw};
    }
    [[gnu::always_inline]] static std::uint32_t sectorsIn(unsigned mask) { return static_cast<std::uint32_t>(__builtin_popcount(mask)); }
    // The remainder by setCount without a division (D. Lemire, "Faster remainder by direct computation", 2019).
    [[gnu::always_inline]] std::uint32_t indexOf(std::uint32_t number) const {
        __extension__ using Product = unsigned __int128;
        return static_cast<std::uint32_t>(static_cast<Product>(inverse * number) * setCount >> 64);
    }
    [[gnu::always_inline]] CacheSet &setOf(std::uint32_t line) const {
        // consecutive lines in consecutive sets; higher bits folded in so that power-of-two strides spread
        line >>= neighbourBits;
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
        const int victim = draw != 0 ? drawn(set) : oldest(set);
        writtenBack += sectorsIn(set.dirty[victim]);
        set.tag[victim] = line + 1;
        set.valid[victim] = set.dirty[victim] = 0;
        set.found = static_cast<std::uint8_t>(set.found & ~(1u << victim));
        return victim;
    }
    // The oldest of some drawn ways that nobody has found since they were filled; where all of them have been found, the oldest,
    // and the others have to be found anew.
    [[gnu::always_inline]] int drawn(CacheSet &set) {
        const int free = find(set, ~std::uint32_t{0});
        if (free >= 0) return free;
        draw = (draw * 1664525u + 1013904223u) | 1u << 8; // a linear congruential generator; never 0
        const std::uint32_t some = draw >> 24 | 1u << (draw >> 21 & 7u);
        const std::uint32_t unfound = some & ~std::uint32_t{set.found};
        if (unfound != 0) return oldestOf(set, unfound);
        set.found = static_cast<std::uint8_t>(set.found & ~some);
        return oldestOf(set, some);
    }
    [[gnu::always_inline]] static int oldestOf(const CacheSet &set, std::uint32_t ways) {
        int oldest = __builtin_ctz(ways);
        for (std::uint32_t left = ways & (ways - 1); left != 0; left &= left - 1) {
            const int way = __builtin_ctz(left);
            oldest = set.age[way] > set.age[oldest] ? way : oldest;
        }
        return oldest;
    }
    // The way whose last use is longest ago.
    [[gnu::always_inline]] int oldest(CacheSet &set) {
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
        return CacheSet::ways - 1 - (most & 7);
    }
    // Returns the sectors of `mask` that were present; the others are present afterwards.
    [[gnu::always_inline]] unsigned read(std::uint32_t line, unsigned mask, std::uint32_t &writtenBack) {
        CacheSet &set = setOf(line);
        int way = find(set, line);
        if (way < 0) way = replace(set, line, writtenBack);
        touch(set, way);
        const unsigned hit = set.valid[way] & mask;
        set.valid[way] = static_cast<std::uint8_t>(set.valid[way] | mask);
        set.found = static_cast<std::uint8_t>(set.found | (hit != 0 ? 1u : 0u) << way);
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
    // A line for data that passes through: `mask` of it can be read afterwards.
    void pass(std::uint32_t line, unsigned mask) {
        std::uint32_t ignored = 0;
        CacheSet &set = setOf(line);
        int way = find(set, line);
        if (way < 0) way = replace(set, line, ignored);
        touch(set, way);
        set.valid[way] = static_cast<std::uint8_t>(set.valid[way] | mask);
        set.found = static_cast<std::uint8_t>(set.found | 1u << way);
    }
};

// L2 of a large GPU lies in two parts, each next to half of the memory and half of the SMs. A line has its home in the
// part next to its memory; read by an SM of the other side it gets a copy there as well, so that data which everybody
// reads takes its size twice. Stores and atomics go to the home. (A100 white paper, "L2 cache"; on an H200 a read that
// misses counts one and a half look-ups, and of 33.6 MB that few SMs read twice a third does not stay in 50 MB.)
struct SplitCache {
    SectorCache part[2];
    std::uint32_t otherPart = 1; // 0: it is in one piece

    std::uint32_t home(std::uint32_t line) const { return (line ^ (line >> 1) * 2654435761u >> 31) & otherPart; }
    // Returns the sectors of `mask` that were present in either part; all are present on this side afterwards.
    unsigned read(std::uint32_t line, unsigned mask, std::uint32_t side, std::uint32_t &writtenBack) {
        side &= otherPart;
        const unsigned near = part[side].read(line, mask, writtenBack);
        if (near == mask || home(line) == side) return near;
        return near | part[home(line)].read(line, mask & ~near, writtenBack);
    }
    void write(std::uint32_t line, unsigned mask, std::uint32_t &writtenBack) { part[home(line)].write(line, mask, writtenBack); }
};

// Stores that fill a sector in part wait a moment on their way out of an SM, and the next ones to the same sector join
// them. An H200 joins the two to four stores side by side of a thread's neighbouring words (matmul v3, sort_rows v4,
// nbody_forces) and none of those that touch 32 lines each (transpose v0, layer_norm v0), hence the room.
struct JoinedStores {
    static constexpr int room = 16;           // lines
    static constexpr std::uint32_t wait = 64; // cycles
    std::uint32_t tag[room] = {};             // line number + 1
    std::uint32_t clock[room] = {};
    std::uint8_t sectors[room] = {};
    std::uint32_t next = 0;

    // Sectors of `mask` that have to go on their own.
    unsigned enter(std::uint32_t line, unsigned mask, std::uint32_t now) {
        std::uint32_t hits = 0;
        for (int i = 0; i < room; ++i) hits |= (tag[i] == line + 1) & (now - clock[i] + wait <= 2 * wait) ? 1u << i : 0u;
        const unsigned at = hits != 0 ? static_cast<unsigned>(__builtin_ctz(hits)) : next++ % room;
        const unsigned waiting = hits != 0 ? sectors[at] : 0u;
        tag[at] = line + 1;
        clock[at] = now;
        sectors[at] = static_cast<std::uint8_t>(waiting | mask);
        return mask & ~waiting;
    }
};

// Which block fetched a line from DRAM last, and which sectors of it: tells what a block fetches again.
struct FetchLog {
    static constexpr std::uint32_t entries = 1u << 22; // lines; further ones share
    std::uint16_t *entry = nullptr;                    // block's number + 1 in 12 bits, sectors in 4

    // Sectors of `mask` that the block has fetched before.
    std::uint32_t again(std::uint32_t line, unsigned mask, std::uint64_t block) {
        std::uint16_t &e = entry[line & (entries - 1)];
        const unsigned owner = static_cast<unsigned>(block % 4095) + 1;
        const unsigned before = e >> 4 == owner ? e & 15u : 0u;
        e = static_cast<std::uint16_t>(owner << 4 | before | mask);
        return SectorCache::sectorsIn(before & mask);
    }
};

} // namespace kernelskill::simulator
