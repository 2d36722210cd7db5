// SPDX-License-Identifier: Apache-2.0
// Loads and stores of every space, and cp.async.
#include "engine/execution/isa/memory_requests.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {
namespace {

using Kind = AddressSpaceKind;

template <bool Write> void global(WarpContext &context, const MicroOp &op) {
    MemoryOperand &m = context.launch->memory[op.extra];
    if (globalRepeated<Write>(context, m)) [[likely]] return;
    alignas(64) std::uint64_t address[laneCount];
    gatherAddresses(context, m.address64, m.address, m.offset, context.exec, address);
    globalRequest<Write>(context, m, address, context.exec);
}

template <bool Write> void shared(WarpContext &context, const MicroOp &op) {
    MemoryOperand &m = context.launch->memory[op.extra];
    if (sharedRepeated<Write>(context, m)) [[likely]] return;
    alignas(64) std::uint64_t address[laneCount];
    gatherAddresses(context, m.address64, m.address, m.offset, context.exec, address);
    sharedRequest<Write>(context, m, address, context.exec);
}

template <bool Write> void local(WarpContext &context, const MicroOp &op) {
    MemoryOperand &m = context.launch->memory[op.extra];
    alignas(64) std::uint64_t address[laneCount];
    gatherAddresses(context, m.address64, m.address, m.offset, context.exec, address);
    localRequest<Write>(context, m, address, context.exec);
}

// Lanes of one generic request may lie in different windows: each window gets its own request.
template <bool Write> void generic(WarpContext &context, const MicroOp &op) {
    MemoryOperand &m = context.launch->memory[op.extra];
    alignas(64) std::uint64_t address[laneCount];
    gatherAddresses(context, m.address64, m.address, m.offset, context.exec, address);
    std::uint32_t inShared = 0, inLocal = 0, inParameter = 0;
    for (int i = 0; i < laneCount; ++i) {
        inShared |= address[i] - sharedWindow < sharedWindowBytes ? laneBit[i] : 0;
        inLocal |= address[i] - localWindow < localWindowBytes ? laneBit[i] : 0;
        inParameter |= address[i] - parameterWindow < parameterWindowBytes ? laneBit[i] : 0;
    }
    const std::uint32_t exec = context.exec;
    const std::uint32_t rest = exec & ~(inShared | inLocal | inParameter);
    if (rest == exec) return globalRequest<Write>(context, m, address, exec);
    const auto part = [&](std::uint32_t lanes, std::uint64_t window, auto &&request) {
        if (lanes == 0 || context.stop) return;
        alignas(64) std::uint64_t moved[laneCount];
        const std::uint64_t first = address[__builtin_ctz(lanes)] - window;
        for (int i = 0; i < laneCount; ++i) moved[i] = lanes & laneBit[i] ? address[i] - window : first;
        request(moved, lanes);
    };
    part(inShared & exec, sharedWindow, [&](const std::uint64_t *a, std::uint32_t lanes) { sharedRequest<Write>(context, m, a, lanes); });
    part(inLocal & exec, localWindow, [&](const std::uint64_t *a, std::uint32_t lanes) { localRequest<Write>(context, m, a, lanes); });
    part(inParameter & exec, parameterWindow, [&](const std::uint64_t *a, std::uint32_t lanes) { parameterRequest<Write>(context, m, a, lanes); });
    part(rest, 0, [&](const std::uint64_t *a, std::uint32_t lanes) { globalRequest<Write>(context, m, a, lanes); });
}

// Kernel parameters are the same for all lanes: one value is spread. Others go lane by lane.
template <bool Write> void parameter(WarpContext &context, const MicroOp &op) {
    MemoryOperand &m = context.launch->memory[op.extra];
    alignas(64) std::uint64_t address[laneCount];
    gatherAddresses(context, m.address64, m.address, m.offset, context.exec, address);
    if (address[0] - parameterWindow < parameterWindowBytes)
        for (auto &a : address) a -= parameterWindow;
    parameterRequest<Write>(context, m, address, context.exec);
}

// A kernel parameter at a known place: immediate.
void fixedParameter(WarpContext &context, const MicroOp &op) {
    const MemoryOperand &m = context.launch->memory[op.extra];
    const std::byte *at = context.launch->parameters + op.immediate;
    for (int e = 0; e < m.count; ++e) {
        if (m.sink[e]) continue;
        std::uint64_t value;
        __builtin_memcpy(&value, at + e * m.elementBytes, sizeof value); // there is room behind the parameters
        const int unused = 64 - m.elementBytes * 8;
        value <<= unused;
        value = m.signExtend ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> unused) : value >> unused;
        if (m.wide[e]) spread(context.row<std::uint64_t>(m.rows[e]), value, context.exec);
        else spread(context.row<std::uint32_t>(m.rows[e]), static_cast<std::uint32_t>(value), context.exec);
    }
}

// Parameters of device functions: a small memory of each lane at fixed places.
template <bool Write> void callParameter(WarpContext &context, const MicroOp &op) {
    MemoryOperand &m = context.launch->memory[op.extra];
    const std::uint32_t stride = context.launch->callParameterBytes;
    for (unsigned lane = 0; lane < laneCount; ++lane) {
        if (!(context.exec & laneBit[lane])) continue;
        std::byte *at = context.warp->callParameters + static_cast<std::size_t>(lane) * stride + m.offset;
        moveLane<Write>(context, m, lane, at);
    }
}

// cp.async: from global to shared memory past the registers. Done when issued; the data count as arrived only after the
// latency, which cp.async.wait_group waits for.
void copyAsync(WarpContext &context, const MicroOp &op) {
    MemoryOperand &m = context.launch->memory[op.extra];
    alignas(64) std::uint64_t from[laneCount], to[laneCount];
    gatherAddresses(context, true, m.sourceAddress, m.sourceOffset, context.exec, from);
    gatherAddresses(context, m.address64, m.address, m.offset, context.exec, to);
    for (auto &a : to) a -= a - sharedWindow < sharedWindowBytes ? sharedWindow : 0;
    copyRequest(context, m, from, to);
}

void bulkPrefetch(WarpContext &, const MicroOp &) {}

bool same(const char *a, const char *b) { return __builtin_strcmp(a, b) == 0; }

template <bool Write> Handler access(Kind space) {
    switch (space) {
    case Kind::Generic: return generic<Write>;
    case Kind::Global: return global<Write>;
    case Kind::Shared: return shared<Write>;
    case Kind::Local: return local<Write>;
    case Kind::Parameter: return parameter<Write>;
    case Kind::CallParameter: return callParameter<Write>;
    }
    return nullptr;
}

} // namespace

Handler selectAtomic(AddressSpaceKind space);

Handler selectMemory(const char *name, AddressSpaceKind space, ptx::Type) {
    if (same(name, "ld")) return access<false>(space);
    if (same(name, "st")) return access<true>(space);
    if (same(name, "ld.param.fixed")) return fixedParameter;
    if (same(name, "atom")) return selectAtomic(space);
    if (same(name, "cp.async")) return copyAsync;
    if (same(name, "prefetch")) return bulkPrefetch;
    return nullptr;
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
