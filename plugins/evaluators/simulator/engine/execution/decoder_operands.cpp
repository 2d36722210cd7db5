// SPDX-License-Identifier: Apache-2.0
// Operands of instructions as rows, constants, predicates and scoreboard numbers.
#include "engine/execution/decoder.h"

#include "engine/analysis/operands.h"
#include "engine/execution/special_register.h"
#include "engine/memory/allocation.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kernelskill::simulator {

using ptx::Operand;
using ptx::Type;

std::uint32_t Decoder::latency(InstructionClass kind) const {
    const auto &m = m_model;
    switch (kind) {
    case InstructionClass::Fp64: return static_cast<std::uint32_t>(m.fp64Latency);
    case InstructionClass::IntegerMultiply: return static_cast<std::uint32_t>(m.integerMultiplyLatency);
    case InstructionClass::Special: return static_cast<std::uint32_t>(m.specialLatency);
    case InstructionClass::Convert: return static_cast<std::uint32_t>(m.convertLatency);
    case InstructionClass::Branch: return static_cast<std::uint32_t>(m.branchLatency);
    case InstructionClass::LoadGlobal: case InstructionClass::LoadLocal: return static_cast<std::uint32_t>(m.l1Latency);
    case InstructionClass::AtomicGlobal: return static_cast<std::uint32_t>(m.l2Latency);
    case InstructionClass::LoadShared: case InstructionClass::AtomicShared: return static_cast<std::uint32_t>(m.sharedLatency);
    case InstructionClass::LoadConstant: return static_cast<std::uint32_t>(m.constantLatency);
    case InstructionClass::Shuffle: return static_cast<std::uint32_t>(m.shuffleLatency);
    case InstructionClass::Tensor: return static_cast<std::uint32_t>(m.tensorLatency);
    case InstructionClass::Barrier: return static_cast<std::uint32_t>(m.barrierLatency);
    default: return static_cast<std::uint32_t>(m.aluLatency);
    }
}

namespace {
StallReason reasonOf(InstructionClass kind) {
    switch (kind) {
    case InstructionClass::LoadGlobal: case InstructionClass::LoadLocal: case InstructionClass::AtomicGlobal: return StallReason::LongScoreboard;
    case InstructionClass::LoadShared: case InstructionClass::AtomicShared: case InstructionClass::Special: case InstructionClass::Shuffle:
    case InstructionClass::Convert: case InstructionClass::LoadConstant: return StallReason::ShortScoreboard;
    case InstructionClass::Branch: return StallReason::Branch;
    default: return StallReason::Wait;
    }
}
} // namespace

std::uint32_t Decoder::predicateResult() const {
    return static_cast<std::uint32_t>(m_model.predicateLatency) << reasonBits | static_cast<std::uint32_t>(StallReason::Wait);
}

std::uint32_t Decoder::specialRegisterResult() const {
    return static_cast<std::uint32_t>(m_model.specialRegisterLatency) << reasonBits | static_cast<std::uint32_t>(StallReason::ShortScoreboard);
}

MicroOp Decoder::make(const ptx::Instruction &instruction, InstructionClass kind) const {
    MicroOp op;
    op.instructionClass = static_cast<std::uint8_t>(kind);
    op.result = latency(kind) << reasonBits | static_cast<std::uint32_t>(reasonOf(kind));
    if (instruction.predicate >= 0) {
        op.guard = m_predicateNumber[static_cast<std::size_t>(instruction.predicate)];
        op.guardNegated = instruction.predicateNegated;
        op.readyGuard = readyOfPredicate(op.guard);
    }
    return op;
}

MicroOp &Decoder::emit(MicroOp op) {
    m_program->code.push_back(op);
    m_program->placeOfPc.push_back(m_place);
    return m_program->code.back();
}

std::uint32_t Decoder::constant(std::uint64_t bits, bool wide) {
    const auto known = m_constants.find({bits, wide});
    if (known != m_constants.end()) return known->second;
    auto &pool = m_program->constants;
    const std::size_t at = pool.size();
    const std::size_t width = wide ? 8 : 4;
    pool.resize(at + 32 * width);
    for (std::size_t lane = 0; lane < 32; ++lane) std::memcpy(pool.data() + at + lane * width, &bits, width);
    const std::uint32_t offset = static_cast<std::uint32_t>(at) | constantFlag;
    m_constants[{bits, wide}] = offset;
    return offset;
}

std::uint64_t Decoder::immediateBits(const Operand &operand, Type type) const {
    switch (type) {
    case Type::F32:
        if (operand.kind == Operand::Kind::Float64) return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
        if (operand.kind == Operand::Kind::Integer) return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(operand.bits)));
        return operand.bits;
    case Type::F64:
        if (operand.kind == Operand::Kind::Float32) return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))));
        if (operand.kind == Operand::Kind::Integer) return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(operand.bits)));
        return operand.bits;
    default: return operand.bits;
    }
}

Decoder::SymbolPlace Decoder::symbolPlace(const Operand &operand) const {
    const auto displaced = [&](std::uint64_t address) { return address + static_cast<std::uint64_t>(operand.offset); };
    if (operand.kind == Operand::Kind::Variable) {
        const auto &variable = m_function->variables[operand.index];
        switch (variable.space) {
        case ptx::Space::Shared:
            if (variable.dynamicShared) return {AddressSpaceKind::Shared, displaced(m_program->staticSharedBytes)};
            return {AddressSpaceKind::Shared, displaced(m_localShared.at({m_functionIndex, operand.index}))};
        case ptx::Space::Local: return {AddressSpaceKind::Local, displaced(m_variableOffset[operand.index])};
        case ptx::Space::Parameter: {
            const bool formal = m_function->isKernel && std::ranges::find(m_function->parameters, operand.index) != m_function->parameters.end();
            if (formal) return {AddressSpaceKind::Parameter, displaced(parameterWindow + m_variableOffset[operand.index])};
            return {AddressSpaceKind::CallParameter, displaced(m_variableOffset[operand.index])};
        }
        default:
            if (const auto address = m_addressOf(m_function->name + "/" + variable.name)) return {AddressSpaceKind::Global, displaced(*address)};
            throw Unsupported{"variable " + variable.name};
        }
    }
    if (const auto found = m_sharedOffsets.find(operand.symbol); found != m_sharedOffsets.end()) return {AddressSpaceKind::Shared, displaced(found->second)};
    if (const auto found = m_functionByName.find(operand.symbol); found != m_functionByName.end())
        if (m_decodedIndex.contains(found->second)) return {AddressSpaceKind::Generic, functionAddress(found->second)};
    if (const auto address = m_addressOf(operand.symbol)) return {AddressSpaceKind::Global, displaced(*address)};
    throw Unsupported{"the name " + operand.symbol + " is not defined"};
}

std::uint32_t Decoder::temporary(bool wide) {
    if (wide) m_nextTemporary += m_nextTemporary & 128;
    const std::uint32_t row = m_nextTemporary;
    m_nextTemporary += wide ? 256 : 128;
    return row;
}

std::uint32_t Decoder::frameRow(const ptx::Instruction &instruction, std::uint64_t offset, bool wide) {
    MicroOp op = make(instruction, InstructionClass::Integer);
    const Handlers h = m_isa.data("frame", wide ? Type::B64 : Type::B32);
    op.full = h.full;
    op.masked = h.masked;
    op.d = temporary(wide);
    op.readyD = readyOfRow(op.d);
    op.immediate = static_cast<std::int64_t>(offset);
    return emit(op).d;
}

std::uint32_t Decoder::source(const ptx::Instruction &instruction, const Operand &operand, Type type) {
    const bool wide = ptx::typeBytes(type) == 8;
    if (!operand.selector.empty()) throw Unsupported{"a part of a register"};
    switch (operand.kind) {
    case Operand::Kind::Register:
        if (m_function->registers[operand.index].type == Type::Pred) throw Unsupported{"a predicate where a value is expected"};
        if (operand.negated) throw Unsupported{"a negated register"};
        return m_firstRow + m_liveness.row[operand.index] * 128;
    case Operand::Kind::Integer: case Operand::Kind::Float32: case Operand::Kind::Float64: {
        std::uint64_t bits = immediateBits(operand, type);
        if (!wide) bits &= 0xffff'ffffu;
        return constant(bits, wide);
    }
    case Operand::Kind::Symbol: case Operand::Kind::Variable: {
        const SymbolPlace place = symbolPlace(operand);
        if (place.space == AddressSpaceKind::Local) return frameRow(instruction, place.address, wide);
        if (place.space == AddressSpaceKind::CallParameter) throw Unsupported{"the address of a device function's parameter"};
        return constant(place.address, wide);
    }
    case Operand::Kind::Special: {
        const auto which = specialRegister(operand.symbol);
        if (!which) throw Unsupported{"special register " + operand.symbol};
        MicroOp op = make(instruction, InstructionClass::Move);
        const Handlers h = m_isa.data("special", wide ? Type::B64 : Type::B32);
        op.full = h.full;
        op.masked = h.masked;
        op.d = temporary(wide);
        op.readyD = readyOfRow(op.d);
        op.result = specialRegisterResult();
        op.immediate = static_cast<std::int64_t>(*which);
        op.canStop = true; // the clock has to be current
        return emit(op).d;
    }
    default: throw Unsupported{"an operand of this kind"};
    }
}

bool Decoder::isWide(const Operand &operand) const {
    return operand.kind == Operand::Kind::Register && ptx::typeBytes(m_function->registers[operand.index].type) == 8;
}

std::uint32_t Decoder::destination(const Operand &operand, bool wide) {
    if (operand.kind == Operand::Kind::Sink) return temporary(wide);
    if (operand.kind != Operand::Kind::Register || !operand.selector.empty()) throw Unsupported{"the destination is no register"};
    if (m_function->registers[operand.index].type == Type::Pred) throw Unsupported{"a predicate as the destination"};
    if (wide && !isWide(operand)) throw Unsupported{"the destination register is too narrow"};
    return m_firstRow + m_liveness.row[operand.index] * 128;
}

std::uint32_t Decoder::predicate(const Operand &operand) const {
    if (operand.kind != Operand::Kind::Register || m_function->registers[operand.index].type != Type::Pred) {
        if (operand.kind == Operand::Kind::Integer && operand.bits != 0) return truePredicate;
        throw Unsupported{"a predicate is expected"};
    }
    return m_predicateNumber[operand.index];
}

std::uint32_t Decoder::predicateDestination(const Operand &operand) const {
    if (operand.kind == Operand::Kind::Sink) return sinkPredicate;
    if (operand.kind != Operand::Kind::Register || m_function->registers[operand.index].type != Type::Pred) throw Unsupported{"a predicate is expected as the destination"};
    return m_predicateNumber[operand.index];
}

std::uint32_t Decoder::readyOfRow(std::uint32_t row) { return row & constantFlag ? noneReady : firstReady + row / 128; }
std::uint32_t Decoder::readyOfPredicate(std::uint32_t number) { return constantFlag | number; } // made final in finish()

std::uint32_t Decoder::readyOfRegister(std::uint32_t index) const {
    if (m_function->registers[index].type == Type::Pred) return readyOfPredicate(m_predicateNumber[index]);
    return readyOfRow(m_firstRow + m_liveness.row[index] * 128);
}

std::uint32_t Decoder::readyOf(const Operand &operand) const {
    return operand.kind == Operand::Kind::Register ? readyOfRegister(operand.index) : noneReady;
}

void Decoder::scoreboard(MicroOp &op, const ptx::Instruction &instruction) const {
    const RegisterUse use = registerUse(instruction);
    auto &entries = m_program->entries;
    op.moreSources = static_cast<std::uint32_t>(entries.size());
    for (const auto r : use.reads) entries.push_back(readyOfRegister(r));
    op.moreSourceCount = static_cast<std::uint8_t>(std::min<std::size_t>(255, use.reads.size()));
    op.moreResults = static_cast<std::uint32_t>(entries.size());
    for (const auto r : use.writes) entries.push_back(readyOfRegister(r));
    op.moreResultCount = static_cast<std::uint8_t>(std::min<std::size_t>(255, use.writes.size()));
}

} // namespace kernelskill::simulator
