// SPDX-License-Identifier: Apache-2.0
// The decoded form of an instruction, made to be executed for 32 lanes at a time.
//
// A register is a row of 32 lanes: 128 bytes for up to 32 bits, 256 bytes for 64. Bits above a narrow value's width are
// unspecified, so whoever reads a row narrows it. A predicate is one 32-bit mask. Plain data only: this header is seen by
// translation units that are compiled once per instruction set of the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernelskill::simulator {

struct MicroOp;
struct WarpContext;
using Handler = void (*)(WarpContext &, const MicroOp &);

inline constexpr std::uint32_t constantFlag = 0x8000'0000u; // an operand in the constant pool, not the register file
inline constexpr std::uint32_t fullMask = 0xffff'ffffu;
inline constexpr std::uint32_t noneReady = 0; // scoreboard entry that is always ready
inline constexpr std::uint32_t sinkReady = 1; // scoreboard entry nobody reads
inline constexpr std::uint32_t firstReady = 2;
inline constexpr std::uint32_t truePredicate = 0;
inline constexpr std::uint32_t sinkPredicate = 1;
inline constexpr std::uint32_t carryPredicate = 2; // the CC.CF flag of add.cc and friends
inline constexpr std::uint32_t firstPredicate = 3;

enum class Control : std::uint8_t {
    Plain,
    Join,          // plain, but lanes named by the member mask (the row in `target`) must arrive together
    Branch,        // target
    BranchIndexed, // operand a indexes branch table `extra`
    Call,          // extra: call site
    Return,
    Exit,
    Barrier,       // extra: barrier site
    Trap,
    Unsupported,   // extra: text
};

// Stall reasons travel in the low bits of a scoreboard time.
inline constexpr int reasonBits = 3;

// What a plain instruction needs lies in the first 64 bytes, one cache line of the host.
struct alignas(64) MicroOp {
    Handler full = nullptr;   // all 32 lanes on
    std::uint32_t d = 0, a = 0, b = 0, c = 0; // byte offsets of rows, or predicate numbers where the handler says so
    std::uint32_t readyD = sinkReady, readyA = noneReady, readyB = noneReady, readyC = noneReady, readyGuard = noneReady;
    std::uint32_t guard = truePredicate;
    std::uint32_t result = 0; // latency << reasonBits | reason
    std::uint32_t extra = 0;  // index into the side table of its kind
    Control control = Control::Plain;
    std::uint8_t issue = 1;   // issue slots it takes
    bool guardNegated = false;
    bool canStop = false;     // a handler that may raise a fatal finding, or that needs or moves the clock
    bool unusual = false;     // can stop, or has more sources or results: made by the decoder when all is known
    std::uint8_t moreSourceCount = 0, moreResultCount = 0; // beyond readyA to readyC, readyD
    Handler masked = nullptr; // WarpContext::exec says which lanes are on
    std::int64_t immediate = 0;
    std::uint32_t target = 0; // pc; of a join: row of the member mask
    std::uint32_t moreSources = 0, moreResults = 0; // begin in Program::entries
    std::uint8_t instructionClass = 0;
    std::uint8_t flops = 0;   // per lane: fp32 in the low nibble, fp64 in the high nibble
};
static_assert(offsetof(MicroOp, masked) == 64);

enum class AddressSpaceKind : std::uint8_t { Generic, Global, Shared, Local, Parameter, CallParameter };

// What requests add to the counts of their instruction. A multiple of the host's vectors, so that adding is cheap.
struct RequestCounts {
    std::uint64_t requests = 0, sectors = 0, idealSectors = 0, lines = 0;
    std::uint64_t wavefronts = 0, conflicts = 0, bytes = 0, unused = 0;
    [[gnu::always_inline]] void add(const RequestCounts &other) {
        requests += other.requests;
        sectors += other.sectors;
        idealSectors += other.idealSectors;
        lines += other.lines;
        wavefronts += other.wavefronts;
        conflicts += other.conflicts;
        bytes += other.bytes;
        unused += other.unused;
    }
};

// What follows from the places of a request's lanes, relative to each other and in a line.
struct alignas(64) AccessPattern {
    RequestCounts counts;
    std::uint32_t exec = 0;       // lanes it was made for; 0: none yet
    std::uint32_t kind = 0;       // bytes of a lane · 2 + 1 for shared memory
    std::uint32_t phase = 0;      // address of lane 0 modulo 128; of shared memory modulo 16
    std::int32_t lowest = 0, highest = 0; // least and greatest delta
    std::uint16_t sectors = 0, idealSectors = 0;
    std::uint16_t wavefronts = 0, idealWavefronts = 0;
    std::uint8_t lines = 0;       // entries of line[]
    std::uint8_t runs = 0;        // entries of runStart[]
    bool contiguous = false, uniform = false, duplicates = false, aligned = false;
    std::uint8_t group[4];        // of each eight lanes: 0 mixed, 1 one address, 2 side by side
    alignas(64) std::int32_t delta[32]; // byte distance from lane 0's address
    std::uint8_t lineSectors[64]; // mask of the four sectors of a line
    std::int32_t line[64];        // lines of 128 bytes, counted from lane 0's
    std::int32_t runStart[32];    // maximal runs of bytes touched by neighbouring lanes, from lane 0's address
    std::int32_t runBytes[32];
};

// The patterns met so far, found by their contents: instructions share them, and one whose rows do not begin at the same
// place of a line comes back to each of its own.
struct PatternTable {
    static constexpr std::uint32_t sets = 64, ways = 4;
    std::uint32_t signature[sets][ways] = {};
    std::uint8_t next[sets] = {}; // way to give away
    AccessPattern patterns[sets][ways];
};

struct Allocation;

struct MemoryOperand {
    AddressSpaceKind space = AddressSpaceKind::Generic;
    std::uint8_t elementBytes = 4, count = 1;
    bool signExtend = false;
    bool strong = false;    // volatile, relaxed, acquire, release: not part of race detection
    bool isVolatile = false; // strong by the old keyword, which orders nothing between lanes
    bool bypassL1 = false;
    bool constantCache = false;
    bool address64 = true;
    std::uint32_t address = 0; // row of addresses
    std::int64_t offset = 0;
    std::uint32_t rows[8] = {};
    bool wide[8] = {};         // 64-bit row
    bool sink[8] = {};
    bool words = false;        // of 32 bits each, all wanted: the common case
    // atomics
    std::uint8_t atomicOperation = 0, atomicType = 0;
    bool hasResult = false;
    std::uint32_t compare = 0; // row of the second operand of cas
    // cp.async
    std::uint32_t sourceAddress = 0, sourceBytes = 0;
    std::int64_t sourceOffset = 0;
    bool hasSourceBytes = false;
    // of the last request; the next one often repeats it, moved by a constant
    AccessPattern *pattern = nullptr, *sourcePattern = nullptr;
    Allocation *lastAllocation = nullptr;
};

} // namespace kernelskill::simulator
