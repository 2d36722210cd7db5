// SPDX-License-Identifier: Apache-2.0
// Shadow memory: what was ever written, who wrote and who read each word.
//
// A tag is owner << 10 | (warp + 1) << 4 | bytes of the word. An owner is a block between two of its barriers; in shared
// memory, which has one block, it is the time between two barriers. Owners grow with time: a tag not above `floor` belongs to
// an earlier launch (or to the time before the last barrier) and orders nothing any more, nor do the block's own earlier
// owners, from `first` on for `span`. Readers of several owners leave the tag `many`, several warps of one owner the warp 63.
#pragma once

#include "engine/execution/isa/lanes.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {

struct Shadow {
    std::uint8_t *written = nullptr; // null: all is written
    std::uint32_t *writer = nullptr, *reader = nullptr; // null: no race detection
    std::uint32_t floor = 0, me = 0, many = 0;
    // Shared memory keeps one array less in the host's caches: a word whose writer's tag is above `since` (the block's
    // start) and covers all four bytes is known to be written; `written` has only what such a tag does not tell.
    bool fused = false;
    std::uint32_t since = 0;
    std::uint32_t first = 0, span = 0;
};

inline constexpr std::uint32_t warpBits = 10, manyWarps = 63u << 4 | 15u;

inline bool foreign(const Shadow &s, std::uint32_t tag) { return (tag > s.floor) & ((tag ^ s.me) > 15u) & (tag - s.first >= s.span); }
// The tag a word's readers leave when one more reads it.
inline std::uint32_t readersWith(std::uint32_t before, std::uint32_t me, std::uint32_t many, std::uint32_t floor, std::uint32_t first, std::uint32_t span) {
    const bool mine = (before <= floor) | ((before ^ me) <= 15u) | (before - first < span);
    const std::uint32_t several = (before ^ me) >> warpBits == 0 ? me | manyWarps : many;
    return mine ? me : several;
}

inline bool allWritten(const std::uint8_t *written, std::uint64_t start, std::uint32_t bytes) {
    if (bytes == 4) {
        std::uint32_t word;
        __builtin_memcpy(&word, written + start, 4);
        return word == 0x0101'0101u;
    }
    std::uint8_t missing = 0;
    std::uint32_t i = 0;
    for (; i + 16 <= bytes; i += 16) {
        std::uint64_t a, b;
        __builtin_memcpy(&a, written + start + i, 8);
        __builtin_memcpy(&b, written + start + i + 8, 8);
        if ((a & b) != 0x0101'0101'0101'0101u) return false;
    }
    for (; i < bytes; ++i) missing = static_cast<std::uint8_t>(missing | (written[start + i] ^ 1u));
    return missing == 0;
}

inline bool byteWritten(const Shadow &s, std::uint64_t at) {
    if (s.written[at] != 0) return true;
    const std::uint32_t tag = s.fused ? s.writer[at >> 2] : 0u;
    return tag > s.since && (tag >> (at & 3) & 1u) != 0;
}
inline std::uint32_t readWordsFused(const Shadow &s, std::uint64_t word, std::uint32_t count) {
    std::uint32_t bad = 0;
    std::uint32_t *writer = s.writer + word, *reader = s.reader + word;
    const std::uint32_t floor = s.floor, me = s.me, many = s.many, since = s.since; // of shared memory: no owners of its own to skip
    if (count == 1) {
        const std::uint32_t w = writer[0], r = reader[0];
        reader[0] = (r <= floor) | ((r ^ me) <= 15u) ? me : many;
        return ((w > floor) & ((w ^ me) > 15u)) | (w <= since) | ((~w & 15u) != 0) ? 1u : 0u;
    }
#pragma GCC ivdep
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t w = writer[i], r = reader[i];
        bad |= ((w > floor) & ((w ^ me) > 15u)) | (w <= since) | ((~w & 15u) != 0) ? 1u : 0u;
        reader[i] = (r <= floor) | ((r ^ me) <= 15u) ? me : many;
    }
    return bad;
}
// Before a tag that says which bytes are written makes room for another's.
inline void keepWritten(const Shadow &s, std::uint64_t word, std::uint32_t bytes) {
    const std::uint32_t tag = s.writer[word], known = (tag > s.since ? tag & 15u : 0u) | bytes;
    for (std::uint32_t i = 0; i < 4; ++i)
        if (known >> i & 1u) s.written[word * 4 + i] = 1;
}

// Words wholly touched.
inline std::uint32_t readWords(const Shadow &s, std::uint64_t word, std::uint32_t count) {
    std::uint32_t bad = 0;
    std::uint32_t *writer = s.writer + word, *reader = s.reader + word;
    const std::uint32_t floor = s.floor, me = s.me, many = s.many, first = s.first, span = s.span;
    if (count == 1) {
        reader[0] = readersWith(reader[0], me, many, floor, first, span);
        return foreign(s, writer[0]) ? 1u : 0u;
    }
#pragma GCC ivdep
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t w = writer[i];
        bad |= (w > floor) & ((w ^ me) > 15u) & (w - first >= span) ? 1u : 0u;
        reader[i] = readersWith(reader[i], me, many, floor, first, span);
    }
    return bad;
}
inline std::uint32_t writeWords(const Shadow &s, std::uint64_t word, std::uint32_t count) {
    std::uint32_t bad = 0;
    std::uint32_t *writer = s.writer + word;
    const std::uint32_t *reader = (s.reader ? s.reader : s.writer) + word; // nobody has read: the writers stand for both
    const std::uint32_t floor = s.floor, me = s.me, first = s.first, span = s.span;
    if (count == 1) return foreign(s, writer[0]) | foreign(s, reader[0]) ? 1u : 0u;
#pragma GCC ivdep
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t w = writer[i], r = reader[i];
        bad |= ((w > floor) & ((w ^ me) > 15u) & (w - first >= span)) | ((r > floor) & ((r ^ me) > 15u) & (r - first >= span)) ? 1u : 0u;
    }
    return bad;
}
inline void claimWords(const Shadow &s, std::uint64_t word, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) s.writer[word + i] = s.me;
}

// Part of a word. Bytes of other owners that do not overlap are no conflict.
inline bool readPart(const Shadow &s, std::uint64_t word, std::uint32_t bytes) {
    const std::uint32_t w = s.writer[word], r = s.reader[word];
    const bool bad = foreign(s, w) && (w & bytes) != 0;
    if (r <= s.floor || r - s.first < s.span) s.reader[word] = (s.me & ~15u) | bytes;
    else if (!foreign(s, r)) s.reader[word] = r | bytes;
    else if ((r & bytes) != 0) s.reader[word] = (readersWith(r, s.me, s.many, s.floor, s.first, s.span) & ~15u) | (r & 15u) | bytes;
    return bad;
}
inline bool conflictsPart(const Shadow &s, std::uint64_t word, std::uint32_t bytes) {
    const std::uint32_t w = s.writer[word], r = s.reader ? s.reader[word] : 0u;
    return (foreign(s, w) && (w & bytes) != 0) || (foreign(s, r) && (r & bytes) != 0);
}
inline void claimPart(const Shadow &s, std::uint64_t word, std::uint32_t bytes) {
    const std::uint32_t w = s.writer[word];
    s.writer[word] = w > s.floor && (w ^ s.me) <= 15u ? w | bytes : (s.me & ~15u) | bytes;
}

inline std::uint32_t partMask(std::uint32_t from, std::uint32_t to) { return ((1u << to) - 1u) & ~((1u << from) - 1u); }

// Calls whole(word, count) for the words a byte range covers and part(word, bytes) at its ends.
template <class Whole, class Part> inline void eachWord(std::uint64_t start, std::uint32_t bytes, Whole &&whole, Part &&part) {
    std::uint64_t word = start >> 2;
    const std::uint64_t end = start + bytes;
    if (const std::uint32_t in = start & 3; in != 0) {
        const std::uint64_t stop = end < (word + 1) * 4 ? end - word * 4 : 4;
        part(word, partMask(in, static_cast<std::uint32_t>(stop)));
        ++word;
    }
    if (word * 4 >= end) return;
    const std::uint64_t count = (end >> 2) - word;
    if (count != 0) whole(word, static_cast<std::uint32_t>(count));
    if (const std::uint32_t out = end & 3; out != 0) part(end >> 2, partMask(0, out));
}

inline bool noteRead(const Shadow &s, std::uint64_t start, std::uint32_t bytes) {
    std::uint32_t bad = 0;
    if (s.fused)
        eachWord(start, bytes, [&](std::uint64_t w, std::uint32_t n) { bad |= readWordsFused(s, w, n); },
                 [&](std::uint64_t w, std::uint32_t b) {
                     bad |= readPart(s, w, b) ? 1u : 0u;
                     for (std::uint32_t i = 0; i < 4; ++i)
                         if (b >> i & 1u) bad |= byteWritten(s, w * 4 + i) ? 0u : 1u;
                 });
    else
        eachWord(start, bytes, [&](std::uint64_t w, std::uint32_t n) { bad |= readWords(s, w, n); },
                 [&](std::uint64_t w, std::uint32_t b) { bad |= readPart(s, w, b) ? 1u : 0u; });
    return bad != 0;
}
inline bool writeConflicts(const Shadow &s, std::uint64_t start, std::uint32_t bytes) {
    std::uint32_t bad = 0;
    eachWord(start, bytes, [&](std::uint64_t w, std::uint32_t n) { bad |= writeWords(s, w, n); },
             [&](std::uint64_t w, std::uint32_t b) { bad |= conflictsPart(s, w, b) ? 1u : 0u; });
    return bad != 0;
}
inline void noteWrite(const Shadow &s, std::uint64_t start, std::uint32_t bytes) {
    eachWord(start, bytes, [&](std::uint64_t w, std::uint32_t n) { claimWords(s, w, n); },
             [&](std::uint64_t w, std::uint32_t b) {
                 if (s.fused) keepWritten(s, w, b);
                 claimPart(s, w, b);
             });
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
