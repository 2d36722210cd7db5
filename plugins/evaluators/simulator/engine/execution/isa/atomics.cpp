// SPDX-License-Identifier: Apache-2.0
// atom and red on global and shared memory, one lane after the other in lane order.
#include "engine/execution/atomic_operation.h"
#include "engine/execution/isa/float_functions.h"
#include "engine/execution/isa/memory_requests.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {
namespace {

using ptx::Type;

template <class T> T integerResult(AtomicOperation operation, T old, T value, T other) {
    switch (operation) {
    case AtomicOperation::Add: return static_cast<T>(static_cast<Bits<T>>(old) + static_cast<Bits<T>>(value));
    case AtomicOperation::Min: return value < old ? value : old;
    case AtomicOperation::Max: return old < value ? value : old;
    case AtomicOperation::And: return old & value;
    case AtomicOperation::Or: return old | value;
    case AtomicOperation::Xor: return old ^ value;
    case AtomicOperation::Exchange: return value;
    case AtomicOperation::CompareAndSwap: return old == value ? other : old;
    case AtomicOperation::Increment: return old >= value ? T{0} : static_cast<T>(old + 1);
    case AtomicOperation::Decrement: return old == 0 || old > value ? value : static_cast<T>(old - 1);
    }
    return old;
}
template <class T> T floatResult(AtomicOperation operation, T old, T value) {
    switch (operation) {
    case AtomicOperation::Add: return old + value;
    case AtomicOperation::Min: return minimum(old, value);
    case AtomicOperation::Max: return maximum(old, value);
    default: return value;
    }
}
template <bool Brain> std::uint16_t halfResult(AtomicOperation operation, std::uint16_t old, std::uint16_t value) {
    const auto wide = [](std::uint16_t h) { return Brain ? bfloatToFloat(h) : halfToFloat(h); };
    const float result = floatResult<float>(operation, wide(old), wide(value));
    return Brain ? floatToBfloat(result) : floatToHalf(result);
}

template <class T> std::uint64_t applyInteger(std::byte *at, AtomicOperation operation, std::uint64_t value, std::uint64_t other) {
    T old;
    __builtin_memcpy(&old, at, sizeof old);
    const T now = integerResult<T>(operation, old, static_cast<T>(value), static_cast<T>(other));
    __builtin_memcpy(at, &now, sizeof now);
    return static_cast<Bits<T>>(old);
}
template <class T> std::uint64_t applyFloat(std::byte *at, AtomicOperation operation, std::uint64_t value) {
    T old;
    __builtin_memcpy(&old, at, sizeof old);
    const T now = floatResult<T>(operation, old, __builtin_bit_cast(T, static_cast<Bits<T>>(value)));
    __builtin_memcpy(at, &now, sizeof now);
    return __builtin_bit_cast(Bits<T>, old);
}
template <bool Brain> std::uint64_t applyHalf(std::byte *at, AtomicOperation operation, std::uint64_t value, int parts) {
    std::uint32_t old = 0;
    __builtin_memcpy(&old, at, static_cast<std::size_t>(2 * parts));
    std::uint32_t now = 0;
    for (int k = 0; k < parts; ++k)
        now |= static_cast<std::uint32_t>(halfResult<Brain>(operation, static_cast<std::uint16_t>(old >> (16 * k)), static_cast<std::uint16_t>(value >> (16 * k)))) << (16 * k);
    __builtin_memcpy(at, &now, static_cast<std::size_t>(2 * parts));
    return old;
}

std::uint64_t applyAtomic(std::byte *at, AtomicOperation operation, Type type, std::uint64_t value, std::uint64_t other) {
    switch (type) {
    case Type::F32: return applyFloat<float>(at, operation, value);
    case Type::F64: return applyFloat<double>(at, operation, value);
    case Type::F16: return applyHalf<false>(at, operation, value, 1);
    case Type::F16x2: return applyHalf<false>(at, operation, value, 2);
    case Type::Bf16: return applyHalf<true>(at, operation, value, 1);
    case Type::Bf16x2: return applyHalf<true>(at, operation, value, 2);
    case Type::S32: return applyInteger<std::int32_t>(at, operation, value, other);
    case Type::S64: return applyInteger<std::int64_t>(at, operation, value, other);
    case Type::U64: case Type::B64: return applyInteger<std::uint64_t>(at, operation, value, other);
    case Type::B16: case Type::U16: return applyInteger<std::uint16_t>(at, operation, value, other);
    default: return applyInteger<std::uint32_t>(at, operation, value, other);
    }
}

// exch and cas of 128 bits: two wide rows side by side.
void atomicWideLane(WarpContext &context, const MemoryOperand &m, std::byte *at, unsigned lane) {
    const auto read = [&](std::uint32_t row, int half) { return context.source<std::uint64_t>(row + static_cast<std::uint32_t>(half) * 256)[lane]; };
    std::uint64_t old[2];
    __builtin_memcpy(old, at, sizeof old);
    const bool compares = static_cast<AtomicOperation>(m.atomicOperation) == AtomicOperation::CompareAndSwap;
    if (!compares || (old[0] == read(m.rows[4], 0) && old[1] == read(m.rows[4], 1))) {
        const std::uint32_t from = compares ? m.compare : m.rows[4];
        const std::uint64_t now[2] = {read(from, 0), read(from, 1)};
        __builtin_memcpy(at, now, sizeof now);
    }
    if (!m.hasResult || m.sink[0]) return;
    context.row<std::uint64_t>(m.rows[0])[lane] = old[0];
    context.row<std::uint64_t>(m.rows[0] + 256)[lane] = old[1];
}

void atomicLane(WarpContext &context, const MemoryOperand &m, std::byte *at, unsigned lane) {
    if (m.elementBytes == 16) return atomicWideLane(context, m, at, lane);
    for (int e = 0; e < m.count; ++e) {
        const auto read = [&](std::uint32_t row) { return m.elementBytes == 8 ? context.source<std::uint64_t>(row)[lane] : context.source<std::uint32_t>(row)[lane]; };
        // rows: results first, then values
        const std::uint64_t value = read(m.rows[4 + e]);
        const std::uint64_t other = static_cast<AtomicOperation>(m.atomicOperation) == AtomicOperation::CompareAndSwap ? read(m.compare) : 0;
        const std::uint64_t old = applyAtomic(at + e * m.elementBytes, static_cast<AtomicOperation>(m.atomicOperation), static_cast<Type>(m.atomicType), value, other);
        if (!m.hasResult || m.sink[e]) continue;
        if (m.wide[e]) context.row<std::uint64_t>(m.rows[e])[lane] = old;
        else context.row<std::uint32_t>(m.rows[e])[lane] = static_cast<std::uint32_t>(old);
    }
}

struct MostMeeting {
    std::uint32_t bank = 0;  // lanes of the fullest bank: cycles of an atomic on shared memory
    std::uint32_t words = 0; // Σ over sectors of the lanes of its fullest word: turns of an atomic in L2
};
// How many lanes go one after the other; lanes of one word do, unlike those of a load.
MostMeeting meeting(const AccessPattern &p, std::uint32_t lanes) {
    MostMeeting most;
    std::int32_t word[laneCount];
    std::uint8_t lanesOfWord[laneCount], ofBank[32] = {};
    int words = 0;
    for (int i = 0; i < laneCount; ++i) {
        if (!(lanes & laneBit[i])) continue;
        const std::int32_t mine = (p.delta[i] + static_cast<std::int32_t>(p.phase)) >> 2;
        const int bank = mine & 31;
        if (++ofBank[bank] > most.bank) most.bank = ofBank[bank];
        int at = 0;
        while (at < words && word[at] != mine) ++at;
        if (at == words) { word[words] = mine; lanesOfWord[words++] = 0; }
        ++lanesOfWord[at];
    }
    for (int k = 0; k < words; ++k) {
        bool fullest = true; // of its sector
        for (int j = 0; j < words && fullest; ++j)
            fullest = word[j] >> 3 != word[k] >> 3 || lanesOfWord[j] < lanesOfWord[k] || (lanesOfWord[j] == lanesOfWord[k] && j >= k);
        if (fullest) most.words += lanesOfWord[k];
    }
    return most;
}

// Returns the turns, which is how many packets the lanes go to L2 in.
std::uint32_t noteAtomicTurns(WarpContext &context, const MemoryOperand &m, std::uint64_t first, std::uint32_t lanes) {
    LaunchState &l = *context.launch;
    const Type type = static_cast<Type>(m.atomicType);
    const bool floating = type == Type::F32 || type == Type::F64 || type == Type::F16 || type == Type::F16x2 || type == Type::Bf16 || type == Type::Bf16x2;
    const std::uint32_t turns = meeting(*m.pattern, lanes).words;
    (floating ? l.atomicTurnsFloat : l.atomicTurnsInteger) += turns;
    const std::uint64_t base = first & ~std::uint64_t{127};
    for (int i = 0; i < m.pattern->lines; ++i) {
        const std::uint64_t piece = (base + static_cast<std::uint64_t>(static_cast<std::int64_t>(m.pattern->line[i]) * 128)) >> 10;
        l.atomicPieces[piece / 64 % atomicPieceWords] |= std::uint64_t{1} << (piece & 63);
    }
    return turns;
}

void globalAtomic(WarpContext &context, MemoryOperand &m, const std::uint64_t *address, std::uint32_t lanes) {
    const int bytes = m.elementBytes * m.count;
    if (context.launch->raceChecks) noteAcquire(context);
    std::uint32_t left = lanes;
    std::uint32_t latency = context.launch->l2Latency;
    while (left != 0) {
        const int lead = __builtin_ctz(left);
        Allocation *a = m.lastAllocation;
        if (a == nullptr || address[lead] - a->base >= a->bytes) a = m.lastAllocation = findAllocation(context, address[lead]);
        std::uint32_t group = 0;
        for (int i = 0; i < laneCount; ++i) {
            const bool inside = a != nullptr && address[i] - a->base < a->bytes && a->bytes - (address[i] - a->base) >= static_cast<std::uint64_t>(bytes) && address[i] % static_cast<unsigned>(bytes) == 0;
            group |= inside ? left & laneBit[i] : 0;
        }
        if (!(group & laneBit[lead])) return reportGlobalFault(context, m, address, left, bytes, AccessKind::Atomic);
        if (a->readOnly) return reportReadOnlyStore(context, address[lead], static_cast<unsigned>(lead));
        std::uint64_t moved[laneCount];
        for (int i = 0; i < laneCount; ++i) moved[i] = group & laneBit[i] ? address[i] : address[lead];
        if (!updatePattern(context, m.pattern, moved, group, bytes, false)) {
            group = laneBit[lead];
            for (auto &at : moved) at = address[lead];
            (void)updatePattern(context, m.pattern, moved, group, bytes, false);
        }
        for (unsigned lane = 0; lane < laneCount; ++lane) {
            if (!(group & laneBit[lane])) continue;
            const std::uint64_t offset = address[lane] - a->base;
            if (context.launch->checks && !a->fullyWritten && !allWritten(a->written, offset, static_cast<std::uint32_t>(bytes))) {
                if (static_cast<AtomicOperation>(m.atomicOperation) != AtomicOperation::Exchange)
                    reportUninitialised(context, AddressSpaceKind::Global, address[lane], lane, bytes);
                __builtin_memset(a->written + offset, 1, static_cast<std::size_t>(bytes));
            }
            atomicLane(context, m, a->data + offset, lane);
        }
        a->loaded = a->stored = true;
        context.counters->add(m.pattern->counts);
        // atomics are done in L2
        LaunchState &l = *context.launch;
        l.l2WriteSectors += noteAtomicTurns(context, m, moved[0], group);
        std::uint32_t writtenBack = 0;
        const std::uint32_t base = static_cast<std::uint32_t>((moved[0] - globalBase) >> 7);
        for (int i = 0; i < m.pattern->lines; ++i) {
            const std::uint32_t line = base + static_cast<std::uint32_t>(m.pattern->line[i]);
            const unsigned mask = m.pattern->lineSectors[i], hit = l.l2.read(line, mask, l.l2.home(line), writtenBack);
            l.l2.write(line, mask, writtenBack);
            const std::uint32_t sectors = SectorCache::sectorsIn(mask), missed = SectorCache::sectorsIn(mask & ~hit);
            context.counters->l2Hits += sectors - missed;
            l.dramReadBytes += missed * 32u;
            if (missed) latency = l.dramLatency;
        }
        l.dramWriteBytes += writtenBack * 32u;
        left &= ~group;
    }
    setLatency(context, latency, longReason);
}

void sharedAtomic(WarpContext &context, MemoryOperand &m, const std::uint64_t *address, std::uint32_t lanes) {
    const int bytes = m.elementBytes * m.count;
    const auto part = [&](const std::uint64_t *moved, std::uint32_t group, bool) { sharedAtomic(context, m, moved, group); };
    if (clusterRequest(context, address, lanes, bytes, AccessKind::Atomic, part)) return;
    if (!insideOwnWindow(context, AddressSpaceKind::Shared, address, lanes, bytes, context.launch->sharedBytes, AccessKind::Atomic)) return;
    (void)updatePattern(context, m.pattern, address, lanes, bytes, true);
    const Shadow shadow = sharedShadow(context);
    for (unsigned lane = 0; lane < laneCount; ++lane) {
        if (!(lanes & laneBit[lane])) continue;
        if (context.launch->checks) {
            bool known = true;
            for (int i = 0; i < bytes; ++i) known = known && byteWritten(shadow, address[lane] + static_cast<std::uint64_t>(i));
            if (!known) {
                if (static_cast<AtomicOperation>(m.atomicOperation) != AtomicOperation::Exchange)
                    reportUninitialised(context, AddressSpaceKind::Shared, address[lane], lane, bytes);
                __builtin_memset(shadow.written + address[lane], 1, static_cast<std::size_t>(bytes));
            }
        }
        atomicLane(context, m, context.block->shared + address[lane], lane);
    }
    context.counters->add(m.pattern->counts);
    const std::uint32_t turns = meeting(*m.pattern, lanes).bank;
    context.counters->wavefronts += turns - m.pattern->wavefronts;
    setLatency(context, context.launch->sharedLatency + 20 + turns, shortReason); // H200: 43 cycles for one lane a bank
}

template <AddressSpaceKind Space> void atomicAccess(WarpContext &context, const MicroOp &op) {
    MemoryOperand &m = context.launch->memory[op.extra];
    alignas(64) std::uint64_t address[laneCount];
    gatherAddresses(context, m.address64, m.address, m.offset, context.exec, address);
    if constexpr (Space == AddressSpaceKind::Shared) {
        for (auto &a : address) a -= a - sharedWindow < sharedWindowBytes ? sharedWindow : 0;
        sharedAtomic(context, m, address, context.exec);
    } else if constexpr (Space == AddressSpaceKind::Global) {
        globalAtomic(context, m, address, context.exec);
    } else {
        std::uint32_t inShared = 0;
        for (int i = 0; i < laneCount; ++i) inShared |= address[i] - sharedWindow < sharedWindowBytes ? laneBit[i] : 0;
        const std::uint32_t sharedLanes = inShared & context.exec, globalLanes = context.exec & ~inShared;
        if (globalLanes != 0) {
            std::uint64_t moved[laneCount];
            for (int i = 0; i < laneCount; ++i) moved[i] = globalLanes & laneBit[i] ? address[i] : address[__builtin_ctz(globalLanes)];
            globalAtomic(context, m, moved, globalLanes);
        }
        if (sharedLanes != 0 && !context.stop) {
            std::uint64_t moved[laneCount];
            for (int i = 0; i < laneCount; ++i) moved[i] = (sharedLanes & laneBit[i] ? address[i] : address[__builtin_ctz(sharedLanes)]) - sharedWindow;
            sharedAtomic(context, m, moved, sharedLanes);
        }
    }
    if (m.hasResult && !m.sink[0] && !context.stop && m.elementBytes <= 8) notePollingLoad(context, m, context.exec);
}

} // namespace

Handler selectAtomic(AddressSpaceKind space) {
    switch (space) {
    case AddressSpaceKind::Shared: return atomicAccess<AddressSpaceKind::Shared>;
    case AddressSpaceKind::Global: return atomicAccess<AddressSpaceKind::Global>;
    case AddressSpaceKind::Generic: return atomicAccess<AddressSpaceKind::Generic>;
    default: return nullptr;
    }
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
