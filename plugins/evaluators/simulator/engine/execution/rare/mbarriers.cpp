// SPDX-License-Identifier: Apache-2.0
// mbarrier objects live in the eight bytes of shared memory the program gives them. A phase completes when nobody is pending
// and no bytes are expected; then the parity changes and the expected number of arrivals is pending again.
#include "engine/execution/rare/mbarriers.h"

#include "engine/execution/rare/shared_places.h"

#include <algorithm>
#include <cstring>
#include <format>

namespace kernelskill::simulator {
namespace {

inline constexpr std::int64_t mostCount = (1 << 20) - 1;

struct BarrierObject {
    bool valid = false;
    std::uint32_t phase = 0;      // parity
    std::int64_t expected = 0, pending = 0, bytes = 0; // bytes still to come; −2^20 … 2^20

    static BarrierObject from(std::uint64_t word) {
        return {(word >> 63) != 0, static_cast<std::uint32_t>(word & 1), static_cast<std::int64_t>(word >> 1 & 0xf'ffff), static_cast<std::int64_t>(word >> 21 & 0xf'ffff),
                static_cast<std::int64_t>(word >> 41 & 0x3f'ffff) - (1 << 21)};
    }
    [[nodiscard]] std::uint64_t word() const {
        return (valid ? std::uint64_t{1} << 63 : 0) | phase | (static_cast<std::uint64_t>(expected) & 0xf'ffff) << 1 | (static_cast<std::uint64_t>(pending) & 0xf'ffff) << 21
             | (static_cast<std::uint64_t>(bytes + (1 << 21)) & 0x3f'ffff) << 41;
    }
};

BarrierObject read(const SharedPlace &place) {
    std::uint64_t word;
    std::memcpy(&word, place.bytes(), sizeof word);
    return BarrierObject::from(word);
}
void write(const SharedPlace &place, const BarrierObject &object) {
    const std::uint64_t word = object.word();
    std::memcpy(place.bytes(), &word, sizeof word);
}

void misuse(WarpContext &context, unsigned lane, std::uint32_t offset, const char *what) {
    Launcher::of(context).find(context, "barrier_misuse", true, lane, offset, [&] { return std::format("the mbarrier at offset {} of shared memory {}", offset, what); });
}

// Completes the phase when it can be.
void settle(WarpContext &context, const SharedPlace &place, BarrierObject &object) {
    if (object.pending != 0 || object.bytes != 0) return;
    object.phase ^= 1;
    object.pending = object.expected;
    Launcher &launcher = Launcher::of(context);
    auto &times = launcher.phaseTimes()[place.bytes()];
    times.complete = times.open;
    launcher.orderBlock(*place.block);
    if (place.block != context.block) launcher.orderBlock(*context.block);
}

void noteTime(WarpContext &context, const SharedPlace &place, std::uint64_t time) {
    auto &times = Launcher::of(context).phaseTimes()[place.bytes()];
    times.open = std::max(times.open, time);
}

void initialise(WarpContext &context, const SharedPlace &place, std::int64_t count, unsigned lane) {
    if (count < 1 || count > mostCount) return misuse(context, lane, place.offset, "is given a count that is not between 1 and 1048575");
    write(place, {true, 0, count, count, 0});
    std::memset(place.block->sharedWritten + place.offset, 1, 8);
    Launcher::of(context).phaseTimes()[place.bytes()] = {};
}

bool arrive(WarpContext &context, const SharedPlace &place, BarrierObject &object, std::int64_t count, bool drops, unsigned lane) {
    if (count < 0 || count > object.pending) {
        misuse(context, lane, place.offset, "gets more arrivals than its phase expects");
        return false;
    }
    if (drops) object.expected = std::max<std::int64_t>(0, object.expected - count);
    object.pending -= count;
    noteTime(context, place, context.warp->clock);
    settle(context, place, object);
    return true;
}

struct Operands { std::uint64_t value = 0; bool given = false; };

// Does a lane's action. The result is the token, or 1 for a wait that is over.
std::uint64_t act(WarpContext &context, std::int64_t mode, const SharedPlace &place, const Operands &operand, unsigned lane) {
    const auto action = static_cast<BarrierAction>(mode & 15);
    const auto value = static_cast<std::int64_t>(operand.value);
    if (action == BarrierAction::Initialise) {
        initialise(context, place, static_cast<std::int64_t>(operand.value & 0xffff'ffffu), lane);
        return 0;
    }
    BarrierObject object = read(place);
    if (!object.valid) {
        misuse(context, lane, place.offset, "was not initialised");
        return 0;
    }
    const std::uint64_t token = object.word();
    switch (action) {
    case BarrierAction::Invalidate: object.valid = false; break;
    case BarrierAction::Expect: object.bytes += value & 0xffff'ffff; break;
    case BarrierAction::Complete: object.bytes -= value & 0xffff'ffff; noteTime(context, place, context.warp->clock); settle(context, place, object); break;
    case BarrierAction::Arrive: case BarrierAction::Drop:
        if (mode & 64) object.bytes += value & 0xffff'ffff;
        if (!arrive(context, place, object, (mode & 64) || !operand.given ? 1 : value & 0xffff'ffff, action == BarrierAction::Drop, lane)) return 0;
        break;
    case BarrierAction::CopyArrive: // the copies are done already, their time is not
        noteTime(context, place, std::max(context.warp->clock, context.warp->asyncOpen));
        if (!(mode & 256) && !arrive(context, place, object, 1, false, lane)) return 0;
        break;
    case BarrierAction::Wait: {
        const std::uint32_t waited = mode & 128 ? static_cast<std::uint32_t>(value & 1) : static_cast<std::uint32_t>(operand.value & 1);
        if (object.phase == waited) return 0;
        const auto &times = Launcher::of(context).phaseTimes()[place.bytes()];
        if (times.complete > context.warp->clock) {
            context.launch->stalls[context.pc].cycles[static_cast<std::size_t>(StallReason::LongScoreboard)] += times.complete - context.warp->clock;
            context.warp->clock = times.complete;
        }
        return 1;
    }
    case BarrierAction::Initialise: break;
    }
    if (std::abs(object.bytes) > (1 << 20)) misuse(context, lane, place.offset, "expects more than 2^20 bytes");
    write(place, object);
    return token;
}

} // namespace

SharedPlace sharedPlace(WarpContext &context, std::uint64_t address, unsigned lane, std::uint64_t bytes, unsigned alignment, AccessKind kind) {
    if (address - sharedWindow < sharedWindowBytes) address -= sharedWindow;
    const std::uint64_t offset = address % blockWindowBytes, limit = context.launch->sharedBytes;
    const bool inWindow = address < sharedWindowBytes;
    BlockState *block = address < blockWindowBytes ? context.block : inWindow ? Launcher::of(context).peerOf(context, address) : nullptr;
    const bool aligned = offset % alignment == 0;
    if (block == nullptr || offset > limit || limit - offset < bytes || !aligned) {
        reportWindowFault(context, AddressSpaceKind::Shared, block != nullptr ? offset : address, limit, lane, static_cast<int>(std::min<std::uint64_t>(bytes, 1 << 30)), kind, block != nullptr && offset <= limit && limit - offset >= bytes);
        return {};
    }
    return {block, static_cast<std::uint32_t>(offset)};
}

SharedPlace inRank(WarpContext &context, const SharedPlace &place, std::uint32_t rank, unsigned lane) {
    if (BlockState *block = Launcher::of(context).peerOf(context, (std::uint64_t{rank} + 1) * blockWindowBytes)) return {block, place.offset};
    Launcher::of(context).find(context, "out_of_bounds", true, lane, place.offset, [&] { return std::format("the cluster has no running block of rank {}", rank); });
    return {};
}

std::uint64_t laneAddress(const WarpContext &context, std::uint32_t row, bool wide, std::int64_t offset, unsigned lane) {
    const std::uint64_t sum = laneValue(context, row, wide, lane) + static_cast<std::uint64_t>(offset);
    return wide ? sum : sum & 0xffff'ffffu;
}

void completeTransaction(WarpContext &context, const SharedPlace &barrier, std::int64_t bytes, std::uint64_t arrival, unsigned lane) {
    BarrierObject object = read(barrier);
    if (!object.valid) return misuse(context, lane, barrier.offset, "was not initialised");
    object.bytes -= bytes;
    if (object.bytes < -(1 << 20)) return misuse(context, lane, barrier.offset, "gets more bytes than a phase can count");
    noteTime(context, barrier, arrival);
    settle(context, barrier, object);
    write(barrier, object);
}

void barrierObjectHandler(WarpContext &context, const MicroOp &op) {
    const MemoryOperand &m = context.launch->memory[op.extra];
    const bool waits = static_cast<BarrierAction>(op.immediate & 15) == BarrierAction::Wait;
    std::uint32_t over = 0;
    for (unsigned lane = 0; lane < 32 && !context.stop; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        const SharedPlace place = sharedPlace(context, laneAddress(context, m.address, m.address64, m.offset, lane), lane, 8, 8, AccessKind::Atomic);
        if (place.block == nullptr) return;
        const bool given = op.immediate & 32;
        const Operands operand{given ? laneValue(context, m.rows[0], m.wide[0], lane) : 0, given};
        const std::uint64_t result = act(context, op.immediate, place, operand, lane);
        if (waits) over |= result != 0 ? 1u << lane : 0;
        else if (op.immediate & 16) context.row<std::uint64_t>(op.d)[lane] = result;
    }
    if (!waits) return;
    std::uint32_t &p = context.predicates[op.d];
    p = (p & ~context.exec) | (over & context.exec);
    if (over != context.exec) context.yield = true; // somebody else has to come
    if (over == 0) return;
    context.warp->unorderedCount = context.warp->unorderedHigh = 0;
    context.warp->unorderedLow = ~0u;
}

namespace {
std::uint64_t pendingCount(const LaneSources &s, std::uint64_t) { return static_cast<std::uint64_t>(BarrierObject::from(s.a).pending); }
} // namespace
void pendingCountLanes(WarpContext &context, const MicroOp &op) { laneOperation<pendingCount>(context, op); }

} // namespace kernelskill::simulator
