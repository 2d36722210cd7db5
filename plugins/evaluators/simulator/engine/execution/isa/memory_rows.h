// SPDX-License-Identifier: Apache-2.0
// Moves data between memory of the host and rows of lanes, and runs the checks over a request's bytes.
#pragma once

#include "engine/execution/isa/access_pattern.h"
#include "engine/execution/isa/shadow.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {

template <class Element, bool Signed> inline std::uint64_t extend(Element v) {
    if constexpr (Signed) return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::make_signed_t<Element>>(v)));
    else return v;
}

// Eight lanes at a time: tiles of matrices make each eight read one word, or eight side by side. `whole`: the request is
// one element a lane, so that lanes side by side are elements side by side.
template <class Element, bool Signed, class R> inline void loadGroups(R *row, const std::byte *origin, const AccessPattern &p, bool whole) {
    for (int g = 0; g < 4; ++g, row += 8) {
        const std::int32_t *delta = p.delta + 8 * g;
        if (sizeof(Element) == sizeof(R) && whole && p.group[g] == 2) {
            __builtin_memcpy(row, origin + delta[0], 8 * sizeof(R));
        } else if (p.group[g] == 1) {
            Element v;
            __builtin_memcpy(&v, origin + delta[0], sizeof v);
            const R value = static_cast<R>(extend<Element, Signed>(v));
            for (int i = 0; i < 8; ++i) row[i] = value;
        } else {
            for (int i = 0; i < 8; ++i) {
                Element v;
                __builtin_memcpy(&v, origin + delta[i], sizeof v);
                row[i] = static_cast<R>(extend<Element, Signed>(v));
            }
        }
    }
}

template <class Element, bool Signed, class R>
inline void loadRow(R *row, const std::byte *origin, const AccessPattern &p, std::uint32_t lanes, int byteOffset, bool whole) {
    if (p.contiguous && sizeof(Element) == sizeof(R) && byteOffset == 0 && p.runBytes[0] == static_cast<int>(32 * sizeof(R))) {
        __builtin_memcpy(row, origin, 32 * sizeof(R));
        return;
    }
    if (p.uniform) {
        Element v;
        __builtin_memcpy(&v, origin + byteOffset, sizeof v);
        const R value = static_cast<R>(extend<Element, Signed>(v));
        if (lanes == fullMask) {
            for (int i = 0; i < laneCount; ++i) row[i] = value;
            return;
        }
        for (int i = 0; i < laneCount; ++i) keep<false>(row, i, value, lanes);
        return;
    }
    if (lanes == fullMask) {
        loadGroups<Element, Signed>(row, origin + byteOffset, p, whole);
        return;
    }
    R values[laneCount];
    for (int i = 0; i < laneCount; ++i) {
        Element v;
        __builtin_memcpy(&v, origin + p.delta[i] + byteOffset, sizeof v);
        values[i] = static_cast<R>(extend<Element, Signed>(v));
    }
    for (int i = 0; i < laneCount; ++i) keep<false>(row, i, values[i], lanes);
}

template <class Element, bool Signed>
inline void loadElements(const WarpContext &context, const MemoryOperand &m, const std::byte *origin, const AccessPattern &p, std::uint32_t lanes) {
    for (int e = 0; e < m.count; ++e) {
        if (m.sink[e]) continue;
        const int offset = e * static_cast<int>(sizeof(Element));
        if (m.wide[e]) loadRow<Element, Signed>(context.row<std::uint64_t>(m.rows[e]), origin, p, lanes, offset, m.count == 1);
        else if constexpr (sizeof(Element) <= 4) loadRow<Element, Signed>(context.row<std::uint32_t>(m.rows[e]), origin, p, lanes, offset, m.count == 1);
    }
}

// Four lanes' words at a time: vectors of a lane lie side by side in memory, and lanes of an element in a row.
using Words [[gnu::vector_size(16)]] = std::uint32_t;

inline void exchange(Words &a, Words &b, Words &c, Words &d) {
    const Words ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Words abHigh = __builtin_shufflevector(a, b, 2, 6, 3, 7), cdHigh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    c = __builtin_shufflevector(abHigh, cdHigh, 0, 1, 4, 5);
    d = __builtin_shufflevector(abHigh, cdHigh, 2, 3, 6, 7);
}
inline void loadFourWords(const WarpContext &context, const MemoryOperand &m, const std::byte *origin, const AccessPattern &p) {
    for (int i = 0; i < laneCount; i += 4) {
        Words v[4];
        for (int k = 0; k < 4; ++k) __builtin_memcpy(&v[k], origin + p.delta[i + k], sizeof v[k]);
        exchange(v[0], v[1], v[2], v[3]);
        for (int k = 0; k < 4; ++k) __builtin_memcpy(context.row<std::uint32_t>(m.rows[k]) + i, &v[k], sizeof v[k]);
    }
}
inline void storeFourWords(const WarpContext &context, const MemoryOperand &m, std::byte *origin, const AccessPattern &p) {
    for (int i = 0; i < laneCount; i += 4) {
        Words v[4];
        for (int k = 0; k < 4; ++k) __builtin_memcpy(&v[k], context.source<std::uint32_t>(m.rows[k]) + i, sizeof v[k]);
        exchange(v[0], v[1], v[2], v[3]);
        for (int k = 0; k < 4; ++k) __builtin_memcpy(origin + p.delta[i + k], &v[k], sizeof v[k]); // of equal addresses the last lane's stays
    }
}
// All lanes on, one word each.
inline void loadWord(std::uint32_t *row, const std::byte *origin, const AccessPattern &p) {
    if (p.contiguous) __builtin_memcpy(row, origin, 128);
    else loadGroups<std::uint32_t, false>(row, origin, p, true);
}

inline void loadLanes(const WarpContext &context, const MemoryOperand &m, const std::byte *origin, const AccessPattern &p, std::uint32_t lanes) {
    if (m.words && lanes == fullMask) {
        if (m.count == 1) return loadWord(context.row<std::uint32_t>(m.rows[0]), origin, p);
        if (m.count == 4) return loadFourWords(context, m, origin, p);
    }
    switch (m.elementBytes) {
    case 4:
        if (m.signExtend) loadElements<std::uint32_t, true>(context, m, origin, p, lanes);
        else loadElements<std::uint32_t, false>(context, m, origin, p, lanes);
        break;
    case 8: loadElements<std::uint64_t, false>(context, m, origin, p, lanes); break;
    case 2:
        if (m.signExtend) loadElements<std::uint16_t, true>(context, m, origin, p, lanes);
        else loadElements<std::uint16_t, false>(context, m, origin, p, lanes);
        break;
    default:
        if (m.signExtend) loadElements<std::uint8_t, true>(context, m, origin, p, lanes);
        else loadElements<std::uint8_t, false>(context, m, origin, p, lanes);
    }
}

template <class Element> inline void storeElements(const WarpContext &context, const MemoryOperand &m, std::byte *origin, const AccessPattern &p, std::uint32_t lanes) {
    for (int e = 0; e < m.count; ++e) {
        const int offset = e * static_cast<int>(sizeof(Element));
        if (m.wide[e]) {
            const auto *row = context.source<std::uint64_t>(m.rows[e]);
            for (int i = 0; i < laneCount; ++i) {
                if (!(lanes & laneBit[i])) continue;
                const Element v = static_cast<Element>(row[i]);
                __builtin_memcpy(origin + p.delta[i] + offset, &v, sizeof v);
            }
            continue;
        }
        const auto *row = context.source<std::uint32_t>(m.rows[e]);
        if (p.contiguous && sizeof(Element) == 4 && m.count == 1) {
            __builtin_memcpy(origin, row, 128);
            continue;
        }
        for (int i = 0; i < laneCount; ++i) {
            if (!(lanes & laneBit[i])) continue;
            const Element v = static_cast<Element>(row[i]);
            __builtin_memcpy(origin + p.delta[i] + offset, &v, sizeof v);
        }
    }
}

inline void storeLanes(const WarpContext &context, const MemoryOperand &m, std::byte *origin, const AccessPattern &p, std::uint32_t lanes) {
    if (m.words && m.count == 4 && lanes == fullMask) return storeFourWords(context, m, origin, p);
    switch (m.elementBytes) {
    case 4: storeElements<std::uint32_t>(context, m, origin, p, lanes); break;
    case 8: storeElements<std::uint64_t>(context, m, origin, p, lanes); break;
    case 2: storeElements<std::uint16_t>(context, m, origin, p, lanes); break;
    default: storeElements<std::uint8_t>(context, m, origin, p, lanes);
    }
}

// The bytes one lane is about to store.
inline void storedBytes(const WarpContext &context, const MemoryOperand &m, int lane, std::byte *out) {
    for (int e = 0; e < m.count; ++e) {
        const std::uint64_t v = m.wide[e] ? context.source<std::uint64_t>(m.rows[e])[lane] : context.source<std::uint32_t>(m.rows[e])[lane];
        __builtin_memcpy(out + e * m.elementBytes, &v, m.elementBytes);
    }
}

// Where a request's findings go: global and shared memory report differently.
struct Place {
    AddressSpaceKind space = AddressSpaceKind::Global;
    Allocation *allocation = nullptr;
    std::uint64_t base = 0; // address of the shadow's byte 0
};

inline void reportRace(WarpContext &context, const Place &place, std::uint64_t start, unsigned lane, std::uint32_t tag, AccessKind mine, bool otherWrote) {
    if (place.space == AddressSpaceKind::Shared) reportSharedRace(context, static_cast<std::uint32_t>(start), lane, tag, mine, otherWrote);
    else considerGlobalRace(context, *place.allocation, start >> 2, lane, tag, mine, otherWrote);
}

[[gnu::noinline]] inline void findReadProblems(WarpContext &context, const Place &place, const Shadow &s, std::uint64_t first,
                                               const AccessPattern &p, std::uint32_t lanes, int bytes) {
    for (unsigned lane = 0; lane < laneCount; ++lane) {
        if (!(lanes & laneBit[lane])) continue;
        const std::uint64_t start = first + static_cast<std::uint64_t>(static_cast<std::int64_t>(p.delta[lane]));
        bool known = true;
        for (int i = 0; i < bytes && s.written != nullptr; ++i) known = known && byteWritten(s, start + static_cast<std::uint64_t>(i));
        if (!known) return reportUninitialised(context, place.space, place.base + start, lane, bytes);
        if (s.writer == nullptr) continue;
        for (std::uint64_t word = start >> 2; word <= (start + static_cast<std::uint64_t>(bytes) - 1) >> 2; ++word)
            if (foreign(s, s.writer[word])) return reportRace(context, place, start, lane, s.writer[word], AccessKind::Read, true);
    }
}

inline void checkRead(WarpContext &context, const Place &place, const Shadow &s, std::uint64_t first, const AccessPattern &p, std::uint32_t lanes, int bytes) {
    bool bad = false;
    if (s.fused && bytes >= 4 && p.aligned) { // whole words of shared memory
        std::uint32_t found = 0;
        for (int r = 0; r < p.runs; ++r)
            found |= readWordsFused(s, (first + static_cast<std::uint64_t>(static_cast<std::int64_t>(p.runStart[r]))) >> 2, static_cast<std::uint32_t>(p.runBytes[r]) >> 2);
        if (found != 0) findReadProblems(context, place, s, first, p, lanes, bytes);
        return;
    }
    for (int r = 0; r < p.runs; ++r) {
        const std::uint64_t start = first + static_cast<std::uint64_t>(static_cast<std::int64_t>(p.runStart[r]));
        const std::uint32_t length = static_cast<std::uint32_t>(p.runBytes[r]);
        if (s.written != nullptr && !s.fused) bad |= !allWritten(s.written, start, length);
        if (s.writer != nullptr) bad |= noteRead(s, start, length);
    }
    if (bad) findReadProblems(context, place, s, first, p, lanes, bytes);
}

// A store that meets another owner's access is a race only when it changes what is there.
[[gnu::noinline]] inline void findWriteProblems(WarpContext &context, const Place &place, const Shadow &s, std::uint64_t first,
                                                const AccessPattern &p, std::uint32_t lanes, const MemoryOperand &m, const std::byte *origin) {
    const int bytes = m.elementBytes * m.count;
    std::byte value[64];
    for (unsigned lane = 0; lane < laneCount; ++lane) {
        if (!(lanes & laneBit[lane])) continue;
        storedBytes(context, m, static_cast<int>(lane), value);
        if (__builtin_memcmp(origin + p.delta[lane], value, static_cast<std::size_t>(bytes)) == 0) continue;
        const std::uint64_t start = first + static_cast<std::uint64_t>(static_cast<std::int64_t>(p.delta[lane]));
        for (std::uint64_t word = start >> 2; word <= (start + static_cast<std::uint64_t>(bytes) - 1) >> 2; ++word) {
            const std::uint64_t from = start > word * 4 ? start - word * 4 : 0;
            const std::uint64_t to = start + static_cast<std::uint64_t>(bytes) < word * 4 + 4 ? start + static_cast<std::uint64_t>(bytes) - word * 4 : 4;
            const std::uint32_t part = partMask(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
            if (foreign(s, s.writer[word]) && (s.writer[word] & part)) return reportRace(context, place, start, lane, s.writer[word], AccessKind::Write, true);
            if (s.reader != nullptr && foreign(s, s.reader[word]) && (s.reader[word] & part)) return reportRace(context, place, start, lane, s.reader[word], AccessKind::Write, false);
        }
    }
}

// Two lanes of one instruction store different values to one address: which one stays is not defined.
[[gnu::noinline]] inline void findLaneConflicts(WarpContext &context, const Place &place, std::uint64_t first, const AccessPattern &p,
                                                std::uint32_t lanes, const MemoryOperand &m) {
    const int bytes = m.elementBytes * m.count;
    std::byte mine[64], theirs[64];
    for (unsigned lane = 1; lane < laneCount; ++lane) {
        if (!(lanes & laneBit[lane])) continue;
        for (unsigned other = 0; other < lane; ++other) {
            if (!(lanes & laneBit[other]) || p.delta[other] != p.delta[lane]) continue;
            storedBytes(context, m, static_cast<int>(lane), mine);
            storedBytes(context, m, static_cast<int>(other), theirs);
            if (__builtin_memcmp(mine, theirs, static_cast<std::size_t>(bytes)) != 0)
                return reportLaneConflict(context, place.space, place.base + first + static_cast<std::uint64_t>(static_cast<std::int64_t>(p.delta[lane])), lane, other);
        }
    }
}

inline void checkWrite(WarpContext &context, const Place &place, const Shadow &s, std::uint64_t first, const AccessPattern &p,
                       std::uint32_t lanes, const MemoryOperand &m, const std::byte *origin) {
    bool bad = false;
    for (int r = 0; r < p.runs; ++r) {
        const std::uint64_t start = first + static_cast<std::uint64_t>(static_cast<std::int64_t>(p.runStart[r]));
        const std::uint32_t length = static_cast<std::uint32_t>(p.runBytes[r]);
        if (s.writer != nullptr) bad |= writeConflicts(s, start, length);
        if (s.written != nullptr && !s.fused) __builtin_memset(s.written + start, 1, length);
    }
    if (p.duplicates) findLaneConflicts(context, place, first, p, lanes, m);
    if (s.writer == nullptr) return;
    if (bad) findWriteProblems(context, place, s, first, p, lanes, m, origin);
    for (int r = 0; r < p.runs; ++r)
        noteWrite(s, first + static_cast<std::uint64_t>(static_cast<std::int64_t>(p.runStart[r])), static_cast<std::uint32_t>(p.runBytes[r]));
}

inline Shadow sharedShadow(const WarpContext &context) {
    const BlockState &b = *context.block;
    if (!context.launch->checks) return {};
    const bool races = context.launch->raceChecks || b.warpCount > 1;
    return {b.sharedWritten, races ? b.sharedWriter : nullptr, b.sharedReader, b.sharedEpoch << 10 | 15u,
            (b.sharedEpoch * 64 + context.warp->index + 1) << 4 | 15u, (b.sharedEpoch * 64 + 63) << 4 | 15u, races, b.sharedFirstEpoch << 10 | 15u, 0, 0};
}

inline Shadow globalShadow(const WarpContext &context, Allocation &a, bool strong, bool store) {
    const LaunchState &l = *context.launch;
    if (!l.checks) return {};
    bool races = l.raceChecks && !strong && a.writer != nullptr;
    if (store && races) a.storeLaunch = l.launchNumber;
    if (!store) races = races && a.storeLaunch == l.launchNumber;
    if (!store && races) a.loadLaunch = l.launchNumber;
    std::uint32_t *reader = !store || a.loadLaunch == l.launchNumber ? a.reader : nullptr;
    BlockState &b = *context.block;
    b.tagUsed = b.tagUsed | races;
    const std::uint32_t me = b.tag | (context.warp->index + 1) << 4 | 15u;
    return {a.fullyWritten ? nullptr : a.written, races ? a.writer : nullptr, reader, l.raceFloor, me, l.raceMany, false, 0, b.firstTag, b.tag - b.firstTag};
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
