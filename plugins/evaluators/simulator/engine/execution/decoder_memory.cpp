// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics and asynchronous copies.
#include "engine/execution/decoder.h"

#include "engine/execution/atomic_operation.h"
#include "engine/memory/allocation.h"

#include <algorithm>
#include <optional>

namespace kernelskill::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

namespace {

Type lastType(const Instruction &instruction) {
    for (auto m = instruction.modifiers.rbegin(); m != instruction.modifiers.rend(); ++m)
        if (const auto type = ptx::typeFromName(*m)) return *type;
    throw Unsupported{"no type"};
}

std::size_t vectorSize(const Instruction &instruction) {
    return instruction.has("v8") ? 8 : instruction.has("v4") ? 4 : instruction.has("v2") ? 2 : 1;
}

InstructionClass loadClass(AddressSpaceKind space, bool constantCache) {
    if (constantCache) return InstructionClass::LoadConstant;
    switch (space) {
    case AddressSpaceKind::Shared: return InstructionClass::LoadShared;
    case AddressSpaceKind::Local: return InstructionClass::LoadLocal;
    case AddressSpaceKind::Parameter: case AddressSpaceKind::CallParameter: return InstructionClass::LoadConstant;
    default: return InstructionClass::LoadGlobal;
    }
}
InstructionClass storeClass(AddressSpaceKind space) {
    switch (space) {
    case AddressSpaceKind::Shared: return InstructionClass::StoreShared;
    case AddressSpaceKind::Local: return InstructionClass::StoreLocal;
    case AddressSpaceKind::CallParameter: return InstructionClass::Move;
    default: return InstructionClass::StoreGlobal;
    }
}

} // namespace

AddressSpaceKind Decoder::spaceOf(const Instruction &instruction) const {
    for (const auto &m : instruction.modifiers) {
        if (m == "global" || m == "const") return AddressSpaceKind::Global;
        if (m == "shared" || m == "shared::cta" || m == "shared::cluster") return AddressSpaceKind::Shared;
        if (m == "local") return AddressSpaceKind::Local;
        if (m == "param" || m == "param::entry" || m == "param::func") return AddressSpaceKind::Parameter;
    }
    return AddressSpaceKind::Generic;
}

void Decoder::memoryFlags(const Instruction &instruction, MemoryOperand &m) const {
    for (const auto *strong : {"volatile", "relaxed", "acquire", "release", "mmio"}) m.strong = m.strong || instruction.has(strong);
    m.isVolatile = instruction.has("volatile");
    m.bypassL1 = instruction.has("cg") || instruction.has("cv") || instruction.has("L1::no_allocate") || m.strong;
    m.constantCache = instruction.has("const");
}

void Decoder::addressOperand(const Instruction &instruction, const Operand &operand, AddressSpaceKind space, MemoryOperand &m) {
    if (operand.kind != Operand::Kind::Address || operand.elements.size() != 1) throw Unsupported{"an address of this kind"};
    const Operand &base = operand.elements.front();
    m.offset = operand.offset;
    m.space = space;
    switch (base.kind) {
    case Operand::Kind::Register:
        m.address64 = isWide(base);
        m.address = source(instruction, base, m.address64 ? Type::B64 : Type::B32);
        return;
    case Operand::Kind::Integer:
        m.address64 = true;
        m.address = constant(base.bits, true);
        return;
    case Operand::Kind::Symbol: case Operand::Kind::Variable: {
        const SymbolPlace place = symbolPlace(base);
        m.address64 = true;
        if (place.space == AddressSpaceKind::Local) {
            m.address = frameRow(instruction, place.address, true);
            if (space == AddressSpaceKind::Generic) m.space = AddressSpaceKind::Local;
            return;
        }
        if (place.space == AddressSpaceKind::Parameter || place.space == AddressSpaceKind::CallParameter || space == AddressSpaceKind::Generic) m.space = place.space;
        if (place.space == AddressSpaceKind::CallParameter) {
            // such parameters have no addresses: each access lies inside its variable
            const auto bytes = static_cast<std::int64_t>(base.kind == Operand::Kind::Variable ? m_function->variables[base.index].bytes : 0);
            std::int64_t size = 0;
            for (const auto &name : instruction.modifiers)
                if (const auto type = ptx::typeFromName(name)) size = ptx::typeBytes(*type) * static_cast<std::int64_t>(vectorSize(instruction));
            if (m.offset < 0 || m.offset > bytes || bytes - m.offset < size) throw Unsupported{"an access outside of the parameter"};
        }
        if (place.space == AddressSpaceKind::CallParameter) m.offset += static_cast<std::int64_t>(place.address);
        m.address = constant(place.space == AddressSpaceKind::CallParameter ? 0 : place.address, true);
        return;
    }
    default: throw Unsupported{"an address of this kind"};
    }
}

void Decoder::load(const Instruction &instruction) {
    const Type type = lastType(instruction);
    MemoryOperand m;
    memoryFlags(instruction, m);
    addressOperand(instruction, instruction.operands.at(1), spaceOf(instruction), m);
    if (ptx::typeBytes(type) == 0) throw Unsupported{};
    if (type == Type::B128) return accessDouble(instruction, m, false);
    m.elementBytes = static_cast<std::uint8_t>(ptx::typeBytes(type));
    m.count = static_cast<std::uint8_t>(vectorSize(instruction));
    if (m.elementBytes * m.count > 32) throw Unsupported{"more than 32 bytes a thread"};
    m.signExtend = ptx::isSigned(type);
    const Operand &to = instruction.operands.at(0);
    for (std::size_t e = 0; e < m.count; ++e) {
        const Operand &element = to.kind == Operand::Kind::Vector ? to.elements.at(e) : to;
        m.sink[e] = element.kind == Operand::Kind::Sink;
        m.wide[e] = m.sink[e] ? m.elementBytes == 8 : isWide(element);
        if (!m.sink[e]) m.rows[e] = destination(element, m.elementBytes == 8);
    }
    // a kernel parameter named directly, inside the parameters' bytes
    std::int64_t fixed = -1;
    if (const Operand &base = instruction.operands[1].elements.front(); m.space == AddressSpaceKind::Parameter && base.kind == Operand::Kind::Variable) {
        const std::int64_t at = static_cast<std::int64_t>(m_variableOffset[base.index]) + m.offset;
        if (at >= 0 && at + m.elementBytes * m.count <= static_cast<std::int64_t>(m_program->parameterBytes)) fixed = at;
    }
    const Handler h = m_isa.memory(fixed >= 0 ? "ld.param.fixed" : "ld", m.space, type);
    if (h == nullptr) throw Unsupported{};
    MicroOp op = make(instruction, loadClass(m.space, m.constantCache));
    op.full = op.masked = h;
    op.canStop = fixed < 0;
    op.immediate = fixed;
    if (m.count == 1) {
        op.readyA = readyOfRow(m.address);
        op.readyD = m.sink[0] ? sinkReady : readyOfRow(m.rows[0]);
    } else scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->memory.size());
    m_program->memory.push_back(m);
    emit(op);
}

void Decoder::store(const Instruction &instruction) {
    if (instruction.has("async")) return storeAsync(instruction);
    if (instruction.has("bulk")) throw Unsupported{};
    const Type type = lastType(instruction);
    MemoryOperand m;
    memoryFlags(instruction, m);
    addressOperand(instruction, instruction.operands.at(0), spaceOf(instruction), m);
    if (ptx::typeBytes(type) == 0) throw Unsupported{};
    if (type == Type::B128) return accessDouble(instruction, m, true);
    m.elementBytes = static_cast<std::uint8_t>(ptx::typeBytes(type));
    m.count = static_cast<std::uint8_t>(vectorSize(instruction));
    if (m.elementBytes * m.count > 32) throw Unsupported{"more than 32 bytes a thread"};
    const Operand &from = instruction.operands.at(1);
    for (std::size_t e = 0; e < m.count; ++e) {
        const Operand &element = from.kind == Operand::Kind::Vector ? from.elements.at(e) : from;
        m.wide[e] = element.kind == Operand::Kind::Register ? isWide(element) : m.elementBytes == 8;
        m.rows[e] = source(instruction, element, type);
    }
    const Handler h = m_isa.memory("st", m.space, type);
    if (h == nullptr) throw Unsupported{};
    MicroOp op = make(instruction, storeClass(m.space));
    op.full = op.masked = h;
    op.canStop = true;
    if (m.count == 1) {
        op.readyA = readyOfRow(m.address);
        op.readyB = readyOfRow(m.rows[0]);
    } else scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->memory.size());
    m_program->memory.push_back(m);
    emit(op);
}

// ld and st of 128-bit registers: pairs of 64-bit elements.
void Decoder::accessDouble(const Instruction &instruction, MemoryOperand m, bool store) {
    const Operand &registers = instruction.operands.at(store ? 1 : 0);
    const std::size_t count = vectorSize(instruction);
    if (count > 2) throw Unsupported{"more than 32 bytes a thread"};
    m.elementBytes = 8;
    m.count = static_cast<std::uint8_t>(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto rows = halvesOf(registers.kind == Operand::Kind::Vector ? registers.elements.at(i) : registers);
        for (std::size_t half = 0; half < 2; ++half) {
            m.rows[2 * i + half] = rows[half];
            m.wide[2 * i + half] = true;
        }
    }
    MicroOp op = make(instruction, store ? storeClass(m.space) : loadClass(m.space, m.constantCache));
    op.full = op.masked = m_isa.memory(store ? "st" : "ld", m.space, Type::B64);
    if (op.full == nullptr) throw Unsupported{};
    op.canStop = true;
    scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->memory.size());
    m_program->memory.push_back(m);
    emit(op);
}

void Decoder::atomic(const Instruction &instruction) {
    if (instruction.has("async")) return storeAsync(instruction);
    static const std::map<std::string_view, AtomicOperation> names{
        {"add", AtomicOperation::Add}, {"min", AtomicOperation::Min}, {"max", AtomicOperation::Max}, {"and", AtomicOperation::And},
        {"or", AtomicOperation::Or}, {"xor", AtomicOperation::Xor}, {"exch", AtomicOperation::Exchange},
        {"cas", AtomicOperation::CompareAndSwap}, {"inc", AtomicOperation::Increment}, {"dec", AtomicOperation::Decrement}};
    std::optional<AtomicOperation> operation;
    for (const auto &modifier : instruction.modifiers)
        if (const auto found = names.find(modifier); found != names.end()) operation = found->second;
    if (!operation || instruction.has("async")) throw Unsupported{};
    const bool result = instruction.opcode == "atom";
    const std::size_t first = result ? 1 : 0;
    const Type type = lastType(instruction);
    MemoryOperand m;
    addressOperand(instruction, instruction.operands.at(first), spaceOf(instruction), m);
    m.elementBytes = static_cast<std::uint8_t>(ptx::typeBytes(type));
    m.count = static_cast<std::uint8_t>(vectorSize(instruction));
    if (m.elementBytes == 0 || m.elementBytes * m.count > 16) throw Unsupported{};
    if (m.count > 4) return atomicOfEight(instruction);
    const bool isDouble = type == Type::B128;
    if (isDouble && *operation != AtomicOperation::Exchange && *operation != AtomicOperation::CompareAndSwap) throw Unsupported{};
    m.atomicOperation = static_cast<std::uint8_t>(*operation);
    m.atomicType = static_cast<std::uint8_t>(type);
    m.hasResult = result;
    const auto element = [](const Operand &operand, std::size_t e) -> const Operand & {
        return operand.kind == Operand::Kind::Vector ? operand.elements.at(e) : operand;
    };
    for (std::size_t e = 0; e < m.count; ++e) {
        if (result) {
            const Operand &to = element(instruction.operands.at(0), e);
            m.sink[e] = to.kind == Operand::Kind::Sink;
            m.wide[e] = m.elementBytes == 8;
            if (!m.sink[e]) m.rows[e] = isDouble ? halvesOf(to)[0] : destination(to, m.wide[e]);
        }
        const Operand &value = element(instruction.operands.at(first + 1), e);
        m.rows[4 + e] = isDouble ? halvesOf(value)[0] : source(instruction, value, type);
    }
    if (*operation == AtomicOperation::CompareAndSwap) m.compare = isDouble ? halvesOf(instruction.operands.at(first + 2))[0] : source(instruction, instruction.operands.at(first + 2), type);
    const Handler h = m_isa.memory("atom", m.space, type);
    if (h == nullptr) throw Unsupported{};
    MicroOp op = make(instruction, m.space == AddressSpaceKind::Shared ? InstructionClass::AtomicShared : InstructionClass::AtomicGlobal);
    op.full = op.masked = h;
    op.canStop = true;
    scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->memory.size());
    m_program->memory.push_back(m);
    emit(op);
}

// Eight halves: two operations on four, each of which the device also orders on its own.
void Decoder::atomicOfEight(const Instruction &instruction) {
    const std::size_t first = instruction.opcode == "atom" ? 1 : 0;
    for (std::size_t part = 0; part < 2; ++part) {
        Instruction four = instruction;
        std::ranges::replace(four.modifiers, std::string("v8"), std::string("v4"));
        four.operands.at(first).offset += static_cast<std::int64_t>(8 * part);
        for (std::size_t i = 0; i <= first + 1 && i < four.operands.size(); ++i) {
            if (i == first) continue;
            auto &elements = four.operands[i].elements;
            if (elements.size() != 8) throw Unsupported{"a different number of operands"};
            elements = std::vector<Operand>(elements.begin() + static_cast<std::ptrdiff_t>(4 * part), elements.begin() + static_cast<std::ptrdiff_t>(4 * part + 4));
        }
        atomic(four);
    }
}

// The host's side of committing and waiting: execution/async_copies.cpp
void commitAsyncGroup(WarpContext &, const MicroOp &);
void waitAsyncGroups(WarpContext &, const MicroOp &);

void Decoder::copyAsync(const Instruction &instruction) {
    if (instruction.has("bulk")) return copyBulk(instruction);
    if (instruction.modifiers.empty() || instruction.modifiers[0] != "async") throw Unsupported{};
    if (instruction.has("mbarrier")) return copyArrive(instruction);
    MicroOp op = make(instruction, InstructionClass::AsyncCopy);
    op.canStop = true;
    if (instruction.has("commit_group")) {
        op.full = op.masked = commitAsyncGroup;
    } else if (instruction.has("wait_group") || instruction.has("wait_all")) {
        op.full = op.masked = waitAsyncGroups;
        op.immediate = instruction.has("wait_all") ? -1 : static_cast<std::int64_t>(instruction.operands.at(0).bits);
    } else {
        MemoryOperand m, from;
        addressOperand(instruction, instruction.operands.at(0), AddressSpaceKind::Shared, m);
        addressOperand(instruction, instruction.operands.at(1), AddressSpaceKind::Global, from);
        m.sourceAddress = from.address;
        m.sourceOffset = from.offset;
        if (!from.address64) throw Unsupported{"a 32-bit global address"};
        const Operand &size = instruction.operands.at(2);
        if (size.kind != Operand::Kind::Integer || (size.bits != 4 && size.bits != 8 && size.bits != 16)) throw Unsupported{"the size of the copy"};
        m.elementBytes = static_cast<std::uint8_t>(size.bits);
        m.count = 1;
        m.bypassL1 = instruction.has("cg");
        const std::size_t sizes = instruction.operands.size() - (instruction.has("L2::cache_hint") ? 1 : 0);
        if (sizes > 3) {
            m.hasSourceBytes = true;
            const Operand &given = instruction.operands[3];
            if (given.kind == Operand::Kind::Register && m_function->registers[given.index].type == Type::Pred) m.sourceBytes = sourceUnlessIgnored(instruction, given, size.bits);
            else m.sourceBytes = source(instruction, given, Type::U32);
        }
        op.full = op.masked = m_isa.memory("cp.async", AddressSpaceKind::Shared, Type::B32);
        scoreboard(op, instruction);
        op.extra = static_cast<std::uint32_t>(m_program->memory.size());
        m_program->memory.push_back(m);
    }
    emit(op);
}

// The ignore-src predicate as a number of bytes to read: none when it holds.
std::uint32_t Decoder::sourceUnlessIgnored(const Instruction &instruction, const Operand &ignore, std::uint64_t bytes) {
    const Handlers h = m_isa.data("selp", Type::B32);
    MicroOp op = make(instruction, InstructionClass::Move);
    op.full = h.full;
    op.masked = h.masked;
    op.a = constant(0, false);
    op.b = constant(bytes, false);
    op.c = predicate(ignore);
    op.immediate = ignore.negated ? 1 : 0;
    op.readyC = readyOfPredicate(op.c);
    op.d = temporary(false);
    op.readyD = readyOfRow(op.d);
    return emit(op).d;
}

void Decoder::prefetch(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::Other);
    const Handlers h = m_isa.data("nothing", Type::B32);
    op.full = h.full;
    op.masked = h.masked;
    scoreboard(op, instruction);
    emit(op);
}

} // namespace kernelskill::simulator
