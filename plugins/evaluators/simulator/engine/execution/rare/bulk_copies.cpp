// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/rare/bulk_copies.h"

#include "engine/execution/rare/reductions.h"
#include "engine/execution/rare/shared_places.h"
#include "engine/memory/tensor_map.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <format>
#include <optional>

namespace kernelskill::simulator {

using ptx::Type;

std::vector<std::uint32_t> BulkSite::entries() const {
    const std::uint32_t flags = (wideDestination ? 1u : 0u) | (wideSource ? 2u : 0u) | (wideSize ? 4u : 0u) | (wideBarrier ? 8u : 0u) | (wideMask ? 16u : 0u) | (multicast ? 32u : 0u);
    std::vector<std::uint32_t> e{static_cast<std::uint32_t>(kind), reduction, static_cast<std::uint32_t>(type), flags, destination, source, size, barrier, mask,
                                 static_cast<std::uint32_t>(destinationOffset), static_cast<std::uint32_t>(sourceOffset), static_cast<std::uint32_t>(barrierOffset), static_cast<std::uint32_t>(coordinates.size())};
    e.insert(e.end(), coordinates.begin(), coordinates.end());
    return e;
}

namespace {

BulkSite siteFrom(const std::uint32_t *e) {
    BulkSite s;
    s.kind = static_cast<BulkKind>(e[0]);
    s.reduction = static_cast<std::uint8_t>(e[1]);
    s.type = static_cast<Type>(e[2]);
    s.wideDestination = e[3] & 1;
    s.wideSource = e[3] & 2;
    s.wideSize = e[3] & 4;
    s.wideBarrier = e[3] & 8;
    s.wideMask = e[3] & 16;
    s.multicast = e[3] & 32;
    s.destination = e[4];
    s.source = e[5];
    s.size = e[6];
    s.barrier = e[7];
    s.mask = e[8];
    s.destinationOffset = static_cast<std::int32_t>(e[9]);
    s.sourceOffset = static_cast<std::int32_t>(e[10]);
    s.barrierOffset = static_cast<std::int32_t>(e[11]);
    s.coordinates.assign(e + 13, e + 13 + e[12]);
    return s;
}

// Bytes of global memory, all in one allocation; null after a finding.
std::byte *globalBytes(WarpContext &context, std::uint64_t address, std::uint64_t bytes, unsigned lane, bool write) {
    Launcher &launcher = Launcher::of(context);
    Allocation *a = launcher.addresses().find(address);
    const char *verb = write ? "write" : "read";
    if (a == nullptr || a->bytes - (address - a->base) < bytes) {
        launcher.find(context, "out_of_bounds", true, lane, address, [&] {
            return a == nullptr ? std::format("bulk {} of {} bytes at address {:#x}, which is {}", verb, bytes, address, launcher.addresses().describe(address))
                                : std::format("bulk {} of {} bytes at address {:#x} crosses the end of {} ({} bytes)", verb, bytes, address, launcher.addresses().name(*a), a->bytes);
        });
        return nullptr;
    }
    const std::uint64_t offset = address - a->base;
    if (write && a->readOnly) {
        reportReadOnlyStore(context, address, lane);
        return nullptr;
    }
    if (context.launch->checks && write) std::memset(a->written + offset, 1, bytes);
    if (context.launch->checks && !write && !a->fullyWritten)
        if (const void *hole = bytes != 0 ? std::memchr(a->written + offset, 0, bytes) : nullptr)
            reportUninitialised(context, AddressSpaceKind::Global, address + static_cast<std::uint64_t>(static_cast<const std::uint8_t *>(hole) - (a->written + offset)), lane, 1);
    return a->data + offset;
}

void noteSharedRead(WarpContext &context, const SharedPlace &place, std::uint64_t bytes, unsigned lane) {
    if (!context.launch->checks || bytes == 0) return;
    const BlockState &b = *place.block;
    for (std::uint32_t at = place.offset; at < place.offset + bytes; ++at) {
        const std::uint32_t tag = b.sharedWriter[at >> 2];
        if (b.sharedWritten[at] == 0 && !(tag > (b.sharedFirstEpoch << 10 | 15u) && (tag >> (at & 3) & 1u)))
            return reportUninitialised(context, AddressSpaceKind::Shared, at, lane, 1);
    }
}
void noteSharedWrite(WarpContext &context, const SharedPlace &place, std::uint64_t bytes) {
    if (context.launch->checks) std::memset(place.block->sharedWritten + place.offset, 1, bytes);
}

// Traffic of a copy in whole sectors through L2. Returns how long it takes to arrive.
std::uint32_t countTraffic(WarpContext &context, std::uint64_t address, std::uint64_t bytes, bool write) {
    LaunchState &l = *context.launch;
    InstructionCounters &c = *context.counters;
    std::uint32_t latency = l.l2Latency, writtenBack = 0;
    if (bytes == 0) return latency;
    for (std::uint64_t line = address >> 7; line <= (address + bytes - 1) >> 7; ++line) {
        unsigned mask = 0;
        for (unsigned s = 0; s < 4; ++s) {
            const std::uint64_t start = line * 128 + s * 32;
            if (start < address + bytes && start + 32 > address) mask |= 1u << s;
        }
        const auto sectors = SectorCache::sectorsIn(mask);
        const auto number = static_cast<std::uint32_t>((line * 128 - globalBase) >> 7);
        if (write) {
            l.l2.write(number, mask, writtenBack);
            l.l2WriteSectors += sectors;
        } else {
            const unsigned hit = l.l2.read(number, mask, context.block->sm, writtenBack);
            const std::uint32_t missed = SectorCache::sectorsIn(mask & ~hit);
            l.l2ReadSectors += sectors;
            c.l2Hits += sectors - missed;
            l.dramReadBytes += missed * 32u;
            if (missed != 0) latency = l.dramLatency;
        }
        c.sectors += sectors;
        c.idealSectors += sectors;
        c.lines += 1;
    }
    l.dramWriteBytes += writtenBack * 32u;
    c.bytes += bytes;
    return latency;
}

void moveBytes(const BulkSite &site, std::byte *into, const std::byte *from, std::uint64_t bytes) {
    if (site.reduction == noReduction) {
        std::memmove(into, from, bytes);
        return;
    }
    const auto step = static_cast<std::uint64_t>(ptx::typeBytes(site.type));
    for (std::uint64_t at = 0; at + step <= bytes; at += step) reduceElement(into + at, from + at, static_cast<AtomicOperation>(site.reduction), site.type);
}

void noteBulkTime(WarpContext &context, std::uint32_t latency) {
    context.warp->bulkOpen = std::max(context.warp->bulkOpen, context.warp->clock + latency);
}

std::uint64_t addressOf(const WarpContext &context, const BulkSite &site, bool destination, unsigned lane) {
    return destination ? laneAddress(context, site.destination, site.wideDestination, site.destinationOffset, lane) : laneAddress(context, site.source, site.wideSource, site.sourceOffset, lane);
}

// The blocks of the cluster a copy goes to: the destination's own, or those of the mask.
std::vector<std::uint32_t> ranksOf(const WarpContext &context, const BulkSite &site, unsigned lane) {
    std::vector<std::uint32_t> ranks;
    const std::uint64_t mask = laneValue(context, site.mask, site.wideMask, lane) & 0xffff;
    for (std::uint32_t rank = 0; rank < mostClusterBlocks; ++rank)
        if (mask >> rank & 1) ranks.push_back(rank);
    return ranks;
}

// Calls deliver(place) for each destination, and tells the mbarrier there.
template <class Deliver> void deliverShared(WarpContext &context, const BulkSite &site, std::uint64_t bytes, std::uint32_t latency, unsigned lane, Deliver &&deliver) {
    const SharedPlace first = sharedPlace(context, addressOf(context, site, true, lane), lane, bytes, 16, AccessKind::Write);
    if (first.block == nullptr) return;
    const SharedPlace barrier = sharedPlace(context, laneAddress(context, site.barrier, site.wideBarrier, site.barrierOffset, lane), lane, 8, 8, AccessKind::Atomic);
    if (barrier.block == nullptr) return;
    const auto one = [&](const SharedPlace &place, const SharedPlace &told) {
        deliver(place);
        completeTransaction(context, told, static_cast<std::int64_t>(bytes), context.warp->clock + latency, lane);
    };
    if (!site.multicast) return one(first, barrier);
    for (const std::uint32_t rank : ranksOf(context, site, lane)) {
        const SharedPlace place = inRank(context, first, rank, lane), told = inRank(context, barrier, rank, lane);
        if (place.block == nullptr || told.block == nullptr || context.stop) return;
        one(place, told);
    }
}

bool sizeIsWrong(WarpContext &context, std::uint64_t bytes, std::uint64_t address, unsigned lane) {
    if (bytes % 16 == 0 && address % 16 == 0) return false;
    Launcher::of(context).find(context, "misaligned", true, lane, address, [&] {
        return std::format("a bulk copy of {} bytes at address {:#x}: size and address must be multiples of 16", bytes, address);
    });
    return true;
}

void copyOne(WarpContext &context, const BulkSite &site, unsigned lane) {
    const std::uint64_t bytes = laneValue(context, site.size, site.wideSize, lane) & 0xffff'ffffu;
    const std::uint64_t from = addressOf(context, site, false, lane);
    if (site.kind == BulkKind::Prefetch) return;
    if (sizeIsWrong(context, bytes, from, lane)) return;
    if (site.kind == BulkKind::GlobalToShared) {
        const std::byte *source = globalBytes(context, from, bytes, lane, false);
        if (source == nullptr) return;
        const std::uint32_t latency = countTraffic(context, from, bytes, false);
        deliverShared(context, site, bytes, latency, lane, [&](const SharedPlace &place) {
            moveBytes(site, place.bytes(), source, bytes);
            noteSharedWrite(context, place, bytes);
        });
        return;
    }
    const SharedPlace source = sharedPlace(context, from, lane, bytes, 16, AccessKind::Read);
    if (source.block == nullptr) return;
    noteSharedRead(context, source, bytes, lane);
    if (site.kind == BulkKind::SharedToShared) {
        deliverShared(context, site, bytes, context.launch->sharedLatency * 4, lane, [&](const SharedPlace &place) {
            moveBytes(site, place.bytes(), source.bytes(), bytes);
            noteSharedWrite(context, place, bytes);
        });
        return;
    }
    const std::uint64_t to = addressOf(context, site, true, lane);
    if (sizeIsWrong(context, bytes, to, lane)) return;
    std::byte *into = globalBytes(context, to, bytes, lane, true);
    if (into == nullptr) return;
    moveBytes(site, into, source.bytes(), bytes);
    noteBulkTime(context, countTraffic(context, to, bytes, true));
}

// The map a lane's address points to, checked; nullopt after a finding.
std::optional<TensorMap> mapAt(WarpContext &context, std::uint64_t address, std::size_t rank, unsigned lane) {
    TensorMap map;
    const LaunchState &l = *context.launch;
    const auto wrong = [&](const std::string &why) {
        Launcher::of(context).find(context, "barrier_misuse", true, lane, address, [&] { return "a tensor copy " + why; });
        return std::nullopt;
    };
    if (address - parameterWindow < parameterWindowBytes) {
        const std::uint64_t offset = address - parameterWindow;
        if (offset > l.parameterBytes || l.parameterBytes - offset < sizeof map) return wrong("whose tensor map lies outside of the kernel's parameters");
        std::memcpy(&map, l.parameters + offset, sizeof map);
    } else {
        const Allocation *a = findAllocation(context, address);
        if (a == nullptr || a->bytes - (address - a->base) < sizeof map) return wrong(std::format("whose tensor map at address {:#x} is in no memory", address));
        std::memcpy(&map, a->data + (address - a->base), sizeof map);
    }
    if (map.magic != TensorMap::mark) return wrong("through bytes that are no tensor map (cuTensorMapEncodeTiled makes one)");
    if (map.rank != rank || rank < 1 || rank > 5) return wrong(std::format("with {} coordinates and a map of {} dimensions", rank, map.rank));
    if (map.interleave != 0 || static_cast<unsigned>(map.dataType) > 12 || static_cast<unsigned>(map.swizzle) > 3) return wrong("with a map that is not covered (interleaving, or an unknown type)");
    std::uint64_t boxBytes = static_cast<std::uint64_t>(map.elementBytes());
    for (std::size_t d = 0; d < 5; ++d) {
        if (map.box[d] < 1 || map.box[d] > 256 || map.elementStrides[d] < 1 || map.elementStrides[d] > 8) return wrong("with a map whose box is not 1 to 256 elements wide");
        if (d >= rank) continue;
        boxBytes *= (map.box[d] + map.elementStrides[d] - 1u) / map.elementStrides[d];
        if (boxBytes > blockWindowBytes) return wrong("of a box larger than shared memory");
    }
    return map;
}

// Walks through the elements of a box in the order they have in shared memory. visit(offset in the box, address or nullopt
// for an element outside of the tensor).
template <class Visit> std::uint64_t walkBox(const TensorMap &map, const std::array<std::int64_t, 5> &start, Visit &&visit) {
    std::array<std::uint32_t, 5> counts{1, 1, 1, 1, 1}, index{};
    for (std::size_t d = 0; d < map.rank; ++d) counts[d] = (map.box[d] + map.elementStrides[d] - 1u) / map.elementStrides[d];
    std::uint64_t offset = 0;
    const auto size = static_cast<std::uint64_t>(map.elementBytes());
    for (;;) {
        std::uint64_t address = map.address;
        bool inside = true;
        for (std::size_t d = 0; d < map.rank; ++d) {
            const std::int64_t at = start[d] + static_cast<std::int64_t>(index[d]) * map.elementStrides[d];
            inside = inside && at >= 0 && at <= static_cast<std::int64_t>(map.lastIndex[d]);
            address += static_cast<std::uint64_t>(at) * (d == 0 ? size : map.strides[d - 1]);
        }
        if (!visit(offset, inside ? std::optional(address) : std::nullopt)) return offset;
        offset += size;
        std::size_t d = 0;
        while (d < 5 && ++index[d] == counts[d]) index[d++] = 0;
        if (d == 5) return offset;
    }
}

Type typeOf(TensorMap::DataType type) {
    using D = TensorMap::DataType;
    static constexpr Type types[] = {Type::U8, Type::U16, Type::U32, Type::S32, Type::U64, Type::S64, Type::F16, Type::F32, Type::F64, Type::Bf16, Type::F32, Type::F32, Type::F32};
    return types[static_cast<std::size_t>(type <= D::Tf32Ftz ? type : D::U32)];
}

// The element outside of a tensor: zeros, or NaN of a float type.
std::uint64_t fillOf(const TensorMap &map) {
    if (map.nanFill == 0) return 0;
    switch (map.dataType) {
    case TensorMap::DataType::F16: case TensorMap::DataType::Bf16: return 0x7fff;
    case TensorMap::DataType::F64: return 0x7fff'ffff'ffff'ffffu;
    default: return 0x7fff'ffff;
    }
}

void loadTile(WarpContext &context, const BulkSite &site, const TensorMap &map, const std::array<std::int64_t, 5> &start, unsigned lane) {
    const auto size = static_cast<std::uint64_t>(map.elementBytes());
    std::vector<std::byte> tile;
    std::uint32_t latency = context.launch->l2Latency;
    std::uint64_t runStart = 0, runBytes = 0; // elements side by side are one request
    const auto flush = [&] { if (runBytes != 0) latency = std::max(latency, countTraffic(context, runStart, runBytes, false)); runBytes = 0; };
    const std::uint64_t fill = fillOf(map);
    bool stopped = false;
    (void)walkBox(map, start, [&](std::uint64_t offset, std::optional<std::uint64_t> address) {
        tile.resize(offset + size);
        std::memcpy(tile.data() + offset, &fill, size);
        if (!address) return true;
        const std::byte *from = globalBytes(context, *address, size, lane, false);
        if (from == nullptr) { stopped = true; return false; }
        std::memcpy(tile.data() + offset, from, size);
        if (runBytes == 0 || runStart + runBytes != *address) { flush(); runStart = *address; }
        runBytes += size;
        return true;
    });
    if (stopped) return;
    flush();
    deliverShared(context, site, tile.size(), latency, lane, [&](const SharedPlace &place) {
        for (std::uint64_t at = 0; at < tile.size(); at += size) {
            const std::uint32_t to = swizzled(place.offset + static_cast<std::uint32_t>(at), map.swizzle);
            if (to + size > context.launch->sharedBytes) continue; // a destination that is not aligned to the pattern
            std::memcpy(place.block->shared + to, tile.data() + at, size);
            noteSharedWrite(context, {place.block, to}, size);
        }
    });
}

void storeTile(WarpContext &context, const BulkSite &site, const TensorMap &map, const std::array<std::int64_t, 5> &start, unsigned lane) {
    const auto size = static_cast<std::uint64_t>(map.elementBytes());
    const std::uint64_t whole = walkBox(map, start, [](std::uint64_t, std::optional<std::uint64_t>) { return true; });
    const SharedPlace from = sharedPlace(context, addressOf(context, site, false, lane), lane, whole, 16, AccessKind::Read);
    if (from.block == nullptr) return;
    std::uint32_t latency = context.launch->l2Latency;
    std::uint64_t runStart = 0, runBytes = 0;
    const auto flush = [&] { if (runBytes != 0) latency = std::max(latency, countTraffic(context, runStart, runBytes, true)); runBytes = 0; };
    (void)walkBox(map, start, [&](std::uint64_t offset, std::optional<std::uint64_t> address) {
        if (!address) return true;
        std::byte *into = globalBytes(context, *address, size, lane, true);
        if (into == nullptr) return false;
        const std::uint32_t at = swizzled(from.offset + static_cast<std::uint32_t>(offset), map.swizzle);
        if (at + size > context.launch->sharedBytes) return true;
        noteSharedRead(context, {from.block, at}, size, lane);
        if (site.reduction == noReduction) std::memcpy(into, from.block->shared + at, size);
        else if (canReduce(static_cast<AtomicOperation>(site.reduction), typeOf(map.dataType))) reduceElement(into, from.block->shared + at, static_cast<AtomicOperation>(site.reduction), typeOf(map.dataType));
        if (runBytes == 0 || runStart + runBytes != *address) { flush(); runStart = *address; }
        runBytes += size;
        return true;
    });
    flush();
    noteBulkTime(context, latency);
}

} // namespace

void bulkCopyHandler(WarpContext &context, const MicroOp &op) {
    const BulkSite site = siteFrom(context.launch->entries + op.extra);
    context.counters->requests += 1;
    for (unsigned lane = 0; lane < 32 && !context.stop; ++lane)
        if (context.exec >> lane & 1) copyOne(context, site, lane);
}

void tensorCopyHandler(WarpContext &context, const MicroOp &op) {
    const BulkSite site = siteFrom(context.launch->entries + op.extra);
    if (site.kind == BulkKind::Prefetch) return;
    context.counters->requests += 1;
    const bool load = site.kind == BulkKind::GlobalToShared;
    for (unsigned lane = 0; lane < 32 && !context.stop; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        const auto map = mapAt(context, addressOf(context, site, !load, lane), site.coordinates.size(), lane);
        if (!map) return;
        std::array<std::int64_t, 5> start{};
        for (std::size_t d = 0; d < site.coordinates.size(); ++d) start[d] = static_cast<std::int32_t>(context.source<std::uint32_t>(site.coordinates[d])[lane]);
        if (load) loadTile(context, site, *map, start, lane);
        else storeTile(context, site, *map, start, lane);
    }
}

void commitBulkGroup(WarpContext &context, const MicroOp &) {
    WarpState &w = *context.warp;
    const std::uint64_t before = w.bulkCommitted == 0 ? 0 : w.bulkGroups[(w.bulkCommitted - 1) % 16];
    w.bulkGroups[w.bulkCommitted % 16] = std::max(before, w.bulkOpen);
    w.bulkCommitted += 1;
    w.bulkOpen = 0;
}

void waitBulkGroups(WarpContext &context, const MicroOp &op) {
    WarpState &w = *context.warp;
    const auto pending = static_cast<std::uint64_t>(op.immediate);
    if (w.bulkCommitted <= pending || pending >= 16) return;
    const std::uint64_t arrival = w.bulkGroups[(w.bulkCommitted - 1 - pending) % 16];
    if (arrival <= w.clock) return;
    context.launch->stalls[context.pc].cycles[static_cast<std::size_t>(StallReason::LongScoreboard)] += arrival - w.clock;
    w.clock = arrival;
}

void storeAsyncHandler(WarpContext &context, const MicroOp &op) {
    const MemoryOperand &m = context.launch->memory[op.extra];
    const std::uint64_t bytes = static_cast<std::uint64_t>(m.elementBytes) * m.count;
    for (unsigned lane = 0; lane < 32 && !context.stop; ++lane) {
        if (!(context.exec >> lane & 1)) continue;
        const SharedPlace place = sharedPlace(context, laneAddress(context, m.address, m.address64, m.offset, lane), lane, bytes, static_cast<unsigned>(bytes), AccessKind::Write);
        if (place.block == nullptr) return;
        const SharedPlace barrier = sharedPlace(context, laneAddress(context, m.sourceAddress, op.d != 0, m.sourceOffset, lane), lane, 8, 8, AccessKind::Atomic);
        if (barrier.block == nullptr) return;
        for (int e = 0; e < m.count; ++e) {
            const std::uint64_t value = laneValue(context, m.rows[e], m.wide[e], lane);
            std::byte element[8];
            std::memcpy(element, &value, sizeof element);
            std::byte *at = place.bytes() + e * m.elementBytes;
            if (m.atomicOperation == noReduction) std::memcpy(at, element, m.elementBytes);
            else reduceElement(at, element, static_cast<AtomicOperation>(m.atomicOperation), static_cast<Type>(m.atomicType));
        }
        noteSharedWrite(context, place, bytes);
        completeTransaction(context, barrier, static_cast<std::int64_t>(bytes), context.warp->clock + 4 * context.launch->sharedLatency, lane);
    }
}

} // namespace kernelskill::simulator
