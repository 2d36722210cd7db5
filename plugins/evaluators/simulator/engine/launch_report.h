// SPDX-License-Identifier: Apache-2.0
// What one kernel launch did: the counters every other part of the simulator is fed from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelskill::simulator {

// Classes an executed instruction falls in. The time model gives each a pipe, a rate and a latency.
enum class InstructionClass : std::uint8_t {
    Fp32,          // add, mul, fma, min, max on float32
    Fp64,
    Fp16,          // scalar and packed half and bfloat16
    Integer,       // add, sub, logic, shift, min, max, lop3, prmt, bfe
    IntegerMultiply, // mul, mad, dp4a, on 32 and 64 bit
    Special,       // ex2, lg2, rcp, rsqrt, sqrt, sin, cos, tanh
    Convert,       // cvt between types
    Compare,       // setp, selp, set, predicate logic
    Move,          // mov, cvta
    Branch,        // bra, call, ret, exit
    LoadGlobal, StoreGlobal, AtomicGlobal,
    LoadShared, StoreShared, AtomicShared,
    LoadLocal, StoreLocal,
    LoadConstant,  // ld.const and ld.param
    Shuffle,       // shfl
    Vote,          // vote, match, activemask, redux
    Barrier,       // bar.sync, barrier.*, bar.warp.sync
    Fence,
    Tensor,        // mma, wmma, wgmma
    AsyncCopy,     // cp.async and its groups
    Other,
    Count
};
inline constexpr std::size_t instructionClassCount = static_cast<std::size_t>(InstructionClass::Count);
[[nodiscard]] std::string_view name(InstructionClass c); // "fp32", "load_global", …

// Why a warp could not issue, in the profiler's words (smsp__warp_issue_stalled_*).
enum class StallReason : std::uint8_t {
    LongScoreboard,  // waits for global, local or L2 data
    ShortScoreboard, // waits for shared memory, special functions, shuffles
    Wait,            // fixed-latency dependency
    Barrier,
    Branch,          // branch resolving
    MathPipe,        // filled by the time model: pipe throughput
    LgThrottle,      // filled by the time model: L1 queue
    NotSelected,     // filled by the time model: another warp issued
    NoInstruction,
    Count
};
inline constexpr std::size_t stallReasonCount = static_cast<std::size_t>(StallReason::Count);
[[nodiscard]] std::string_view name(StallReason r); // "long_scoreboard", …

// Traffic of one memory space. A request is one warp-wide instruction; a sector is 32 bytes.
struct AccessCounters {
    std::uint64_t requests = 0;
    std::uint64_t sectors = 0;     // distinct 32-byte sectors touched, summed over requests
    std::uint64_t bytes = 0;       // bytes asked for by active lanes
    std::uint64_t l1HitSectors = 0;
    std::uint64_t l2HitSectors = 0; // of those that missed L1
    std::uint64_t lines = 0;        // distinct 128-byte lines (tag look-ups), summed over requests; 0: not counted
    std::uint64_t wavefronts = 0;   // cycles of L1's data stage: bank conflicts as in shared memory, four lines a cycle
};

// Reads that L1 did not have, by how many blocks of a company read the line (engine/counters/joined_loads.h); of those only that
// keep in step. [0]: of the first wave, [1]: of later ones.
struct Companies {
    static constexpr std::uint32_t most = 16; // or more
    std::array<std::uint64_t, most + 1> sectors[2]{};
    std::uint64_t blocks[2]{}, count[2]{}; // that ran, and the companies they formed
};

struct LaunchCounters {
    std::array<std::uint64_t, instructionClassCount> warpInstructions{};   // issued, once a warp
    std::array<std::uint64_t, instructionClassCount> threadInstructions{}; // lanes active and predicated on
    std::uint64_t activeLanes = 0;      // Σ active lanes over all warp instructions, before predication
    std::uint64_t predicatedOnLanes = 0;
    std::uint64_t fp32Flops = 0;        // an fma counts two
    std::uint64_t fp64Flops = 0;
    std::uint64_t tensorFlops = 0;
    AccessCounters globalLoad, globalStore, globalAtomic, local;
    std::uint64_t sharedLoadRequests = 0, sharedStoreRequests = 0, sharedAtomicRequests = 0;
    std::uint64_t sharedAtomicWavefronts = 0; // lanes that meet on one bank go one after the other, also those of one word
    std::uint64_t sharedLoadWavefronts = 0, sharedStoreWavefronts = 0; // 1 a request when free of conflicts (2 for 64-bit, 4 for 128-bit)
    std::uint64_t sharedLoadConflicts = 0, sharedStoreConflicts = 0;   // wavefronts beyond the ideal number
    // Atomics on global memory: of each sector of a request, the most lanes that meet on one word; they go one by one.
    std::uint64_t atomicTurnsInteger = 0, atomicTurnsFloat = 0;
    std::uint64_t atomicPieces = 0; // distinct KiB of memory atomics went to (a slice of L2 serves one), up to 65536
    std::uint64_t l2ReadSectors = 0, l2WriteSectors = 0;
    Companies companies; // of those read
    std::uint64_t dramReadBytes = 0, dramWriteBytes = 0;
    std::uint64_t dramAgainBytes = 0; // of those read: by a block that had fetched them itself before
    std::uint64_t branches = 0, divergentBranches = 0; // executed by warps; divergent: active lanes went both ways
    std::uint64_t barriers = 0;                        // warps arriving at a block barrier
    std::uint64_t blocks = 0, warps = 0, threads = 0;  // executed
    // One warp alone on an idle SM, in-order issue with a register scoreboard and the device's latencies; barriers join
    // the clocks of a block's warps. Sum over blocks of the block's last clock, in cycles.
    std::uint64_t blockCriticalCycles = 0;
    std::uint64_t longestBlockCycles = 0;
    std::array<std::uint64_t, stallReasonCount> stallCycles{}; // of the same clocks, summed over warps
};

// What the occupancy of a kernel depends on.
struct KernelResources {
    int registersPerThread = 32;   // estimate from live ranges, or ptxas's own figure where it is installed
    bool registersMeasured = false; // from ptxas
    int staticSharedBytes = 0;
    int dynamicSharedBytes = 0;
    int localBytesPerThread = 0;
    int spilledBytes = 0;
};

struct Dim3 { std::uint32_t x = 1, y = 1, z = 1; [[nodiscard]] std::uint64_t count() const { return std::uint64_t(x) * y * z; } };

// A fault or a hazard, tied to a place. Kinds are an open set of names; the first ones:
// "out_of_bounds", "misaligned", "uninitialised_read", "race", "divergent_barrier", "endless_loop",
// "unsupported_instruction", "trap", "assert", "illegal_launch", "sandbox", "missing_syncwarp", "warp_synchronous" (the same
// through volatile: a warning), "barrier_misuse" (mbarriers and tensor maps), "invalid_free".
struct Finding {
    std::string kind;
    bool fatal = false;      // the launch stopped here
    std::string kernel;      // demangled
    std::string file;        // source file as the compiler named it
    int line = 0;            // 1-based, 0 unknown
    Dim3 block{0, 0, 0};
    Dim3 thread{0, 0, 0};
    std::uint64_t address = 0;
    std::string message;     // a sentence: what happened, with sizes and names
    std::uint64_t occurrences = 1;
};

// Counts at one source line, for marks in the margin.
struct LineCounters {
    std::string file;
    int line = 0;
    std::uint64_t warpInstructions = 0;
    std::uint64_t stallCycles = 0;
    std::uint64_t globalSectors = 0;
    std::uint64_t idealSectors = 0;
    std::uint64_t sharedConflicts = 0;
    std::uint64_t globalRequests = 0, sharedRequests = 0; // warp-wide accesses of the line; 0: not counted
    StallReason mainStall = StallReason::Wait;
};

struct LaunchReport {
    std::string kernel;      // demangled name
    std::string mangled;
    Dim3 grid, block;
    std::uint64_t blocksTotal = 0; // of the launch; counters.blocks says how many ran
    std::uint64_t blocksTogether = 0; // that one launch ran, of all its windows; the largest launch where several are added up
    std::uint64_t loadedAllocationBytes = 0, storedAllocationBytes = 0; // whole size of those the blocks read, wrote
    KernelResources resources;
    LaunchCounters counters; // of the executed blocks; nobody has scaled them
    std::vector<LineCounters> lines;
    std::vector<Finding> findings; // de-duplicated by kind, kernel and line
    bool completed = false;        // false: a fatal finding stopped it
};

} // namespace kernelskill::simulator
