// SPDX-License-Identifier: Apache-2.0
// One warp-wide request to a memory space: bounds, checks, data, counters, and the latency the scoreboard sees.
#pragma once

#include "engine/execution/isa/memory_rows.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {

inline constexpr std::uint32_t longReason = static_cast<std::uint32_t>(StallReason::LongScoreboard);
inline constexpr std::uint32_t shortReason = static_cast<std::uint32_t>(StallReason::ShortScoreboard);
inline void setLatency(WarpContext &context, std::uint32_t latency, std::uint32_t reason) { context.result = latency << reasonBits | reason; }

// Sends the sectors of a read through L1 and L2. Returns the latency of the slowest.
inline std::uint32_t readThroughCaches(WarpContext &context, const AccessPattern &p, std::uint64_t first, bool bypassL1) {
    LaunchState &l = *context.launch;
    SectorCache &l1 = l.l1[context.block->sm];
    const std::uint32_t base = static_cast<std::uint32_t>((first - globalBase) >> 7);
    std::uint32_t latency = l.l1Latency, writtenBack = 0, ignored = 0;
    for (int i = 0; i < p.lines; ++i) {
        const std::uint32_t line = base + static_cast<std::uint32_t>(p.line[i]);
        const unsigned mask = p.lineSectors[i];
        const unsigned hit = bypassL1 ? 0u : l1.read(line, mask, ignored);
        context.counters->l1Hits += SectorCache::sectorsIn(hit);
        const unsigned missed = mask & ~hit;
        if (missed == 0) continue;
        const unsigned hit2 = l.l2.read(line, missed, context.block->sm, writtenBack);
        const std::uint32_t fromDram = SectorCache::sectorsIn(missed & ~hit2);
        l.l2ReadSectors += SectorCache::sectorsIn(missed);
        context.counters->l2Hits += SectorCache::sectorsIn(hit2);
        if (l.joined.entry != nullptr && l.joined.inStep(context.block->company, context.block->sharedEpoch != context.block->sharedFirstEpoch, p.lines)) l.joined.note(line, missed, context.block->company, context.block->member);
        if (fromDram != 0) {
            l.dramReadBytes += fromDram * 32u;
            l.dramAgainBytes += l.fetches.again(line, missed & ~hit2, context.block->linear) * 32u;
        }
        const std::uint32_t slow = (fromDram != 0 ? l.dramLatencies : l.l2Latencies)[latencyKind(line)];
        latency = slow > latency ? slow : latency;
    }
    l.dramWriteBytes += writtenBack * 32u;
    return latency;
}
// A store takes room in L1, where what it fills can be read afterwards, and goes on to L2.
inline void writeThroughCaches(WarpContext &context, const AccessPattern &p, std::uint64_t first, std::uint32_t bytes) {
    LaunchState &l = *context.launch;
    SectorCache &l1 = l.l1[context.block->sm];
    JoinedStores &stores = l.stores[context.block->sm];
    const std::uint32_t base = static_cast<std::uint32_t>((first - globalBase) >> 7);
    const bool whole = bytes >= p.sectors * 32u;
    const bool mayJoin = !whole && p.lines <= JoinedStores::room;
    std::uint32_t writtenBack = 0;
    for (int i = 0; i < p.lines; ++i) {
        const std::uint32_t line = base + static_cast<std::uint32_t>(p.line[i]);
        unsigned mask = p.lineSectors[i];
        l1.pass(line, whole ? mask : 0u);
        if (mayJoin) mask = stores.enter(line, mask, static_cast<std::uint32_t>(context.warp->clock));
        if (mask == 0) continue;
        l.l2.write(line, mask, writtenBack);
        l.l2WriteSectors += SectorCache::sectorsIn(mask);
    }
    l.dramWriteBytes += writtenBack * 32u;
}

// A strong access that gives the same value again and again is a wait for somebody else.
inline void notePolling(WarpContext &context, std::uint64_t value) {
    WarpState &w = *context.warp;
    if (w.pollPc == context.pc && w.pollValue == value) {
        if (++w.pollCount >= 16) context.yield = true;
        return;
    }
    w.pollPc = context.pc;
    w.pollValue = value;
    w.pollCount = 0;
}
inline void notePollingLoad(WarpContext &context, const MemoryOperand &m, std::uint32_t lanes) {
    std::uint64_t value = lanes;
    for (int i = 0; i < laneCount; ++i)
        if (lanes & laneBit[i]) value = value * 31 + (m.wide[0] ? context.row<std::uint64_t>(m.rows[0])[i] : context.row<std::uint32_t>(m.rows[0])[i]);
    notePolling(context, value);
}

// Fetches what the model of L1 has about a request's lines into the host's caches, while the data are moved. A block's next
// warps mostly ask for the lines behind them.
inline void expectLines(const WarpContext &context, std::uint64_t start) {
    const SectorCache &l1 = context.launch->l1[context.block->sm];
    const CacheSet *set = &l1.setOf(static_cast<std::uint32_t>((start - globalBase) >> 7));
    for (int next = 0; next < 4; ++next) __builtin_prefetch(set + next, 1);
}

// `start`: the address of lane 0.
template <bool Write> void globalGroup(WarpContext &context, const MemoryOperand &m, Allocation &a, std::uint64_t start,
                                       std::uint32_t lanes, const AccessPattern &p) {
    const int bytes = m.elementBytes * m.count;
    const std::uint64_t first = start - a.base;
    std::byte *origin = a.data + first;
    const Shadow s = globalShadow(context, a, m.strong, Write);
    const Place place{AddressSpaceKind::Global, &a, a.base};
    if (m.strong && context.launch->raceChecks) noteAcquire(context);
    if constexpr (Write) {
        if (a.readOnly) return reportReadOnlyStore(context, start, static_cast<unsigned>(__builtin_ctz(lanes)));
        if (s.written != nullptr || s.writer != nullptr || p.duplicates) checkWrite(context, place, s, first, p, lanes, m, origin);
        storeLanes(context, m, origin, p, lanes);
        a.stored = true;
        if (m.constantCache) return;
        context.counters->add(p.counts);
        context.launch->l1Wavefronts += p.wavefronts;
        writeThroughCaches(context, p, start, p.counts.bytes);
    } else {
        if (!m.constantCache) expectLines(context, start);
        if (s.written != nullptr || s.writer != nullptr) checkRead(context, place, s, first, p, lanes, bytes);
        loadLanes(context, m, origin, p, lanes);
        if (m.constantCache) return;
        a.loaded = true;
        context.counters->add(p.counts);
        context.launch->l1Wavefronts += p.wavefronts;
        // Wavefronts beyond the ideal come one after the other (H200: 50 cycles more for 32 lines).
        const std::uint32_t further = 3u * static_cast<std::uint32_t>(p.wavefronts - p.idealWavefronts) / 2u;
        setLatency(context, readThroughCaches(context, p, start, m.bypassL1) + further, longReason);
        if (m.strong) notePollingLoad(context, m, lanes);
    }
}

// Lanes in several allocations, or a fault.
template <bool Write> [[gnu::noinline]] void globalSplit(WarpContext &context, MemoryOperand &m, const std::uint64_t *address, std::uint32_t lanes) {
    const int bytes = m.elementBytes * m.count;
    std::uint32_t left = lanes;
    while (left != 0) {
        const int lead = __builtin_ctz(left);
        Allocation *a = findAllocation(context, address[lead]);
        std::uint32_t group = 0;
        for (int i = 0; i < laneCount; ++i) {
            if (!(left & laneBit[i])) continue;
            const bool inside = a != nullptr && address[i] - a->base < a->bytes && a->bytes - (address[i] - a->base) >= static_cast<std::uint64_t>(bytes)
                             && address[i] % static_cast<unsigned>(bytes) == 0;
            group |= inside ? laneBit[i] : 0;
        }
        if (!(group & laneBit[lead])) return reportGlobalFault(context, m, address, left, bytes, Write ? AccessKind::Write : AccessKind::Read);
        std::uint64_t moved[laneCount];
        for (int i = 0; i < laneCount; ++i) moved[i] = group & laneBit[i] ? address[i] : address[lead];
        AccessPattern *pattern = m.pattern;
        if (!updatePattern(context, pattern, moved, group, bytes, false)) group = laneBit[lead];
        if (group == laneBit[lead]) {
            for (auto &at : moved) at = address[lead];
            (void)updatePattern(context, pattern, moved, group, bytes, false);
        }
        globalGroup<Write>(context, m, *a, moved[0], group, *pattern);
        left &= ~group;
    }
}

// The allocation that holds all bytes of the pattern's request; null: there is none.
inline Allocation *allocationOf(WarpContext &context, MemoryOperand &m, std::uint64_t start) {
    const AccessPattern &p = *m.pattern;
    const std::uint64_t lowest = start + static_cast<std::uint64_t>(static_cast<std::int64_t>(p.lowest));
    const std::uint64_t end = start + static_cast<std::uint64_t>(static_cast<std::int64_t>(p.highest)) + static_cast<std::uint64_t>(m.elementBytes * m.count);
    Allocation *a = m.lastAllocation;
    if (a != nullptr && lowest >= a->base && end <= a->base + a->bytes) [[likely]] return a;
    a = findAllocation(context, lowest);
    if (a == nullptr || end > a->base + a->bytes) return nullptr;
    return m.lastAllocation = a;
}

template <bool Write> inline void globalRequest(WarpContext &context, MemoryOperand &m, const std::uint64_t *address, std::uint32_t lanes) {
    if (!updatePattern(context, m.pattern, address, lanes, m.elementBytes * m.count, false) || !m.pattern->aligned) [[unlikely]]
        return globalSplit<Write>(context, m, address, lanes);
    Allocation *a = allocationOf(context, m, address[0]);
    if (a == nullptr) return globalSplit<Write>(context, m, address, lanes);
    globalGroup<Write>(context, m, *a, address[0], lanes, *m.pattern);
}

// The hot path: all lanes on, and the pattern is the last one's.
template <bool Write> inline bool globalRepeated(WarpContext &context, MemoryOperand &m) {
    if (context.exec != fullMask || !m.address64) return false;
    const auto *row = context.source<std::uint64_t>(m.address);
    const AccessPattern &p = *m.pattern;
    const std::uint64_t start = row[0] + static_cast<std::uint64_t>(m.offset);
    if (!p.aligned || !isFor(p, fullMask, kindOf(m.elementBytes * m.count, false), phaseOf(start, false)) || !repeats(p, row)) return false;
    Allocation *a = allocationOf(context, m, start);
    if (a == nullptr) return false;
    globalGroup<Write>(context, m, *a, start, fullMask, p);
    return true;
}

// Bounds and alignment of a window of its own (shared, local, parameters). Returns false after a finding.
inline bool insideOwnWindow(WarpContext &context, AddressSpaceKind space, const std::uint64_t *address, std::uint32_t lanes, int bytes,
                            std::uint64_t limit, AccessKind kind) {
    std::uint64_t greatest = 0, low = 0;
    for (int i = 0; i < laneCount; ++i) {
        greatest = address[i] > greatest ? address[i] : greatest;
        low |= address[i];
    }
    const std::uint64_t room = static_cast<std::uint64_t>(bytes);
    if (greatest <= limit && limit - greatest >= room && (low & (room - 1)) == 0) return true;
    for (unsigned i = 0; i < laneCount; ++i) {
        if (!(lanes & laneBit[i])) continue;
        const bool beyond = address[i] > limit || limit - address[i] < room;
        if (beyond || (address[i] & (room - 1)) != 0) {
            reportWindowFault(context, space, address[i], limit, i, bytes, kind, !beyond);
            break;
        }
    }
    return false;
}

// Lanes of a warp that exchange values through shared memory must synchronise in between: here they run in step, on the
// device they need not. Stores are noted until the warp's next synchronisation, and reads of other lanes' are reported.
inline void noteUnorderedStore(WarpContext &context, const MemoryOperand &m, const AccessPattern &p, std::uint32_t first, std::uint32_t lanes, int bytes) {
    WarpState &w = *context.warp;
    UnorderedStore &s = w.unordered[w.unorderedCount++ % mostUnorderedStores];
    s.first = first;
    s.lanes = lanes;
    s.pc = context.pc;
    s.bytes = static_cast<std::uint32_t>(bytes);
    s.lowest = p.lowest;
    s.highest = p.highest;
    s.isVolatile = m.isVolatile;
    __builtin_memcpy(s.delta, p.delta, sizeof s.delta);
    const std::uint32_t low = first + static_cast<std::uint32_t>(p.lowest), high = first + static_cast<std::uint32_t>(p.highest) + static_cast<std::uint32_t>(bytes);
    w.unorderedLow = low < w.unorderedLow ? low : w.unorderedLow;
    w.unorderedHigh = high > w.unorderedHigh ? high : w.unorderedHigh;
}

[[gnu::noinline]] inline void findUnorderedReads(WarpContext &context, const MemoryOperand &m, const AccessPattern &p, std::uint32_t first, std::uint32_t lanes, int bytes) {
    const WarpState &w = *context.warp;
    const std::uint32_t kept = w.unorderedCount < mostUnorderedStores ? w.unorderedCount : mostUnorderedStores;
    std::uint32_t open = lanes; // lanes whose bytes no newer store has explained
    for (std::uint32_t age = 1; age <= kept && open != 0; ++age) {
        const UnorderedStore &s = w.unordered[(w.unorderedCount - age) % mostUnorderedStores];
        const std::int32_t shift = static_cast<std::int32_t>(s.first - first), stored = static_cast<std::int32_t>(s.bytes);
        if (s.highest + shift + stored <= p.lowest || s.lowest + shift >= p.highest + bytes) continue;
        for (std::uint32_t left = open; left != 0; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            std::uint32_t hits = 0;
            for (int i = 0; i < laneCount; ++i)
                hits |= (s.delta[i] + shift < p.delta[lane] + bytes) & (s.delta[i] + shift + stored > p.delta[lane]) ? laneBit[i] : 0u;
            hits &= s.lanes;
            if (hits == 0) continue;
            open &= ~laneBit[lane];
            if (hits & laneBit[lane]) continue;
            return reportUnorderedRead(context, m, s, first + static_cast<std::uint32_t>(p.delta[lane]), static_cast<unsigned>(lane), static_cast<unsigned>(__builtin_ctz(hits)), bytes);
        }
    }
}

inline void checkUnorderedRead(WarpContext &context, const MemoryOperand &m, const AccessPattern &p, std::uint32_t first, std::uint32_t lanes, int bytes) {
    const WarpState &w = *context.warp;
    if (w.unorderedCount == 0) [[likely]] return;
    const std::uint32_t low = first + static_cast<std::uint32_t>(p.lowest), end = first + static_cast<std::uint32_t>(p.highest) + static_cast<std::uint32_t>(bytes);
    if (low < w.unorderedHigh && end > w.unorderedLow) findUnorderedReads(context, m, p, first, lanes, bytes);
}

// A request whose pattern is up to date and whose bytes lie inside the block's memory.
template <bool Write> inline void sharedGroup(WarpContext &context, const MemoryOperand &m, std::uint32_t first, std::uint32_t lanes) {
    const int bytes = m.elementBytes * m.count;
    const LaunchState &l = *context.launch;
    const AccessPattern &p = *m.pattern;
    std::byte *origin = context.block->shared + first;
    Shadow s = sharedShadow(context);
    if (m.strong) {
        // plain memory marks, no races; what tags know stays known
        if (s.fused && s.written != nullptr)
            for (int r = 0; r < p.runs; ++r)
                for (std::uint32_t w = static_cast<std::uint32_t>(static_cast<std::int32_t>(first) + p.runStart[r]) >> 2; w * 4 < static_cast<std::uint32_t>(static_cast<std::int32_t>(first) + p.runStart[r] + p.runBytes[r]); ++w) keepWritten(s, w, 0);
        s.writer = nullptr;
        s.fused = false;
    }
    const Place place{AddressSpaceKind::Shared, nullptr, 0};
    const bool ordered = m.strong && !m.isVolatile; // relaxed, acquire and release accesses know what they do
    if constexpr (Write) {
        if (s.written != nullptr) {
            checkWrite(context, place, s, first, p, lanes, m, origin);
            if (!ordered) noteUnorderedStore(context, m, p, first, lanes, bytes);
        }
        storeLanes(context, m, origin, p, lanes);
    } else {
        if (s.written != nullptr) {
            checkRead(context, place, s, first, p, lanes, bytes);
            if (!ordered) checkUnorderedRead(context, m, p, first, lanes, bytes);
        }
        loadLanes(context, m, origin, p, lanes);
        // each further wavefront keeps the data two cycles longer
        setLatency(context, l.sharedLatency + 2u * static_cast<std::uint32_t>(p.wavefronts > 0 ? p.wavefronts - 1 : 0), shortReason);
        if (m.strong) notePollingLoad(context, m, lanes);
    }
    context.counters->add(p.counts);
}

template <bool Write> void sharedRequest(WarpContext &context, MemoryOperand &m, const std::uint64_t *address, std::uint32_t lanes);

// Addresses of the cluster's window: does `request` for each block they belong to, with that block in the context's place.
// False: all lie in the block's own part.
template <class Request> inline bool clusterRequest(WarpContext &context, const std::uint64_t *address, std::uint32_t lanes, int bytes, AccessKind kind, Request &&request) {
    if (context.launch->clusterBlocks == 1) [[likely]] return false;
    std::uint32_t own = 0;
    for (int i = 0; i < laneCount; ++i) own |= address[i] < blockWindowBytes ? laneBit[i] : 0;
    if ((lanes & ~own) == 0) return false;
    BlockState *const self = context.block;
    for (std::uint32_t left = lanes; left != 0 && !context.stop;) {
        const int lead = __builtin_ctz(left);
        const std::uint64_t part = address[lead] / blockWindowBytes;
        std::uint32_t group = 0;
        std::uint64_t moved[laneCount];
        for (int i = 0; i < laneCount; ++i) {
            group |= address[i] / blockWindowBytes == part ? left & laneBit[i] : 0;
            moved[i] = group & laneBit[i] ? address[i] % blockWindowBytes : address[lead] % blockWindowBytes;
        }
        left &= ~group;
        BlockState *const peer = part == 0 ? self : clusterPeer(context, address[lead]);
        if (peer == nullptr) {
            reportWindowFault(context, AddressSpaceKind::Shared, address[lead], context.launch->sharedBytes, static_cast<unsigned>(lead), bytes, kind, false);
            return true;
        }
        context.block = peer;
        request(moved, group, peer != self);
        context.block = self;
    }
    return true;
}

template <bool Write> [[gnu::noinline]] void sharedRequest(WarpContext &context, MemoryOperand &m, const std::uint64_t *address, std::uint32_t lanes) {
    const int bytes = m.elementBytes * m.count;
    const auto part = [&](const std::uint64_t *moved, std::uint32_t group, bool foreignBlock) {
        MemoryOperand copy = m;
        copy.strong = m.strong || foreignBlock; // tags are of one block's warps
        sharedRequest<Write>(context, copy, moved, group);
    };
    if (clusterRequest(context, address, lanes, bytes, Write ? AccessKind::Write : AccessKind::Read, part)) return;
    if (!insideOwnWindow(context, AddressSpaceKind::Shared, address, lanes, bytes, context.launch->sharedBytes, Write ? AccessKind::Write : AccessKind::Read)) return;
    (void)updatePattern(context, m.pattern, address, lanes, bytes, true);
    sharedGroup<Write>(context, m, static_cast<std::uint32_t>(address[0]), lanes);
}

// The hot path: all lanes on, and the pattern is the last one's.
template <bool Write> inline bool sharedRepeated(WarpContext &context, const MemoryOperand &m) {
    const AccessPattern &p = *m.pattern;
    const std::uint32_t lanes = context.exec;
    alignas(64) std::uint32_t address[laneCount];
    std::uint32_t first;
    bool same;
    if (lanes != fullMask) {
        if (m.address64) return false;
        const auto *a = context.source<std::uint32_t>(m.address);
        const std::uint32_t lead = a[__builtin_ctz(lanes)];
        for (int i = 0; i < laneCount; ++i) address[i] = (lanes & laneBit[i]) != 0 ? a[i] : lead;
        first = address[0] + static_cast<std::uint32_t>(m.offset);
        same = repeats(p, address);
    } else if (m.address64) {
        const auto *a = context.source<std::uint64_t>(m.address);
        const std::uint64_t at = a[0] + static_cast<std::uint64_t>(m.offset);
        first = static_cast<std::uint32_t>(at);
        same = at >> 32 == 0 && repeats(p, a);
    } else {
        const auto *a = context.source<std::uint32_t>(m.address);
        first = a[0] + static_cast<std::uint32_t>(m.offset);
        same = repeats(p, a);
    }
    if (!same || !p.aligned || !isFor(p, lanes, kindOf(m.elementBytes * m.count, true), phaseOf(first, true))) return false;
    const std::int64_t lowest = static_cast<std::int64_t>(first) + p.lowest, end = static_cast<std::int64_t>(first) + p.highest + m.elementBytes * m.count;
    if (lowest < 0 || end > static_cast<std::int64_t>(context.launch->sharedBytes)) return false;
    sharedGroup<Write>(context, m, first, lanes);
    return true;
}

template <bool Write> inline void moveLane(const WarpContext &context, const MemoryOperand &m, unsigned lane, std::byte *at) {
    for (int e = 0; e < m.count; ++e) {
        if constexpr (Write) {
            const std::uint64_t v = m.wide[e] ? context.source<std::uint64_t>(m.rows[e])[lane] : context.source<std::uint32_t>(m.rows[e])[lane];
            __builtin_memcpy(at + e * m.elementBytes, &v, m.elementBytes);
        } else {
            if (m.sink[e]) continue;
            std::uint64_t v = 0;
            __builtin_memcpy(&v, at + e * m.elementBytes, m.elementBytes);
            const int unused = 64 - m.elementBytes * 8;
            if (m.signExtend) v = static_cast<std::uint64_t>(static_cast<std::int64_t>(v << unused) >> unused);
            if (m.wide[e]) context.row<std::uint64_t>(m.rows[e])[lane] = v;
            else context.row<std::uint32_t>(m.rows[e])[lane] = static_cast<std::uint32_t>(v);
        }
    }
}

// An element of which no byte was ever written, or -1. Elements known in part are let pass: structures have padding.
inline int unwrittenElement(const MemoryOperand &m, const std::uint8_t *written) {
    for (int e = 0; e < m.count; ++e) {
        std::uint8_t any = m.sink[e] ? 1 : 0;
        for (int i = 0; i < m.elementBytes; ++i) any = static_cast<std::uint8_t>(any | written[e * m.elementBytes + i]);
        if (any == 0) return e;
    }
    return -1;
}

// Local memory: the words of the 32 lanes at one offset lie side by side in the device's memory, so that lanes using the
// same offset fill whole sectors.
template <bool Write> void localRequest(WarpContext &context, MemoryOperand &m, const std::uint64_t *address, std::uint32_t lanes) {
    const int bytes = m.elementBytes * m.count;
    LaunchState &l = *context.launch;
    if (!insideOwnWindow(context, AddressSpaceKind::Local, address, lanes, bytes, l.localBytes, Write ? AccessKind::Write : AccessKind::Read)) return;
    std::uint64_t sectors = 0;
    std::uint64_t seen[128];
    std::uint64_t words = 0, lastWord = ~std::uint64_t{0};
    for (unsigned lane = 0; lane < laneCount; ++lane) {
        if (!(lanes & laneBit[lane])) continue;
        const std::size_t place = static_cast<std::size_t>(lane) * l.localBytes + address[lane];
        if (context.warp->localWritten != nullptr) {
            std::uint8_t *const written = context.warp->localWritten + place;
            if constexpr (Write) __builtin_memset(written, 1, static_cast<std::size_t>(bytes));
            else if (const int bad = unwrittenElement(m, written); bad >= 0)
                reportUninitialised(context, AddressSpaceKind::Local, address[lane] + static_cast<std::uint64_t>(bad * m.elementBytes), lane, m.elementBytes);
        }
        moveLane<Write>(context, m, lane, context.warp->local + place);
        if (address[lane] >> 2 != lastWord) { // lanes at one offset share its line
            lastWord = address[lane] >> 2;
            words += (address[lane] + static_cast<std::uint64_t>(bytes) - 1) / 4 - lastWord + 1;
        }
        for (std::uint64_t word = address[lane] >> 2; word <= (address[lane] + static_cast<std::uint64_t>(bytes) - 1) >> 2; ++word) {
            const std::uint64_t sector = word * 4 + lane / 8;
            std::uint64_t at = 0;
            while (at < sectors && seen[sectors - 1 - at] != sector) ++at;
            if (at == sectors && sectors < 128) seen[sectors++] = sector;
        }
    }
    InstructionCounters &c = *context.counters;
    c.requests += 1;
    c.sectors += sectors;
    c.idealSectors += sectors;
    c.lines += words;
    c.l1Hits += sectors;
    c.bytes += static_cast<std::uint64_t>(__builtin_popcount(lanes) * bytes);
    if constexpr (!Write) setLatency(context, l.l1Latency, longReason);
}

template <bool Write> void parameterRequest(WarpContext &context, MemoryOperand &m, const std::uint64_t *address, std::uint32_t lanes) {
    const int bytes = m.elementBytes * m.count;
    LaunchState &l = *context.launch;
    if (Write) return reportReadOnlyStore(context, address[0], static_cast<unsigned>(__builtin_ctz(lanes)));
    if (!insideOwnWindow(context, AddressSpaceKind::Parameter, address, lanes, bytes, l.parameterBytes, AccessKind::Read)) return;
    if (!updatePattern(context, m.pattern, address, lanes, bytes, false)) return;
    loadLanes(context, m, l.parameters + address[0], *m.pattern, lanes);
}

// Data of an asynchronous copy, whose two ends are described by m.sourcePattern and m.pattern.
inline void copyRequest(WarpContext &context, MemoryOperand &m, const std::uint64_t *from, const std::uint64_t *to) {
    const int bytes = m.elementBytes * m.count;
    const std::uint32_t lanes = context.exec;
    LaunchState &l = *context.launch;
    if (!insideOwnWindow(context, AddressSpaceKind::Shared, to, lanes, bytes, l.sharedBytes, AccessKind::Write)) return;
    // lanes that fill with zeros read nothing
    std::uint32_t reading = lanes;
    std::uint32_t wanted[laneCount];
    for (int i = 0; i < laneCount; ++i) {
        wanted[i] = m.hasSourceBytes ? context.source<std::uint32_t>(m.sourceBytes)[i] : static_cast<std::uint32_t>(bytes);
        wanted[i] = wanted[i] > static_cast<std::uint32_t>(bytes) ? static_cast<std::uint32_t>(bytes) : wanted[i];
        if (wanted[i] == 0) reading &= ~laneBit[i];
    }
    std::uint32_t latency = l.l1Latency;
    for (std::uint32_t left = reading; left != 0;) {
        const int lead = __builtin_ctz(left);
        Allocation *a = findAllocation(context, from[lead]);
        std::uint32_t group = 0;
        for (int i = 0; i < laneCount; ++i) {
            const bool inside = a != nullptr && from[i] - a->base < a->bytes && a->bytes - (from[i] - a->base) >= wanted[i] && from[i] % static_cast<unsigned>(bytes) == 0;
            group |= inside ? left & laneBit[i] : 0;
        }
        if (!(group & laneBit[lead])) return reportGlobalFault(context, m, from, left, bytes, AccessKind::Read);
        std::uint64_t moved[laneCount];
        for (int i = 0; i < laneCount; ++i) moved[i] = group & laneBit[i] ? from[i] : from[lead];
        if (!updatePattern(context, m.sourcePattern, moved, group, bytes, false)) { group = laneBit[lead]; for (auto &at : moved) at = from[lead]; (void)updatePattern(context, m.sourcePattern, moved, group, bytes, false); }
        const AccessPattern &source = *m.sourcePattern;
        const Shadow s = globalShadow(context, *a, false, false);
        bool complete = true;
        for (int i = 0; i < laneCount; ++i) complete = complete && (!(group & laneBit[i]) || wanted[i] == static_cast<std::uint32_t>(bytes));
        if (complete && (s.written != nullptr || s.writer != nullptr))
            checkRead(context, {AddressSpaceKind::Global, a, a->base}, s, moved[0] - a->base, source, group, bytes);
        context.counters->add(source.counts);
        context.counters->wavefronts -= source.wavefronts; // only the shared side takes the data stage
        a->loaded = true;
        const std::uint32_t slow = readThroughCaches(context, source, moved[0], m.bypassL1);
        latency = slow > latency ? slow : latency;
        for (int i = 0; i < laneCount; ++i)
            if (group & laneBit[i]) __builtin_memcpy(context.block->shared + to[i], a->data + (from[i] - a->base), wanted[i]);
        left &= ~group;
    }
    for (int i = 0; i < laneCount; ++i)
        if (lanes & laneBit[i]) __builtin_memset(context.block->shared + to[i] + wanted[i], 0, static_cast<std::uint32_t>(bytes) - wanted[i]);
    (void)updatePattern(context, m.pattern, to, lanes, bytes, true);
    const AccessPattern &p = *m.pattern;
    const Shadow s = sharedShadow(context);
    if (s.written != nullptr) {
        for (int r = 0; r < p.runs; ++r) {
            const std::uint64_t start = to[0] + static_cast<std::uint64_t>(static_cast<std::int64_t>(p.runStart[r]));
            const std::uint32_t length = static_cast<std::uint32_t>(p.runBytes[r]);
            if (s.writer != nullptr) {
                if (writeConflicts(s, start, length))
                    reportSharedRace(context, static_cast<std::uint32_t>(start), static_cast<unsigned>(__builtin_ctz(lanes)), foreign(s, s.writer[start >> 2]) ? s.writer[start >> 2] : s.reader[start >> 2], AccessKind::Write, foreign(s, s.writer[start >> 2]));
                noteWrite(s, start, length);
            }
            __builtin_memset(s.written + start, 1, length);
        }
    }
    context.counters->wavefronts += p.wavefronts;
    context.counters->conflicts += static_cast<std::uint64_t>(p.wavefronts - p.idealWavefronts);
    const std::uint64_t arrival = context.warp->clock + latency;
    if (arrival > context.warp->asyncOpen) context.warp->asyncOpen = arrival;
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
