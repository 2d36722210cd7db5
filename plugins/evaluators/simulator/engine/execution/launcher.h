// SPDX-License-Identifier: Apache-2.0
// Runs one launch: blocks one after the other, the warps of a block in turn between barriers.
#pragma once

#include "engine/checks/finding_collector.h"
#include "engine/device.h"
#include "engine/execution/operation.h"
#include "engine/execution/program.h"
#include "engine/execution/warp_context.h"
#include "engine/memory/address_space.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kernelskill::simulator {

// Innermost call of a lane.
struct LaneFrame {
    LaneFrame *outer = nullptr;
    std::uint32_t returnPc = 0;
    std::uint32_t site = 0, callee = 0;
    std::vector<std::uint32_t> savedRows;      // of a recursive caller: the lane's column
    std::vector<bool> savedPredicates;
    std::vector<std::byte> savedParameters;
    std::uint32_t allocaBytes = 0;             // what the caller had taken
    std::uint32_t depth = 0;
};

// Blocks that run together and see each other's shared memory.
struct ClusterState {
    std::vector<struct BlockStorage *> blocks; // by rank
};

// Memory of a running block; kept for the next block when it has ended.
struct BlockStorage {
    BlockState state;
    std::vector<WarpState> warps;
    std::byte *registers = nullptr;
    std::size_t registerBytes = 0;
    std::vector<std::uint32_t> predicates;
    std::vector<std::uint64_t> ready;
    std::vector<std::byte> local, callParameters, shared;
    std::vector<std::uint8_t> localWritten;
    std::vector<std::uint32_t> frameBases, allocaBytes;
    std::vector<std::unique_ptr<BlockStorage>> peers; // of a cluster's first block: the other blocks
    std::unique_ptr<ClusterState> cluster;            // the same
    bool done = false;
    std::vector<LaneFrame *> callStacks;
    std::vector<std::uint8_t> sharedWritten;
    std::vector<std::uint32_t> sharedWriter, sharedReader;
    struct Barrier { std::uint32_t arrivedWarps = 0, count = 0; bool all = true, any = false; };
    Barrier barriers[64];
    std::uint32_t nextWarp = 0;
    BlockStorage() = default;
    BlockStorage(const BlockStorage &) = delete;
    BlockStorage &operator=(const BlockStorage &) = delete;
    ~BlockStorage();
};

// What persists between launches.
struct DeviceCaches {
    std::vector<CacheSet> l2;
    std::vector<CacheSet> l1; // of all SMs
    std::vector<std::uint32_t> l1Kernel; // an SM's L1 is empty but for what this kernel left there; 0: none
    std::uint32_t kernels = 0;           // launches, less those that go on with the grid of the one before
    std::uint32_t raceTag = 1; // next free owner
    std::uint32_t launches = 0;
    std::unique_ptr<PatternTable> patterns = std::make_unique<PatternTable>();
    std::map<std::uint64_t, std::size_t> heap; // what malloc in kernels has given: address, bytes
    std::size_t heapBytes = 0;
};

inline constexpr std::uint32_t clusterBarrier = 63; // number of a block's barrier that stands for the cluster's

class Launcher {
public:
    Launcher(std::shared_ptr<Program> program, const LaunchRequest &request, const ExecutionModel &model, AddressSpace &addresses, DeviceCaches &caches);
    ~Launcher();
    [[nodiscard]] LaunchReport run();
    [[nodiscard]] std::string takeOutput() { return std::move(m_output); }

    // For the handlers of what happens rarely.
    static Launcher &of(const WarpContext &context) { return *static_cast<Launcher *>(context.launch->owner); }
    [[nodiscard]] const Program &program() const { return *m_program; }
    [[nodiscard]] LaunchState &state() { return m_state; }
    [[nodiscard]] AddressSpace &addresses() { return m_addresses; }
    // Adds a finding at the instruction that executes. The message is made only for the first at a place.
    template <class Describe> void find(WarpContext &context, const char *kind, bool fatal, unsigned lane, std::uint64_t address, Describe &&describe) {
        const Place &place = placeOf(context.pc);
        if (fatal) context.stop = true;
        if (!m_findings.count(kind, place.file, place.line)) return;
        addFinding(context, kind, fatal, lane, address, describe());
    }
    [[nodiscard]] const Place &placeOf(std::uint32_t pc) const;
    [[nodiscard]] bool rowIsWide(std::uint32_t function, std::uint32_t unit) const { return m_program->functions[function].wideRow[unit]; }
    [[nodiscard]] Dim3 threadOf(const WarpContext &context, unsigned lane) const;
    void print(std::string text);
    [[nodiscard]] std::uint64_t heapAllocate(std::uint64_t bytes); // 0: no memory
    bool heapFree(std::uint64_t address);

    // Ordering by fences, for races between blocks.
    struct TagOwner { std::uint64_t block = 0, released = 0; };
    [[nodiscard]] const TagOwner *ownerOf(std::uint32_t tag) const;
    void release(BlockState &block);
    void acquire(BlockState &block) { block.acquireTime = ++m_time; }
    [[nodiscard]] std::uint64_t blocksWithFences() const { return m_fences; }

    bool arrive(WarpContext &context, const MicroOp &op, std::uint32_t active);

    // Clusters (clusters.cpp).
    void arriveAtCluster(WarpContext &context);
    bool waitForCluster(WarpContext &context, std::uint32_t active); // true: the lanes have to wait
    [[nodiscard]] BlockState *peerOf(const WarpContext &context, std::uint64_t address);
    // What the block's threads did so far is ordered before what they do from now on.
    void orderBlock(BlockState &block);
    // Latest arrival at the present phase of an mbarrier, and when the last phase was complete; by the object's place.
    struct PhaseTimes { std::uint64_t open = 0, complete = 0; };
    std::map<const std::byte *, PhaseTimes> &phaseTimes() { return m_phaseTimes; }

private:
    enum class BlockStop : std::uint8_t { Done, Running, Waiting, Fatal };
    static constexpr std::uint32_t untilItStops = ~0u;
    void prepare();
    void prepareCaches();
    void prepareCompanies();
    void joinCompany(BlockState &block);
    BlockStorage &newBlock(std::uint64_t linear);
    void startBlock(BlockStorage &storage, std::uint64_t linear);
    void allocateBlock(BlockStorage &storage);
    [[nodiscard]] std::unique_ptr<BlockStorage> takeStorage();
    bool step(std::unique_ptr<BlockStorage> storage, std::uint32_t turns);
    bool retryWaiting();
    void runNext(std::uint32_t turns);
    void startWindow(const BlockWindow &window, std::uint32_t turns);
    [[nodiscard]] bool hasRoomFor(std::uint64_t linear) const;
    // What came of a block's turn: it has warps that have not exited; some are not held by a barrier; some do not only poll.
    struct Turn { bool alive = false, ran = false, progressed = false, fatal = false; };
    [[nodiscard]] std::uint64_t openTurn(const BlockStorage &storage);
    [[nodiscard]] Turn runTurn(BlockStorage &storage);
    bool isEndless(BlockStorage &storage, WarpState &warp);
    BlockStop runBlock(BlockStorage &storage, std::uint32_t turns);
    void startCluster(BlockStorage &leader, std::uint64_t linear);
    BlockStop runCluster(BlockStorage &leader);
    bool openClusterBarrier(const std::vector<BlockStorage *> &blocks);
    bool openClusterBarrier(BlockStorage &storage);
    [[nodiscard]] bool leadsCluster(std::uint64_t linear) const;
    [[nodiscard]] std::uint64_t leaderOf(std::uint64_t linear) const;
    bool completeBarriers(BlockStorage &storage);
    void passBarrier(BlockStorage &storage, std::uint32_t id, const std::vector<std::uint32_t> &warps);
    void finishFragment(BlockStorage &storage, WarpState &warp, Fragment &fragment, std::uint32_t id);
    void reportDeadlock(BlockStorage &storage);
    void reportEndless(BlockStorage &storage, WarpState &warp, const char *what, std::uint64_t budget);
    void finishBlock(BlockStorage &storage);
    void addFinding(WarpContext &context, const char *kind, bool fatal, unsigned lane, std::uint64_t address, std::string message);
    void nextTag(BlockState &block);
    void sumIssues();
    void closeCompanies();
    void fillReport(LaunchReport &report);
    void fillLines(LaunchReport &report) const;
    [[nodiscard]] std::uint64_t leastWavefronts(const MicroOp &op) const;
    [[nodiscard]] WarpContext contextOf(BlockStorage &storage, WarpState &warp);

    std::shared_ptr<Program> m_program;
    const LaunchRequest &m_request;
    const ExecutionModel &m_model;
    AddressSpace &m_addresses;
    DeviceCaches &m_caches;
    const IsaTable &m_isa;
    LaunchState m_state;
    const BlockState *m_lastBlock = nullptr; // the one that ran last
    FindingCollector m_findings;
    std::vector<IssueCounters> m_issues;
    std::vector<StallCounters> m_stalls;
    std::vector<InstructionCounters> m_counters;
    std::vector<SectorCache> m_l1;
    std::vector<JoinedStores> m_stores;
    struct Free { void operator()(void *p) const; };
    std::unique_ptr<std::uint16_t, Free> m_fetches; // zero pages until touched
    std::unique_ptr<JoinedLoads::Entry, Free> m_joined; // likewise
    // What an SM's blocks have taken of its issue slots and of L1's data stage in the present turn, with what earlier turns
    // took beyond their share.
    struct SmTurn {
        std::uint64_t last = ~std::uint64_t{0}; // block that had its turn last
        std::uint64_t wavefronts = 0, issues = 0;
        std::uint32_t blocks = 0; // that it holds
        [[nodiscard]] bool spent() const;
    };
    std::vector<SmTurn> m_smTurns;
    std::map<std::uint32_t, std::uint64_t> m_companies; // blocks of each
    std::vector<std::uint64_t> m_atomicPieces;
    std::vector<std::byte> m_parameters;
    std::vector<std::uint32_t> m_threadIds;
    std::vector<std::unique_ptr<BlockStorage>> m_free;
    std::deque<std::unique_ptr<BlockStorage>> m_running, m_waiting;
    std::map<const std::byte *, PhaseTimes> m_phaseTimes;
    std::vector<TagOwner> m_tagOwners; // from raceFloor's owner upwards
    std::uint32_t m_firstTag = 0;
    std::uint64_t m_time = 0, m_fences = 0;
    std::uint64_t m_executed = 0; // warp instructions
    LaunchCounters m_totals;
    std::string m_output;
    bool m_fatal = false;
};

} // namespace kernelskill::simulator
