// SPDX-License-Identifier: Apache-2.0
// The modelled caches: set-associative, 128-byte lines with four 32-byte sectors, the least recently used one
// is replaced; L2 in its two parts; and what an SM's stores pass before they get there.
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
    std::uint32_t neighbourBits = 0; // 2^n consecutive lines share a set

    static std::uint32_t sectorsIn(unsigned mask) { return static_cast<std::uint32_t>(__builtin_popcount(mask)); }
    CacheSet &setOf(std::uint32_t line) const {
        // consecutive lines in consecutive sets; higher bits folded in so that power-of-two strides spread
        line >>= neighbourBits;
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
    // A line for data that passes through: `mask` of it can be read afterwards.
    void pass(std::uint32_t line, unsigned mask) {
        std::uint32_t ignored = 0;
        (void)read(line, mask, ignored);
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
