// SPDX-License-Identifier: Apache-2.0
// What the handlers leave to code compiled once: findings, fences, calls, special registers.
#include "engine/execution/launcher.h"
#include "engine/execution/operation.h"
#include "engine/execution/special_register.h"

#include <algorithm>
#include <format>

namespace kernelskill::simulator {
namespace {

const char *verb(AccessKind kind) { return kind == AccessKind::Read ? "read" : kind == AccessKind::Write ? "write" : "atomic access"; }

std::string named(const std::string &name) { return name.empty() ? "an unnamed allocation" : name; }

std::string blockText(const LaunchState &state, std::uint64_t linear) {
    return std::format("({}, {}, {})", linear % state.grid[0], linear / state.grid[0] % state.grid[1], linear / state.grid[0] / state.grid[1]);
}

// A compiler may read a thread's variable first and choose afterwards whether the value is wanted ("int v; if (get(v))
// use(v);"): selp follows in the same block, and nothing else takes the value.
bool isOnlyChosenFrom(const Program &program, std::uint32_t pc) {
    constexpr std::uint32_t mostBetween = 64;
    const MicroOp &load = program.code[pc];
    if (load.readyD < firstReady || load.moreResultCount != 0) return false;
    const Handlers narrow = isaTable().data("selp", ptx::Type::B32), wide = isaTable().data("selp", ptx::Type::B64);
    bool chosen = false;
    for (std::uint32_t i = pc + 1; i < std::min<std::size_t>(program.code.size(), pc + 1 + mostBetween); ++i) {
        const MicroOp &op = program.code[i];
        bool reads = op.readyA == load.readyD || op.readyB == load.readyD || op.readyC == load.readyD;
        for (std::uint32_t s = 0; s < op.moreSourceCount; ++s) reads |= program.entries[op.moreSources + s] == load.readyD;
        if (reads && op.full != narrow.full && op.full != wide.full) return false;
        chosen |= reads;
        if (op.readyD == load.readyD) break;
    }
    return chosen;
}

} // namespace

Allocation *findAllocation(WarpContext &context, std::uint64_t address) { return Launcher::of(context).addresses().find(address); }

void reportGlobalFault(WarpContext &context, const MemoryOperand &, const std::uint64_t *addresses, std::uint32_t lanes, int bytes, AccessKind kind) {
    Launcher &launcher = Launcher::of(context);
    for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(lanes >> lane & 1)) continue;
        const std::uint64_t address = addresses[lane];
        const Allocation *a = launcher.addresses().find(address);
        if (a != nullptr && a->bytes - (address - a->base) >= static_cast<std::uint64_t>(bytes)) {
            if (address % static_cast<unsigned>(bytes) == 0) continue;
            launcher.find(context, "misaligned", true, lane, address, [&] {
                return std::format("{}-byte {} of address {:#x} in {} is not aligned: the address is {} more than a multiple of {}", bytes, verb(kind), address,
                                   named(launcher.addresses().name(*a)), address % static_cast<unsigned>(bytes), bytes);
            });
            return;
        }
        launcher.find(context, "out_of_bounds", true, lane, address, [&] {
            if (a != nullptr) {
                return std::format("{}-byte {} of address {:#x} crosses the end of {} ({} bytes), index {}", bytes, verb(kind), address,
                                   named(launcher.addresses().name(*a)), a->bytes, (address - a->base) / static_cast<unsigned>(bytes));
            }
            std::string text = std::format("{}-byte {} of address {:#x} is {}", bytes, verb(kind), address, launcher.addresses().describe(address));
            if (const std::string index = launcher.addresses().indexFrom(address, bytes); !index.empty() && text.find("freed") == text.npos) text += ", index " + index;
            return text;
        });
        return;
    }
    // every lane has memory, but no request could be formed: cannot happen, and must not pass silently
    launcher.find(context, "out_of_bounds", true, 0, addresses[0], [] { return std::string("an access that could not be placed"); });
}

void reportWindowFault(WarpContext &context, AddressSpaceKind space, std::uint64_t offset, std::uint64_t limit, unsigned lane, int bytes, AccessKind kind, bool misaligned) {
    const char *where = space == AddressSpaceKind::Shared ? "shared memory" : space == AddressSpaceKind::Local ? "local memory" : "the kernel's parameters";
    Launcher::of(context).find(context, misaligned ? "misaligned" : "out_of_bounds", true, lane, offset, [&] {
        if (misaligned)
            return std::format("{}-byte {} of {} at offset {} is not aligned to {} bytes", bytes, verb(kind), where, offset, bytes);
        if (offset > (std::uint64_t{1} << 31))
            return std::format("{}-byte {} of {} at offset {}, before its start", bytes, verb(kind), where, static_cast<std::int64_t>(static_cast<std::int32_t>(offset)));
        return std::format("{}-byte {} of {} at offset {} is {} bytes past its end ({} bytes)", bytes, verb(kind), where, offset,
                           offset >= limit ? offset - limit : 0, limit);
    });
}

void reportUninitialised(WarpContext &context, AddressSpaceKind space, std::uint64_t address, unsigned lane, int bytes) {
    Launcher &launcher = Launcher::of(context);
    if (space == AddressSpaceKind::Local && isOnlyChosenFrom(launcher.program(), context.pc)) return;
    launcher.find(context, "uninitialised_read", false, lane, address, [&] {
        if (space == AddressSpaceKind::Shared)
            return std::format("{}-byte read of shared memory at offset {} of {} bytes, which no thread of the block has written", bytes, address, context.launch->sharedBytes);
        if (space == AddressSpaceKind::Local)
            return std::format("{}-byte read of local memory (a variable or array of the thread) at offset {} of {} bytes, which the thread has not written", bytes, address, context.launch->localBytes);
        const Allocation *a = launcher.addresses().find(address);
        return std::format("{}-byte read of address {:#x} in {}, which nothing has written, index {}", bytes, address,
                           a ? named(launcher.addresses().name(*a)) : std::string("memory"), a ? (address - a->base) / static_cast<unsigned>(bytes) : 0);
    });
}

void reportSharedRace(WarpContext &context, std::uint32_t offset, unsigned lane, std::uint32_t otherTag, AccessKind mine, bool otherWrote) {
    Launcher::of(context).find(context, "race", false, lane, offset, [&] {
        const std::uint32_t other = (otherTag >> 4) & 63u;
        const std::string who = other == 63 ? std::string("several warps") : std::format("warp {} (threads {}-{})", other - 1, (other - 1) * 32, (other - 1) * 32 + 31);
        return std::format("{} of shared memory at offset {} by warp {}, which {} has {} since the last barrier; a __syncthreads() is missing between them",
                           verb(mine), offset, context.warp->index, who, otherWrote ? "written" : "read");
    });
}

namespace {
// Two warps of one block. Accesses before the block's last barrier have another owner, and are ordered.
void reportRaceInBlock(WarpContext &context, const Allocation &allocation, std::uint64_t word, unsigned lane, std::uint32_t otherTag, AccessKind mine, bool otherWrote) {
    if (otherTag >> 10 != context.block->tag >> 10) return;
    Launcher &launcher = Launcher::of(context);
    launcher.find(context, "race", false, lane, allocation.base + word * 4, [&] {
        const std::uint32_t other = (otherTag >> 4) & 63u;
        const std::string who = other == 63 ? std::string("several warps") : std::format("warp {} (threads {}-{})", other - 1, (other - 1) * 32, (other - 1) * 32 + 31);
        return std::format("{} of address {:#x} in {} ({} bytes, byte {}) by warp {}, which {} of the same block {} since the last barrier; a __syncthreads() is missing between them", verb(mine),
                           allocation.base + word * 4, named(launcher.addresses().name(allocation)), allocation.bytes, word * 4, context.warp->index, who, otherWrote ? "has written" : "has read");
    });
}
} // namespace

void considerGlobalRace(WarpContext &context, Allocation &allocation, std::uint64_t word, unsigned lane, std::uint32_t otherTag, AccessKind mine, bool otherWrote) {
    Launcher &launcher = Launcher::of(context);
    const BlockState &block = *context.block;
    const Launcher::TagOwner *owner = nullptr;
    const bool several = otherTag >> 10 == context.launch->raceMany >> 10;
    if (several) {
        if (block.acquireTime != 0) return; // which readers they were is not known: they may have been waited for
    } else {
        owner = launcher.ownerOf(otherTag);
        if (owner == nullptr) return;
        if (owner->block == block.linear) return reportRaceInBlock(context, allocation, word, lane, otherTag, mine, otherWrote);
        if (owner->released != 0 && block.acquireTime > owner->released) return; // ordered by a fence and a later look
    }
    const std::uint64_t address = allocation.base + word * 4;
    launcher.find(context, "race", false, lane, address, [&] {
        const std::string who = several ? std::string("several other blocks") : "block " + blockText(*context.launch, owner->block);
        return std::format("{} of address {:#x} in {} ({} bytes, byte {}), which {} {} in the same launch without an order between them", verb(mine), address,
                           named(launcher.addresses().name(allocation)), allocation.bytes, word * 4, who, otherWrote ? "writes" : "reads");
    });
}

void reportUnorderedRead(WarpContext &context, const MemoryOperand &m, const UnorderedStore &store, std::uint32_t offset, unsigned lane, unsigned other, int bytes) {
    Launcher &launcher = Launcher::of(context);
    const bool legacy = m.isVolatile || store.isVolatile;
    launcher.find(context, legacy ? "warp_synchronous" : "missing_syncwarp", false, lane, offset, [&] {
        const Dim3 writer = launcher.threadOf(context, other);
        std::string text = std::format("{}-byte read of shared memory at offset {} of {} bytes: thread ({}, {}, {}) of the same warp stored it at line {} and nothing has made the lanes wait for each other since",
                                       bytes, offset, context.launch->sharedBytes, writer.x, writer.y, writer.z, launcher.placeOf(store.pc).line);
        return text + (legacy ? "; volatile relies on lanes running in step, which they need not since Volta: use __syncwarp()" : "; a __syncwarp() is missing between them");
    });
}

void reportLaneConflict(WarpContext &context, AddressSpaceKind space, std::uint64_t address, unsigned lane, unsigned other) {
    Launcher &launcher = Launcher::of(context);
    launcher.find(context, "race", false, lane, address, [&] {
        const Dim3 a = launcher.threadOf(context, lane), b = launcher.threadOf(context, other);
        return std::format("threads ({}, {}, {}) and ({}, {}, {}) of one warp store different values to one place in {} memory with one instruction", a.x, a.y, a.z,
                           b.x, b.y, b.z, space == AddressSpaceKind::Shared ? "shared" : "global");
    });
}

void reportReadOnlyStore(WarpContext &context, std::uint64_t address, unsigned lane) {
    Launcher::of(context).find(context, "out_of_bounds", true, lane, address, [&] {
        return std::format("write to address {:#x}, which is constant memory or a kernel parameter", address);
    });
}

void noteFence(WarpContext &context, bool device) {
    // whatever a fence is part of, it orders shared memory in some way the tags do not follow
    if (device && context.launch->raceChecks) Launcher::of(context).release(*context.block);
    Launcher::of(context).orderBlock(*context.block);
    context.warp->unorderedCount = context.warp->unorderedHigh = 0;
    context.warp->unorderedLow = ~0u;
}
BlockState *clusterPeer(WarpContext &context, std::uint64_t address) { return Launcher::of(context).peerOf(context, address); }
void noteAcquire(WarpContext &context) { Launcher::of(context).acquire(*context.block); }

void fenceHandler(WarpContext &context, const MicroOp &op) { noteFence(context, op.immediate != 0); }
void clusterArriveHandler(WarpContext &context, const MicroOp &) { Launcher::of(context).arriveAtCluster(context); }
void nanosleepHandler(WarpContext &context, const MicroOp &) {
    context.warp->clock += 40;
    context.yield = true;
}

void raiseTrap(WarpContext &context, const MicroOp &) {
    Launcher::of(context).find(context, "trap", true, static_cast<unsigned>(__builtin_ctz(context.exec)), 0, [] { return std::string("the kernel executed a trap instruction"); });
}

void raiseUnsupported(WarpContext &context, const MicroOp &op) {
    Launcher &launcher = Launcher::of(context);
    launcher.find(context, "unsupported_instruction", true, static_cast<unsigned>(__builtin_ctz(context.exec)), 0, [&] { return launcher.program().texts[op.extra]; });
}

bool specialRow(const WarpContext &context, int special, std::uint64_t *values) {
    const LaunchState &l = *context.launch;
    const BlockState &b = *context.block;
    const WarpState &w = *context.warp;
    const std::uint32_t *ids = l.threadIds + static_cast<std::size_t>(w.index) * 96;
    const auto rows = [&](const std::uint32_t *from) {
        for (int i = 0; i < 32; ++i) values[i] = from[i];
        return false;
    };
    const auto all = [&](std::uint64_t value) {
        for (int i = 0; i < 32; ++i) values[i] = value;
        return true;
    };
    const auto each = [&](auto &&f) {
        for (unsigned i = 0; i < 32; ++i) values[i] = static_cast<std::uint32_t>(f(i));
        return false;
    };
    const auto time = [&] { return 1'000'000'000 + b.linear * 1000 + w.clock * 2 / 3; };
    using S = SpecialRegister;
    switch (static_cast<S>(special)) {
    case S::TidX: return rows(ids);
    case S::TidY: return rows(ids + 32);
    case S::TidZ: return rows(ids + 64);
    case S::NtidX: return all(l.block[0]);
    case S::NtidY: return all(l.block[1]);
    case S::NtidZ: return all(l.block[2]);
    case S::CtaidX: return all(b.ctaid[0]);
    case S::CtaidY: return all(b.ctaid[1]);
    case S::CtaidZ: return all(b.ctaid[2]);
    case S::NctaidX: return all(l.grid[0]);
    case S::NctaidY: return all(l.grid[1]);
    case S::NctaidZ: return all(l.grid[2]);
    case S::LaneId: return each([](unsigned i) { return i; });
    case S::WarpId: return all(w.index);
    case S::NwarpId: return all(b.warpCount);
    case S::SmId: return all(b.sm);
    case S::NsmId: return all(l.smCount);
    case S::GridId: return all(1);
    case S::LaneMaskEq: return each([](unsigned i) { return 1u << i; });
    case S::LaneMaskLt: return each([](unsigned i) { return (1u << i) - 1; });
    case S::LaneMaskLe: return each([](unsigned i) { return i == 31 ? ~0u : (2u << i) - 1; });
    case S::LaneMaskGt: return each([](unsigned i) { return i == 31 ? 0u : ~((2u << i) - 1); });
    case S::LaneMaskGe: return each([](unsigned i) { return ~((1u << i) - 1); });
    case S::Clock: case S::Clock64: return all(w.clock);
    case S::ClockHigh: return all(w.clock >> 32);
    case S::GlobalTimer: return all(time());
    case S::GlobalTimerLow: return all(time() & 0xffff'ffffu);
    case S::GlobalTimerHigh: return all(time() >> 32);
    case S::DynamicSharedSize: return all(l.dynamicSharedBytes);
    case S::TotalSharedSize: return all(l.sharedBytes);
    case S::Zero: return all(0);
    case S::One: return all(1);
    case S::ClusterIdX: return all(b.ctaid[0] / l.cluster[0]);
    case S::ClusterIdY: return all(b.ctaid[1] / l.cluster[1]);
    case S::ClusterIdZ: return all(b.ctaid[2] / l.cluster[2]);
    case S::NclusterIdX: return all(l.grid[0] / l.cluster[0]);
    case S::NclusterIdY: return all(l.grid[1] / l.cluster[1]);
    case S::NclusterIdZ: return all(l.grid[2] / l.cluster[2]);
    case S::ClusterCtaidX: return all(b.ctaid[0] % l.cluster[0]);
    case S::ClusterCtaidY: return all(b.ctaid[1] % l.cluster[1]);
    case S::ClusterCtaidZ: return all(b.ctaid[2] % l.cluster[2]);
    case S::ClusterNctaidX: return all(l.cluster[0]);
    case S::ClusterNctaidY: return all(l.cluster[1]);
    case S::ClusterNctaidZ: return all(l.cluster[2]);
    case S::ClusterRank: return all(b.clusterRank);
    case S::ClusterBlocks: return all(l.clusterBlocks);
    case S::ExplicitCluster: return all(l.clusterBlocks > 1 ? 1 : 0);
    }
    return all(0);
}

} // namespace kernelskill::simulator
