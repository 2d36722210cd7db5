// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/launcher.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

namespace kernelskill::simulator {
namespace {

// A turn: warp instructions, or cycles of the warp's clock, before another warp gets its own. Cycles, because a device's warps
// keep within a memory access of each other: one that waits for memory lets the others come after it, and what they find in
// L1 follows from that. Few instructions cost nothing yet.
constexpr std::uint64_t quantum = 256, turnCycles = 512;
constexpr std::uint64_t issuesPerCycle = 4; // of an SM
constexpr std::uint32_t mostEpochs = 1u << 20;   // barriers before the tags of shared memory are cleared
constexpr std::uint32_t mostTags = 0x003f'ff00u; // owners before the tags of global memory are cleared (isa/shadow.h)

// Waits at a barrier with all its lanes.
bool isHeld(const WarpState &warp) { return warp.active == 0 && warp.barrierMask == warp.live; }

} // namespace

BlockStorage::~BlockStorage() {
    std::free(registers);
    for (auto *frame : callStacks)
        while (frame != nullptr) {
            LaneFrame *outer = frame->outer;
            delete frame;
            frame = outer;
        }
}

Launcher::Launcher(std::shared_ptr<Program> program, const LaunchRequest &request, const ExecutionModel &model, AddressSpace &addresses, DeviceCaches &caches)
    : m_program(std::move(program)), m_request(request), m_model(model), m_addresses(addresses), m_caches(caches), m_isa(isaTable()) {
    prepare();
}

Launcher::~Launcher() = default;

void Launcher::Free::operator()(void *p) const { std::free(p); }

void Launcher::prepare() {
    LaunchState &s = m_state;
    const Program &p = *m_program;
    s.owner = this;
    s.addresses = &m_addresses;
    s.code = p.code.data();
    s.memory = m_program->memory.data();
    for (auto &m : m_program->memory) {
        m.lastAllocation = nullptr; // allocations may have gone since the last launch
        m.pattern = m.sourcePattern = &m_caches.patterns->patterns[0][0];
        m.words = m.elementBytes == 4;
        for (int e = 0; e < std::min<int>(m.count, 8); ++e) m.words = m.words && !m.wide[e] && !m.sink[e];
    }
    s.patterns = m_caches.patterns.get();
    s.entries = p.entries.data();
    m_counters.assign(p.code.size(), {});
    s.counters = m_counters.data();
    m_issues.assign(p.code.size() + 1, {});
    s.issues = m_issues.data();
    m_stalls.assign(p.code.size(), {});
    s.stalls = m_stalls.data();
    m_parameters.assign(p.parameterBytes + 64, std::byte{0});
    for (std::size_t i = 0; i < p.parameters.size(); ++i)
        std::memcpy(m_parameters.data() + p.parameters[i].offset, m_request.arguments[i].data(), m_request.arguments[i].size());
    s.parameters = m_parameters.data();
    m_atomicPieces.assign(atomicPieceWords, 0);
    s.atomicPieces = m_atomicPieces.data();
    s.parameterBytes = p.parameterBytes;
    s.staticSharedBytes = p.staticSharedBytes;
    s.dynamicSharedBytes = m_request.dynamicSharedBytes;
    s.sharedBytes = p.staticSharedBytes + m_request.dynamicSharedBytes;
    s.localBytes = (p.localBytes + 15) & ~15u;
    s.callParameterBytes = p.callParameterBytes;
    const Dim3 g = m_request.grid, b = m_request.block;
    const std::uint32_t grid[] = {g.x, g.y, g.z}, block[] = {b.x, b.y, b.z};
    std::copy_n(grid, 3, s.grid);
    std::copy_n(block, 3, s.block);
    s.smCount = static_cast<std::uint32_t>(std::max(1, m_model.smCount));
    s.checks = m_request.checks;
    s.raceChecks = m_request.checks && (g.count() > 1 || b.count() > 32);
    s.cluster[0] = p.cluster.x;
    s.cluster[1] = p.cluster.y;
    s.cluster[2] = p.cluster.z;
    if (m_request.cluster.count() > 1) {
        s.cluster[0] = m_request.cluster.x;
        s.cluster[1] = m_request.cluster.y;
        s.cluster[2] = m_request.cluster.z;
    }
    s.clusterBlocks = s.cluster[0] * s.cluster[1] * s.cluster[2];
    s.sharedLatency = static_cast<std::uint32_t>(m_model.sharedLatency);
    s.l1Latency = static_cast<std::uint32_t>(m_model.l1Latency);
    s.l2Latency = static_cast<std::uint32_t>(m_model.l2Latency);
    s.dramLatency = static_cast<std::uint32_t>(m_model.dramLatency);
    for (std::uint32_t kind = 0; kind < latencyKinds; ++kind) {
        // quantiles of an exponential distribution, shifted to keep the mean: few are much slower than most
        const double away = -std::log(1 - (kind + 0.5) / latencyKinds) - 1;
        const double factor = std::max(0.0, 1 + m_model.latencySpread * away);
        s.l2Latencies[kind] = static_cast<std::uint32_t>(m_model.l2Latency * factor);
        s.dramLatencies[kind] = static_cast<std::uint32_t>(m_model.dramLatency * factor);
    }
    const auto threads = static_cast<std::uint32_t>(b.count());
    m_threadIds.assign(static_cast<std::size_t>((threads + 31) / 32) * 96, 0);
    for (std::uint32_t t = 0; t < threads; ++t) {
        std::uint32_t *rows = m_threadIds.data() + static_cast<std::size_t>(t / 32) * 96 + t % 32;
        rows[0] = t % b.x;
        rows[32] = t / b.x % b.y;
        rows[64] = t / b.x / b.y;
    }
    s.threadIds = m_threadIds.data();
    if (m_caches.raceTag > mostTags / 2 || m_caches.raceTag + 4 * g.count() > mostTags) {
        m_addresses.clearRaceTags();
        m_caches.raceTag = 1;
    }
    m_addresses.prepareLaunch(s.raceChecks);
    s.launchNumber = ++m_caches.launches;
    s.raceFloor = m_caches.raceTag << 10 | 1023u;
    s.raceMany = (m_caches.raceTag + 1) << 10 | 1023u;
    m_firstTag = m_caches.raceTag + 2;
    prepareCaches();
}

void Launcher::prepareCaches() {
    const std::size_t setBytes = CacheSet::ways * 128;
    const std::size_t l1Sets = std::max<std::size_t>(1, (m_request.l1Bytes > 0 ? m_request.l1Bytes : m_model.l1Bytes) / setBytes), l2Sets = std::max<std::size_t>(2, m_model.l2Bytes / setBytes);
    if (m_caches.l2.size() != l2Sets) m_caches.l2.assign(l2Sets, {});
    if (m_caches.l1.size() != l1Sets * m_state.smCount) m_caches.l1.assign(l1Sets * m_state.smCount, {});
    // L1 is empty at the start of a kernel: emptied when an SM gets its first block of it.
    m_caches.l1Kernel.resize(m_state.smCount, 0);
    if (!m_request.warmL1 || m_caches.kernels == 0) ++m_caches.kernels;
    m_state.l2.otherPart = m_model.l2Parts > 1 ? 1 : 0;
    const std::size_t partSets = m_model.l2Parts > 1 ? l2Sets / 2 : l2Sets;
    for (std::size_t i = 0; i < 2; ++i) m_state.l2.part[i] = SectorCache::over(m_caches.l2.data() + i * m_state.l2.otherPart * partSets, static_cast<std::uint32_t>(partSets), 1);
    m_stores.assign(m_state.smCount, {});
    m_state.stores = m_stores.data();
    m_fetches.reset(static_cast<std::uint16_t *>(std::calloc(FetchLog::entries, sizeof(std::uint16_t))));
    if (m_fetches == nullptr) throw std::bad_alloc();
    m_state.fetches.entry = m_fetches.get();
    prepareCompanies();
    m_l1.resize(m_state.smCount);
    m_smTurns.assign(m_state.smCount, {});
    for (std::uint32_t sm = 0; sm < m_state.smCount; ++sm) m_l1[sm] = SectorCache::over(m_caches.l1.data() + sm * l1Sets, static_cast<std::uint32_t>(l1Sets), 0, sm + 1);
    m_state.l1 = m_l1.data();
}

void Launcher::prepareCompanies() {
    if (m_request.firstWaveBlocks == 0) return;
    m_joined.reset(static_cast<JoinedLoads::Entry *>(std::calloc(std::size_t{1} << JoinedLoads::entryBits, sizeof(JoinedLoads::Entry))));
    if (m_joined == nullptr) throw std::bad_alloc();
    m_state.joined.entry = m_joined.get();
    m_state.joined.counts = &m_totals.companies;
    m_state.joined.barriers = std::ranges::any_of(m_program->code, [](const MicroOp &op) { return op.control == Control::Barrier; });
}

void Launcher::joinCompany(BlockState &block) {
    const std::uint64_t sms = m_state.smCount, gpcs = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::max(m_model.gpcCount, 1)), 1, sms);
    // An H200 has GPCs of 16 and of 18 SMs; blocks fill the smaller ones first.
    const std::uint64_t ofGpc = std::max<std::uint64_t>(2, sms / gpcs / 2 * 2);
    const std::uint64_t gpc = std::min(block.sm / ofGpc, gpcs - 1), layer = block.linear / sms;
    const bool first = block.linear < m_request.firstWaveBlocks;
    block.company = static_cast<std::uint32_t>(first ? gpc : layer * gpcs + gpc) << 1 | (first ? 0u : 1u);
    block.member = static_cast<std::uint32_t>((layer * ofGpc + (block.sm - gpc * ofGpc) % ofGpc) % 64);
    ++m_companies[block.company];
}

void Launcher::allocateBlock(BlockStorage &storage) {
    const Program &p = *m_program;
    const std::uint32_t warps = static_cast<std::uint32_t>((m_request.block.count() + 31) / 32);
    storage.warps.assign(warps, {});
    storage.registerBytes = (p.registerBytes + 255) & ~std::size_t{255};
    storage.registers = static_cast<std::byte *>(std::aligned_alloc(256, std::max<std::size_t>(256, storage.registerBytes * warps)));
    std::memset(storage.registers, 0, storage.registerBytes * warps);
    storage.predicates.assign(static_cast<std::size_t>(p.predicateCount) * warps, 0);
    storage.ready.assign(static_cast<std::size_t>(p.readyCount) * warps, 0);
    storage.local.assign(static_cast<std::size_t>(m_state.localBytes) * 32 * warps, std::byte{0});
    storage.callParameters.assign(static_cast<std::size_t>(p.callParameterBytes) * 32 * warps + 64, std::byte{0});
    storage.localWritten.assign(m_state.checks ? storage.local.size() : 0, 0);
    storage.frameBases.assign(static_cast<std::size_t>(warps) * 32, 0);
    storage.allocaBytes.assign(static_cast<std::size_t>(warps) * 32, 0);
    storage.callStacks.assign(static_cast<std::size_t>(warps) * 32, nullptr);
    storage.shared.assign(m_state.sharedBytes + 64, std::byte{0});
    storage.sharedWritten.assign(m_state.sharedBytes + 64, 0);
    storage.sharedWriter.assign(m_state.sharedBytes / 4 + 16, 0);
    storage.sharedReader.assign(m_state.sharedBytes / 4 + 16, 0);
    storage.state.sharedEpoch = 1;
    for (std::uint32_t w = 0; w < warps; ++w) {
        WarpState &warp = storage.warps[w];
        warp.registers = storage.registers + storage.registerBytes * w;
        warp.predicates = storage.predicates.data() + static_cast<std::size_t>(p.predicateCount) * w;
        warp.ready = storage.ready.data() + static_cast<std::size_t>(p.readyCount) * w;
        warp.local = storage.local.data() + static_cast<std::size_t>(m_state.localBytes) * 32 * w;
        warp.callParameters = storage.callParameters.data() + static_cast<std::size_t>(p.callParameterBytes) * 32 * w;
        warp.localWritten = storage.localWritten.empty() ? nullptr : storage.localWritten.data() + static_cast<std::size_t>(m_state.localBytes) * 32 * w;
        warp.allocaBytes = storage.allocaBytes.data() + static_cast<std::size_t>(w) * 32;
        warp.frameBase = storage.frameBases.data() + static_cast<std::size_t>(w) * 32;
        warp.callStack = storage.callStacks.data() + static_cast<std::size_t>(w) * 32;
        warp.index = w;
    }
}

void Launcher::nextTag(BlockState &block) {
    if (m_caches.raceTag >= mostTags) {
        m_state.raceChecks = false; // nobody could be told apart any more
        return;
    }
    block.tag = (m_firstTag + static_cast<std::uint32_t>(m_tagOwners.size())) << 10;
    block.tagUsed = false;
    m_tagOwners.push_back({block.linear, 0});
    m_caches.raceTag = m_firstTag + static_cast<std::uint32_t>(m_tagOwners.size());
}

void Launcher::release(BlockState &block) {
    const std::uint32_t index = (block.tag >> 10) - m_firstTag;
    ++m_time; // all the block did so far, in all its times between barriers
    for (std::uint32_t i = block.unreleased; i <= index && i < m_tagOwners.size(); ++i)
        if (m_tagOwners[i].block == block.linear && m_tagOwners[i].released == 0) m_tagOwners[i].released = m_time;
    block.unreleased = index + 1;
    ++m_fences;
    block.acquireTime = ++m_time; // a fence orders what follows as well
    nextTag(block);
}

const Launcher::TagOwner *Launcher::ownerOf(std::uint32_t tag) const {
    const std::uint32_t index = (tag >> 10) - m_firstTag;
    return index < m_tagOwners.size() ? &m_tagOwners[index] : nullptr;
}

void Launcher::startBlock(BlockStorage &storage, std::uint64_t linear) {
    if (storage.registers == nullptr) allocateBlock(storage);
    BlockState &b = storage.state;
    b.linear = linear;
    b.ctaid[0] = static_cast<std::uint32_t>(linear % m_state.grid[0]);
    b.ctaid[1] = static_cast<std::uint32_t>(linear / m_state.grid[0] % m_state.grid[1]);
    b.ctaid[2] = static_cast<std::uint32_t>(linear / m_state.grid[0] / m_state.grid[1]);
    b.shared = storage.shared.data();
    b.sharedWritten = storage.sharedWritten.data();
    b.sharedWriter = storage.sharedWriter.data();
    b.sharedReader = storage.sharedReader.data();
    b.warps = storage.warps.data();
    b.warpCount = static_cast<std::uint32_t>(storage.warps.size());
    b.sm = static_cast<std::uint32_t>(linear % m_state.smCount);
    if (m_joined != nullptr) joinCompany(b);
    ++m_smTurns[b.sm].blocks;
    if (m_caches.l1Kernel[b.sm] != m_caches.kernels) {
        std::memset(static_cast<void *>(m_l1[b.sm].sets), 0, m_l1[b.sm].setCount * sizeof(CacheSet));
        m_caches.l1Kernel[b.sm] = m_caches.kernels;
    }
    b.acquireTime = 0;
    b.instructions = 0;
    if (m_state.raceChecks) nextTag(b);
    b.firstTag = b.tag;
    b.unreleased = (b.tag >> 10) - m_firstTag;
    b.cluster = nullptr;
    b.clusterRank = 0;
    storage.done = false;
    std::fill(storage.localWritten.begin(), storage.localWritten.end(), std::uint8_t{0});
    std::fill(storage.allocaBytes.begin(), storage.allocaBytes.end(), 0u);
    std::fill(storage.sharedWritten.begin(), storage.sharedWritten.end(), std::uint8_t{0});
    if (++b.sharedEpoch >= mostEpochs) {
        std::fill(storage.sharedWriter.begin(), storage.sharedWriter.end(), 0u);
        std::fill(storage.sharedReader.begin(), storage.sharedReader.end(), 0u);
        b.sharedEpoch = 1;
    }
    b.sharedFirstEpoch = b.sharedEpoch;
    std::fill(storage.ready.begin(), storage.ready.end(), std::uint64_t{0});
    for (auto &barrier : storage.barriers) barrier = {};
    storage.nextWarp = 0;
    const auto threads = static_cast<std::uint32_t>(m_request.block.count());
    for (std::uint32_t w = 0; w < b.warpCount; ++w) {
        WarpState &warp = storage.warps[w];
        const std::uint32_t lanes = std::min(32u, threads - w * 32);
        warp.live = warp.active = lanes == 32 ? fullMask : (1u << lanes) - 1;
        warp.pc = m_program->entry;
        warp.fragmentCount = 0;
        warp.barrierMask = 0;
        warp.clock = 0;
        warp.waited = 0;
        warp.pollPc = ~0u;
        warp.pollCount = 0;
        warp.asyncOpen = 0;
        warp.asyncCommitted = 0;
        warp.bulkOpen = 0;
        warp.bulkCommitted = 0;
        warp.unorderedCount = warp.unorderedHigh = 0;
        warp.unorderedLow = ~0u;
        warp.clusterArrived = warp.clusterPassed = 0;
        std::fill_n(warp.frameBase, 32, 0u);
        warp.predicates[truePredicate] = fullMask;
    }
    m_totals.blocks += 1;
    m_totals.warps += b.warpCount;
    m_totals.threads += threads;
}

WarpContext Launcher::contextOf(BlockStorage &storage, WarpState &warp) {
    WarpContext context;
    context.bases[0] = warp.registers;
    context.bases[1] = m_program->constants.data();
    context.predicates = warp.predicates;
    context.warp = &warp;
    context.block = &storage.state;
    context.launch = &m_state;
    context.pc = warp.pc;
    return context;
}

bool Launcher::SmTurn::spent() const { return wavefronts >= turnCycles || issues >= turnCycles * issuesPerCycle; }

// Begins a block's turn; returns when it ends, by the block's clocks. Blocks take their turns in the order of their age, so
// one that is no younger than the last opens a new turn of the SM. (Whoever is the oldest: it may be set aside, waiting.)
std::uint64_t Launcher::openTurn(const BlockStorage &storage) {
    const BlockState &b = storage.state;
    SmTurn &sm = m_smTurns[b.sm];
    if (b.linear <= sm.last) {
        sm.wavefronts -= std::min(sm.wavefronts, turnCycles);
        sm.issues -= std::min(sm.issues, turnCycles * issuesPerCycle);
    }
    sm.last = b.linear;
    std::uint64_t earliest = ~std::uint64_t{0} - turnCycles;
    for (const WarpState &warp : storage.warps)
        if (warp.live != 0 && !isHeld(warp)) earliest = std::min(earliest, warp.clock + warp.waited);
    return earliest + turnCycles;
}

// One turn of each warp of a block.
Launcher::Turn Launcher::runTurn(BlockStorage &storage) {
    BlockState &b = storage.state;
    const std::uint64_t until = openTurn(storage);
    SmTurn &sm = m_smTurns[b.sm];
    // What limits an SM goes to its oldest blocks first, and blocks go as one: four schedulers serve the warps of a block alike.
    const bool yields = sm.spent();
    Turn turn;
    for (WarpState &warp : storage.warps) {
        if (warp.live == 0) continue;
        turn.alive = true;
        if (isHeld(warp)) continue;
        turn.ran = true;
        const bool ahead = warp.clock + warp.waited >= until;
        if (yields && !ahead) warp.waited = until - warp.clock;
        if (yields || ahead) {
            turn.progressed |= yields || warp.pollCount == 0;
            continue;
        }
        WarpContext context = contextOf(storage, warp);
        const std::uint64_t before = b.instructions, wavefrontsBefore = m_state.l1Wavefronts;
        const WarpStop stop = m_isa.run(context, quantum, until - warp.waited);
        m_executed += b.instructions - before;
        sm.issues += b.instructions - before;
        sm.wavefronts += m_state.l1Wavefronts - wavefrontsBefore;
        turn.fatal = stop == WarpStop::Fatal || isEndless(storage, warp);
        if (turn.fatal) return turn;
        // A turn is shorter than it takes to see that a value does not change.
        turn.progressed |= stop != WarpStop::Polling && warp.pollCount == 0;
    }
    return turn;
}

bool Launcher::isEndless(BlockStorage &storage, WarpState &warp) {
    const LaunchLimits &limits = m_request.limits;
    const bool block = storage.state.instructions > limits.blockInstructionBudget;
    if (!block && m_executed <= limits.warpInstructionBudget) return false;
    reportEndless(storage, warp, block ? "block" : "launch", block ? limits.blockInstructionBudget : limits.warpInstructionBudget);
    return true;
}

// Gives each warp a turn until all have ended, or `turns` times.
Launcher::BlockStop Launcher::runBlock(BlockStorage &storage, std::uint32_t turns) {
    BlockState &b = storage.state;
    if (m_lastBlock != &b) b.firstTag = b.tag; // others have had owners in between
    m_lastBlock = &b;
    for (; turns > 0; --turns) {
        const Turn turn = runTurn(storage);
        if (turn.fatal) return BlockStop::Fatal;
        if (!turn.alive) return BlockStop::Done;
        if (completeBarriers(storage)) {
            std::uint64_t longest = 0;
            for (const WarpState &warp : storage.warps) longest = std::max(longest, warp.waited);
            for (WarpState &warp : storage.warps) warp.waited = longest; // those that came early have waited for the last
            continue;
        }
        if (!turn.ran && b.cluster != nullptr) return BlockStop::Waiting; // for other blocks of the cluster; see runCluster
        if (!turn.ran) {
            reportDeadlock(storage);
            return BlockStop::Fatal;
        }
        if (!turn.progressed) return BlockStop::Waiting;
    }
    return BlockStop::Running;
}

void Launcher::finishBlock(BlockStorage &storage) {
    --m_smTurns[storage.state.sm].blocks;
    std::uint64_t last = 0;
    for (const auto &warp : storage.warps) last = std::max(last, warp.clock);
    m_totals.blockCriticalCycles += last;
    m_totals.longestBlockCycles = std::max(m_totals.longestBlockCycles, last);
}

std::unique_ptr<BlockStorage> Launcher::takeStorage() {
    if (m_free.empty()) return std::make_unique<BlockStorage>();
    auto storage = std::move(m_free.back());
    m_free.pop_back();
    return storage;
}

// Runs a block for a while; what becomes of its storage follows from how it stops. True: one more block has ended.
bool Launcher::step(std::unique_ptr<BlockStorage> storage, std::uint32_t turns) {
    switch (storage->peers.empty() ? runBlock(*storage, turns) : runCluster(*storage)) {
    case BlockStop::Done:
        finishBlock(*storage);
        for (auto &peer : storage->peers) {
            finishBlock(*peer);
            m_free.push_back(std::move(peer));
        }
        storage->peers.clear();
        storage->cluster.reset();
        m_free.push_back(std::move(storage));
        return true;
    case BlockStop::Running: m_running.push_back(std::move(storage)); return false;
    case BlockStop::Waiting: m_waiting.push_back(std::move(storage)); return false;
    case BlockStop::Fatal:
        m_fatal = true;
        finishBlock(*storage);
        return true;
    }
    return true;
}

// A block that only polls waits for others: it is set aside, and tried again after each other block's turn.
bool Launcher::retryWaiting() {
    bool ended = false;
    for (std::size_t i = m_waiting.size(); i-- > 0 && !m_fatal;) {
        auto storage = std::move(m_waiting.front());
        m_waiting.pop_front();
        ended = step(std::move(storage), untilItStops) || ended;
    }
    return ended;
}

// Lets the block that has waited longest for its turn run on.
void Launcher::runNext(std::uint32_t turns) {
    auto storage = std::move(m_running.front());
    m_running.pop_front();
    if (step(std::move(storage), turns) && !m_waiting.empty()) (void)retryWaiting();
}

bool Launcher::hasRoomFor(std::uint64_t linear) const {
    if (m_running.size() >= m_request.concurrentBlocks) return false;
    return m_request.blocksPerSm == 0 || m_smTurns[linear % m_state.smCount].blocks < m_request.blocksPerSm;
}

// Starts the blocks of a window, up to `concurrentBlocks` side by side. Blocks that wait for others are no hindrance when
// nobody else runs.
void Launcher::startWindow(const BlockWindow &window, std::uint32_t turns) {
    const std::uint64_t end = std::min(m_request.grid.count(), window.first + window.count);
    const bool clusters = m_state.clusterBlocks > 1;
    for (std::uint64_t next = window.first; next < end && !m_fatal; ++next) {
        if (clusters && next != window.first && !leadsCluster(next)) continue;
        while (!m_running.empty() && !hasRoomFor(next) && !m_fatal) runNext(turns);
        if (m_fatal) return;
        auto storage = takeStorage();
        if (clusters) startCluster(*storage, leaderOf(next));
        else startBlock(*storage, next);
        if (step(std::move(storage), turns) && !m_waiting.empty()) (void)retryWaiting();
    }
}

LaunchReport Launcher::run() {
    std::vector<BlockWindow> windows = m_request.windows;
    if (windows.empty()) windows.push_back({0, m_request.grid.count()});
    const std::uint32_t turns = m_request.concurrentBlocks > 1 ? 1 : untilItStops;
    for (const BlockWindow &window : windows) startWindow(window, turns);
    while (!m_running.empty() && !m_fatal) runNext(turns);
    while (!m_waiting.empty() && !m_fatal) (void)retryWaiting();
    LaunchReport report;
    fillReport(report);
    return report;
}

} // namespace kernelskill::simulator
