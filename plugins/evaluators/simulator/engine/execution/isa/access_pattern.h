// SPDX-License-Identifier: Apache-2.0
// Analyses the addresses of one request: sectors, runs of bytes, bank conflicts. The outcome depends only on the
// distances between lanes and on the phase of the first address, so it is kept and used again.
#pragma once

#include "engine/execution/isa/lanes.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {

// Addresses of all lanes; those that are off repeat the first active lane's, which changes nothing that is counted.
inline void gatherAddresses(const WarpContext &context, bool address64, std::uint32_t row, std::int64_t offset,
                            std::uint32_t lanes, std::uint64_t *address) {
    if (address64) {
        const auto *a = context.source<std::uint64_t>(row);
        for (int i = 0; i < laneCount; ++i) address[i] = a[i] + static_cast<std::uint64_t>(offset);
    } else {
        const auto *a = context.source<std::uint32_t>(row);
        for (int i = 0; i < laneCount; ++i) address[i] = static_cast<std::uint32_t>(a[i] + static_cast<std::uint32_t>(offset));
    }
    if (lanes == fullMask) return;
    const std::uint64_t first = address[__builtin_ctz(lanes)];
    for (int i = 0; i < laneCount; ++i) address[i] = (lanes & laneBit64[i]) != 0 ? address[i] : first;
}

// Wavefronts of the data stage, which shared memory and L1 have in common: 32 banks of 4 bytes; lanes go in groups of 32, 16 or 8 for 4, 8 and 16 bytes a
// lane; within a group each bank gives one word a wavefront, to any number of lanes. A group that only asks for words of
// the group before it rides along with that one.
inline void countWavefronts(AccessPattern &p, int bytes) {
    const int wordsEach = bytes <= 4 ? 1 : bytes / 4;
    const int groupLanes = wordsEach == 1 ? 32 : wordsEach == 2 ? 16 : 8;
    std::uint32_t wavefronts = 0, ideal = 0;
    std::int32_t before[64];
    int beforeCount = 0;
    for (int begin = 0; begin < laneCount; begin += groupLanes) {
        std::int32_t words[64];
        std::uint8_t next[64], head[32], depth[32];
        __builtin_memset(head, 0xff, sizeof head);
        __builtin_memset(depth, 0, sizeof depth);
        int count = 0;
        std::uint32_t most = 0;
        bool fresh = beforeCount == 0;
        for (int lane = begin; lane < begin + groupLanes; ++lane) {
            if (!(p.exec & laneBit[lane])) continue;
            for (int k = 0; k < wordsEach; ++k) {
                const std::int32_t word = static_cast<std::int32_t>((p.delta[lane] + static_cast<std::int32_t>(p.phase & 3)) >> 2) + k;
                const int bank = word & 31;
                int at = head[bank];
                while (at != 0xff && words[at] != word) at = next[at];
                if (at != 0xff) continue;
                words[count] = word;
                next[count] = head[bank];
                head[bank] = static_cast<std::uint8_t>(count++);
                if (++depth[bank] > most) most = depth[bank];
                if (!fresh) {
                    int seen = 0;
                    while (seen < beforeCount && before[seen] != word) ++seen;
                    fresh = seen == beforeCount;
                }
            }
        }
        if (count == 0 || !fresh) continue;
        wavefronts += most;
        ideal += 1;
        __builtin_memcpy(before, words, sizeof words);
        beforeCount = count;
    }
    p.wavefronts = static_cast<std::uint16_t>(wavefronts);
    p.idealWavefronts = static_cast<std::uint16_t>(ideal);
}

// A request to L1 looks up four lines a cycle, so that many lines take as long as bank conflicts do. (Measured on an H200:
// 32 lines with a word of each in a bank of its own take 8.5 cycles, 32 words of one bank 32.)
inline void countGlobalWavefronts(AccessPattern &p, int bytes) {
    constexpr int linesPerCycle = 4;
    if (p.contiguous) p.wavefronts = p.idealWavefronts = static_cast<std::uint16_t>(bytes <= 4 ? 1 : bytes / 4);
    else countWavefronts(p, bytes);
    const int look = (p.lines + linesPerCycle - 1) / linesPerCycle;
    if (p.wavefronts < look) p.wavefronts = static_cast<std::uint16_t>(look);
}

inline void addSector(AccessPattern &p, std::int32_t line, unsigned sector) {
    int at = p.lines - 1;
    while (at >= 0 && p.line[at] != line) --at;
    if (at < 0) {
        at = p.lines++;
        p.line[at] = line;
        p.lineSectors[at] = 0;
    }
    p.lineSectors[at] = static_cast<std::uint8_t>(p.lineSectors[at] | 1u << sector);
}

// A request of all lanes, `bytes` each, side by side: the common case, in closed form.
inline void analyseContiguous(AccessPattern &p, int bytes) {
    const std::int32_t first = static_cast<std::int32_t>(p.phase), end = first + 32 * bytes;
    for (std::int32_t sector = first >> 5; sector <= (end - 1) >> 5; ++sector) {
        const int line = sector >> 2;
        if (line >= p.lines) { p.line[line] = line; p.lineSectors[line] = 0; p.lines = static_cast<std::uint8_t>(line + 1); }
        p.lineSectors[line] = static_cast<std::uint8_t>(p.lineSectors[line] | 1u << (sector & 3));
        ++p.sectors;
    }
    p.runs = 1;
    p.runStart[0] = 0;
    p.runBytes[0] = 32 * bytes;
}

inline std::uint32_t kindOf(int bytes, bool shared) { return static_cast<std::uint32_t>(bytes) * 2 + (shared ? 1 : 0); }

// What one request of the pattern counts.
inline RequestCounts countsOf(const AccessPattern &p, int bytes, bool shared) {
    RequestCounts c;
    c.requests = 1;
    c.wavefronts = p.wavefronts;
    c.bytes = static_cast<std::uint64_t>(__builtin_popcount(p.exec) * bytes);
    if (shared) {
        c.conflicts = static_cast<std::uint64_t>(p.wavefronts - p.idealWavefronts);
    } else {
        c.sectors = p.sectors;
        c.lines = p.lines;
        c.idealSectors = p.idealSectors;
    }
    return c;
}

[[gnu::noinline]] inline void analyse(AccessPattern &p, const std::int32_t *delta, std::uint32_t lanes, std::uint32_t phase, int bytes, bool shared) {
    __builtin_memcpy(p.delta, delta, sizeof p.delta);
    p.exec = lanes;
    p.kind = kindOf(bytes, shared);
    p.phase = phase;
    std::int32_t low = static_cast<std::int32_t>(phase);
    for (int i = 0; i < laneCount; ++i) low |= delta[i];
    p.aligned = (low & (bytes - 1)) == 0;
    p.lowest = p.highest = 0;
    p.lines = p.runs = 0;
    p.sectors = 0;
    p.uniform = p.contiguous = true;
    p.duplicates = false;
    for (int i = 0; i < laneCount; ++i) {
        p.lowest = delta[i] < p.lowest ? delta[i] : p.lowest;
        p.highest = delta[i] > p.highest ? delta[i] : p.highest;
        p.uniform = p.uniform && delta[i] == 0;
        p.contiguous = p.contiguous && delta[i] == i * bytes;
    }
    p.contiguous = p.contiguous && lanes == fullMask;
    for (int g = 0; g < 4; ++g) {
        bool one = true, beside = true;
        for (int i = 0; i < 8; ++i) {
            one = one && delta[8 * g + i] == delta[8 * g];
            beside = beside && delta[8 * g + i] == delta[8 * g] + i * bytes;
        }
        p.group[g] = one ? 1 : beside ? 2 : 0;
    }
    if (p.contiguous) {
        analyseContiguous(p, bytes);
    } else {
        for (int i = 0; i < laneCount; ++i) {
            if (!(lanes & laneBit[i])) continue;
            if (!shared) {
                const std::int32_t at = static_cast<std::int32_t>(phase) + delta[i];
                for (std::int32_t sector = at >> 5; sector <= (at + bytes - 1) >> 5; ++sector) addSector(p, sector >> 2, static_cast<unsigned>(sector & 3));
            }
            const int last = p.runs - 1;
            if (last >= 0 && delta[i] >= p.runStart[last] && delta[i] + bytes <= p.runStart[last] + p.runBytes[last]) {
                p.duplicates = true;
                continue;
            }
            if (last >= 0 && delta[i] == p.runStart[last] + p.runBytes[last]) {
                p.runBytes[last] += bytes;
                continue;
            }
            p.runStart[p.runs] = delta[i];
            p.runBytes[p.runs++] = bytes;
        }
        for (int l = 0; l < p.lines; ++l) p.sectors = static_cast<std::uint16_t>(p.sectors + __builtin_popcount(p.lineSectors[l]));
        // equal addresses in separate runs
        for (int i = 1; i < laneCount && !p.duplicates && p.runs > 1; ++i) {
            if (!(lanes & laneBit[i])) continue;
            std::uint32_t equal = 0;
            for (int j = 0; j < laneCount; ++j) equal |= delta[j] == delta[i] ? laneBit[j] : 0;
            p.duplicates = (equal & lanes & (laneBit[i] - 1)) != 0;
        }
    }
    const std::uint32_t least = (static_cast<std::uint32_t>(__builtin_popcount(lanes) * bytes) + 31) / 32;
    p.idealSectors = static_cast<std::uint16_t>(least < p.sectors ? least : p.sectors);
    if (shared) countWavefronts(p, bytes);
    else countGlobalWavefronts(p, bytes);
    p.counts = countsOf(p, bytes, shared);
}

// Banks repeat every 128 bytes but their number does not matter, so shared memory needs only the place in a word; the low
// bits decide about alignment up to 16 bytes.
inline std::uint32_t phaseOf(std::uint64_t first, bool shared) { return static_cast<std::uint32_t>(first) & (shared ? 15u : 127u); }
inline bool isFor(const AccessPattern &p, std::uint32_t lanes, std::uint32_t kind, std::uint32_t phase) {
    return ((p.exec ^ lanes) | (p.kind ^ kind) | (p.phase ^ phase)) == 0;
}

// Are the addresses the pattern's, moved by a constant?
inline bool repeats(const AccessPattern &p, const std::uint64_t *address) {
    const std::uint64_t first = address[0];
    std::uint64_t different = 0;
    for (int i = 0; i < laneCount; ++i) different |= (address[i] - first) ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(p.delta[i]));
    return different == 0;
}
inline bool repeats(const AccessPattern &p, const std::uint32_t *address) {
    const std::uint32_t first = address[0];
    std::uint32_t different = 0;
    for (int i = 0; i < laneCount; ++i) different |= (address[i] - first) ^ static_cast<std::uint32_t>(p.delta[i]);
    return different == 0;
}

// The pattern of these distances, from the table if it was met before.
[[gnu::noinline]] inline AccessPattern *lookUpPattern(PatternTable &table, const std::int32_t *delta, std::uint32_t lanes, std::uint32_t phase, int bytes, bool shared) {
    const std::uint32_t kind = kindOf(bytes, shared);
    std::uint32_t mixed = (lanes ^ kind << 20 ^ phase << 8) * 0x9e37'79b1u;
    constexpr int probes[] = {1, 2, 4, 8, 15, 16, 31};
    for (const int lane : probes) mixed = (mixed ^ mixed >> 15 ^ static_cast<std::uint32_t>(delta[lane])) * 0x85eb'ca6bu;
    mixed ^= mixed >> 16;
    const std::uint32_t set = mixed % PatternTable::sets;
    for (std::uint32_t way = 0; way < PatternTable::ways; ++way) {
        AccessPattern &p = table.patterns[set][way];
        if (table.signature[set][way] == mixed && isFor(p, lanes, kind, phase) && __builtin_memcmp(p.delta, delta, sizeof p.delta) == 0) return &p;
    }
    const std::uint32_t way = table.next[set];
    table.next[set] = static_cast<std::uint8_t>((way + 1) % PatternTable::ways);
    table.signature[set][way] = mixed;
    analyse(table.patterns[set][way], delta, lanes, phase, bytes, shared);
    return &table.patterns[set][way];
}

// Makes `pattern` the one of these addresses. It is good until the next one is asked for. False: the lanes lie too far apart
// to be described by one.
inline bool updatePattern(const WarpContext &context, AccessPattern *&pattern, const std::uint64_t *address, std::uint32_t lanes, int bytes, bool shared) {
    const std::uint64_t first = address[0];
    const std::uint32_t phase = phaseOf(first, shared);
    if (isFor(*pattern, lanes, kindOf(bytes, shared), phase) && repeats(*pattern, address)) return true;
    alignas(64) std::int32_t delta[laneCount];
    std::uint64_t far = 0;
    for (int i = 0; i < laneCount; ++i) {
        const std::uint64_t distance = address[i] - first;
        delta[i] = static_cast<std::int32_t>(distance);
        far |= (distance + 0x2000'0000u) & ~std::uint64_t{0x3fff'ffff};
    }
    if (far != 0) return false;
    pattern = lookUpPattern(*context.launch->patterns, delta, lanes, phase, bytes, shared);
    return true;
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
