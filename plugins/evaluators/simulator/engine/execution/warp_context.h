// SPDX-License-Identifier: Apache-2.0
// State of running warps and blocks as the handlers see it. Plain data and pointers: seen by the translation units that
// are compiled once per instruction set of the host, which must not instantiate library templates.
#pragma once

#include "engine/counters/cache.h"
#include "engine/counters/joined_loads.h"
#include "engine/execution/micro_op.h"
#include "engine/launch_report.h"
#include "engine/memory/allocation.h"

#include <cstdint>

namespace kernelskill::simulator {

class AddressSpace;
struct LaunchState;
struct BlockState;
struct WarpState;
struct LaneFrame;

inline constexpr std::uint32_t atomicPieceWords = 1024; // of 64 bits, one a KiB of memory; further ones alias

inline constexpr std::uint32_t latencyKinds = 16;
inline std::uint32_t latencyKind(std::uint32_t line) { return line * 0x9e37'79b1u >> 28; }

// Counts of one instruction; summed by class and by line when the launch has ended. While it runs, `warps` and `activeLanes`
// say how much more there is than at the instruction before, so that instructions in a row are counted at both ends only.
struct IssueCounters {
    std::uint64_t warps = 0, activeLanes = 0, offLanes = 0; // off: by their guard
};
struct alignas(64) StallCounters {
    std::uint64_t cycles[8] = {}; // by StallReason
};
struct alignas(64) InstructionCounters : RequestCounts {
    std::uint64_t l1Hits = 0, l2Hits = 0;
};

// Lanes that share a program counter.
struct Fragment {
    enum class State : std::uint8_t { Ready, AtJoin, AtBarrier };
    std::uint32_t pc = 0, mask = 0;
    State state = State::Ready;
};

// A plain store to shared memory since the warp's last synchronisation: what another lane reads of it was not waited for.
struct UnorderedStore {
    std::uint32_t first = 0, lanes = 0, pc = 0, bytes = 0;
    std::int32_t lowest = 0, highest = 0; // as in the pattern
    bool isVolatile = false;
    std::int32_t delta[32];
};
inline constexpr std::uint32_t mostUnorderedStores = 4; // older ones are forgotten

struct WarpState {
    std::byte *registers = nullptr;
    std::uint32_t *predicates = nullptr;
    std::uint64_t *ready = nullptr;
    std::byte *local = nullptr;          // 32 × LaunchState::localBytes
    std::byte *callParameters = nullptr; // 32 × LaunchState::callParameterBytes
    std::uint32_t *frameBase = nullptr;  // of each lane, in local memory
    LaneFrame **callStack = nullptr;     // innermost call of each lane
    Fragment fragments[32];              // besides the current one
    std::uint32_t fragmentCount = 0;
    std::uint32_t pc = 0, active = 0;    // current fragment; active 0: none
    std::uint32_t live = 0;              // lanes that have not exited
    std::uint32_t index = 0;             // in the block
    std::uint32_t barrierMask = 0;       // lanes that wait at a barrier
    std::uint32_t barrierId = 0;
    std::uint32_t barrierWarps = 0;      // count the barrier was given, in warps; 0: all
    std::uint8_t *localWritten = nullptr; // one a byte of `local`; null: not checked
    std::uint32_t *allocaBytes = nullptr; // of each lane: taken by alloca, at the end of its local memory
    // stores other lanes must not read before a synchronisation; low … high encloses all of them
    std::uint32_t unorderedCount = 0, unorderedLow = ~0u, unorderedHigh = 0;
    UnorderedStore unordered[mostUnorderedStores];
    std::uint32_t clusterArrived = 0, clusterPassed = 0; // lanes at the cluster's barrier: have arrived; may pass the next wait
    std::uint64_t clock = 0; // cycles since the block began, as if it had the SM to itself
    std::uint64_t waited = 0; // for older blocks, besides: only decides whose turn it is, the time model adds what it costs
    // polling: the same strong access giving the same value over and over
    std::uint64_t pollValue = 0;
    std::uint32_t pollPc = ~0u, pollCount = 0;
    // cp.async: when the copies of the open group and of the last groups arrive
    std::uint64_t asyncOpen = 0;
    std::uint64_t asyncGroups[16] = {};
    std::uint32_t asyncCommitted = 0;
    // cp.async.bulk with bulk groups: the same
    std::uint64_t bulkOpen = 0;
    std::uint64_t bulkGroups[16] = {};
    std::uint32_t bulkCommitted = 0;
};

struct BlockState {
    std::uint64_t linear = 0;
    std::uint32_t ctaid[3] = {};
    std::byte *shared = nullptr;
    std::uint8_t *sharedWritten = nullptr; // one a byte
    std::uint32_t *sharedWriter = nullptr; // one a word
    std::uint32_t *sharedReader = nullptr;
    std::uint32_t sharedEpoch = 1;         // barriers passed; 2^20 at most before the tags are cleared
    std::uint32_t sharedFirstEpoch = 0;    // when the block began: tags above it mean written
    WarpState *warps = nullptr;
    std::uint32_t warpCount = 0;
    std::uint32_t sm = 0;
    std::uint32_t company = 0, member = 0; // the blocks that may read a line with it, and its number among them (engine/counters/joined_loads.h)
    // For races in global memory (isa/shadow.h). A block has a new owner after every barrier; owners from firstTag up to the
    // present one are its own earlier ones.
    std::uint32_t tag = 0, firstTag = 0;
    bool tagUsed = false;
    std::uint32_t unreleased = 0; // owners from this one on were not followed by a fence
    struct ClusterState *cluster = nullptr; // null: the block is a cluster of its own
    std::uint32_t clusterRank = 0;
    std::uint64_t acquireTime = 0;
    std::uint64_t instructions = 0;
};

struct LaunchState {
    const MicroOp *code = nullptr;
    MemoryOperand *memory = nullptr;
    const std::uint32_t *entries = nullptr; // rows and scoreboard numbers of instructions with many operands
    IssueCounters *issues = nullptr; // one more than instructions
    StallCounters *stalls = nullptr;
    InstructionCounters *counters = nullptr;
    PatternTable *patterns = nullptr;
    const std::byte *parameters = nullptr;
    std::uint32_t parameterBytes = 0;
    std::uint32_t sharedBytes = 0, dynamicSharedBytes = 0, staticSharedBytes = 0;
    std::uint32_t localBytes = 0, callParameterBytes = 0;
    std::uint32_t grid[3] = {}, block[3] = {}, cluster[3] = {1, 1, 1};
    std::uint32_t clusterBlocks = 1;
    const std::uint32_t *threadIds = nullptr; // x, y, z of each thread: 3 rows of 32 a warp
    std::uint32_t smCount = 1;
    bool checks = true, raceChecks = true;
    std::uint32_t launchNumber = 1;
    std::uint32_t raceFloor = 0, raceMany = 0; // tags up to the floor are of earlier launches
    SectorCache *l1 = nullptr;      // one an SM
    JoinedStores *stores = nullptr; // likewise
    SplitCache l2;
    FetchLog fetches;
    JoinedLoads joined;
    std::uint32_t sharedLatency = 0, l1Latency = 0, l2Latency = 0, dramLatency = 0;
    std::uint64_t l2ReadSectors = 0, l2WriteSectors = 0, dramReadBytes = 0, dramWriteBytes = 0, dramAgainBytes = 0;
    std::uint32_t l2Latencies[latencyKinds] = {}, dramLatencies[latencyKinds] = {}; // of a line, by latencyKind()
    std::uint64_t branches = 0, divergentBranches = 0;
    std::uint64_t l1Wavefronts = 0; // of requests to global memory
    std::uint64_t atomicTurnsInteger = 0, atomicTurnsFloat = 0;
    std::uint64_t *atomicPieces = nullptr; // atomicPieceWords of them
    AddressSpace *addresses = nullptr;
    void *owner = nullptr; // the Launcher, for what happens rarely
};

struct WarpContext {
    const std::byte *bases[2] = {}; // registers, constants
    std::uint32_t *predicates = nullptr;
    std::uint32_t exec = 0;   // lanes to execute
    std::uint32_t result = 0; // latency << reasonBits | reason; a handler may change it
    std::uint32_t pc = 0;
    bool stop = false;        // a fatal finding was made
    bool yield = false;       // the warp polls: let others run
    WarpState *warp = nullptr;
    BlockState *block = nullptr;
    LaunchState *launch = nullptr;
    InstructionCounters *counters = nullptr; // of the instruction that executes, if it can stop

    template <class T> T *row(std::uint32_t offset) const {
        return reinterpret_cast<T *>(const_cast<std::byte *>(bases[0] + offset));
    }
    template <class T> const T *source(std::uint32_t offset) const {
        return reinterpret_cast<const T *>(bases[offset >> 31] + (offset & ~constantFlag));
    }
};

// Why a warp stopped running.
enum class WarpStop : std::uint8_t { Exited, Blocked, Quantum, Polling, Fatal };

// What happens rarely is done by the launcher, compiled once (execution/rare_events.cpp).
enum class AccessKind : std::uint8_t { Read, Write, Atomic };
// Called when a request is not wholly inside one allocation or is misaligned: raises the findings; returns the lanes that
// may go on (those that have memory), and stops the warp when none may.
void reportGlobalFault(WarpContext &, const MemoryOperand &, const std::uint64_t *addresses, std::uint32_t lanes, int bytes, AccessKind);
void reportWindowFault(WarpContext &, AddressSpaceKind, std::uint64_t offset, std::uint64_t limit, unsigned lane, int bytes, AccessKind, bool misaligned);
void reportUninitialised(WarpContext &, AddressSpaceKind, std::uint64_t address, unsigned lane, int bytes);
void reportSharedRace(WarpContext &, std::uint32_t offset, unsigned lane, std::uint32_t otherTag, AccessKind mine, bool otherWrote);
// Decides with the fences whether the accesses were ordered before it reports.
void considerGlobalRace(WarpContext &, Allocation &, std::uint64_t word, unsigned lane, std::uint32_t otherTag, AccessKind mine, bool otherWrote);
void reportUnorderedRead(WarpContext &, const MemoryOperand &, const UnorderedStore &, std::uint32_t offset, unsigned lane, unsigned other, int bytes);
void reportLaneConflict(WarpContext &, AddressSpaceKind, std::uint64_t address, unsigned lane, unsigned other);
void reportReadOnlyStore(WarpContext &, std::uint64_t address, unsigned lane);
Allocation *findAllocation(WarpContext &, std::uint64_t address);
// The block of the cluster that a shared-memory address of the cluster's window belongs to; null: there is none that runs.
BlockState *clusterPeer(WarpContext &, std::uint64_t address);
void noteFence(WarpContext &, bool device); // membar, fence
void noteAcquire(WarpContext &);            // a strong access to global memory
// Control flow that is not hot. They return the new pc of the current lanes; `active` may shrink or become 0 when lanes
// were handed to fragments.
std::uint32_t enterCall(WarpContext &, const MicroOp &, std::uint32_t &active);
std::uint32_t leaveCall(WarpContext &, const MicroOp &, std::uint32_t &active);
std::uint32_t indexedBranch(WarpContext &, const MicroOp &, std::uint32_t &active);
bool arriveAtBarrier(WarpContext &, const MicroOp &, std::uint32_t active); // true: the lanes have to wait
void raiseTrap(WarpContext &, const MicroOp &);
void raiseUnsupported(WarpContext &, const MicroOp &);
bool specialRow(const WarpContext &, int special, std::uint64_t *values); // of the 32 lanes; true: all have the first one's

} // namespace kernelskill::simulator
