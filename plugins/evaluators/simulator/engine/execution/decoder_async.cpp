// SPDX-License-Identifier: Apache-2.0
// mbarriers, bulk and tensor copies, warpgroup products, and addresses of a cluster's shared memory.
#include "engine/execution/decoder.h"

#include "engine/execution/atomic_operation.h"
#include "engine/execution/rare/addresses.h"
#include "engine/execution/rare/bulk_copies.h"
#include "engine/execution/rare/lane_operation.h"
#include "engine/execution/rare/matrix.h"
#include "engine/execution/rare/mbarriers.h"
#include "engine/execution/rare/reductions.h"
#include "engine/execution/rare/warpgroup.h"
#include "engine/execution/special_register.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kernelskill::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

namespace {

std::optional<AtomicOperation> reductionOf(const Instruction &instruction) {
    static constexpr std::pair<std::string_view, AtomicOperation> names[] = {
        {"add", AtomicOperation::Add}, {"min", AtomicOperation::Min}, {"max", AtomicOperation::Max}, {"and", AtomicOperation::And},
        {"or", AtomicOperation::Or}, {"xor", AtomicOperation::Xor}, {"inc", AtomicOperation::Increment}, {"dec", AtomicOperation::Decrement}};
    for (const auto &[name, operation] : names)
        if (instruction.has(name)) return operation;
    return std::nullopt;
}

bool startsSpace(const Instruction &instruction, std::string_view space) {
    return std::ranges::any_of(instruction.modifiers, [&](const auto &m) { return std::string_view(m).starts_with(space); });
}

// n and k of m64nNkK; false when no modifier has this form.
bool readShape(const Instruction &instruction, WarpgroupSite &site) {
    for (const auto &text : instruction.modifiers) {
        int m = 0;
        int *const numbers[] = {&m, &site.n, &site.k};
        static constexpr char letters[] = {'m', 'n', 'k'};
        const char *at = text.data(), *const end = at + text.size();
        int read = 0;
        for (; read < 3 && at != end && *at == letters[read]; ++read) {
            const auto [next, error] = std::from_chars(at + 1, end, *numbers[read]);
            if (error != std::errc{}) break;
            at = next;
        }
        if (read == 3) return m == 64;
    }
    return false;
}

BulkKind bulkKind(const Instruction &instruction) {
    const auto position = [&](std::string_view space) {
        return std::ranges::find_if(instruction.modifiers, [&](const auto &m) { return std::string_view(m).starts_with(space); }) - instruction.modifiers.begin();
    };
    if (instruction.has("prefetch")) return BulkKind::Prefetch;
    if (!instruction.has("global")) return BulkKind::SharedToShared;
    return position("global") < position("shared") ? BulkKind::SharedToGlobal : BulkKind::GlobalToShared;
}

} // namespace

// A row that tells whether it is wide, of a register or a number.
Decoder::WideRow Decoder::wideRow(const Instruction &instruction, const Operand &operand, Type type) {
    const std::uint32_t row = source(instruction, operand, type);
    return {row, operand.kind == Operand::Kind::Register ? isWide(operand) : ptx::typeBytes(type) == 8};
}

void Decoder::barrierObject(const Instruction &instruction) { // mbarrier.*
    if (instruction.has("pending_count"))
        return emitLanes(instruction, pendingCountLanes, InstructionClass::Integer, Type::U32, {Type::B64});
    BarrierMode mode;
    if (instruction.has("init")) mode.action = BarrierAction::Initialise;
    else if (instruction.has("inval")) mode.action = BarrierAction::Invalidate;
    else if (instruction.has("test_wait") || instruction.has("try_wait")) mode.action = BarrierAction::Wait;
    else if (instruction.has("arrive_drop")) mode.action = BarrierAction::Drop;
    else if (instruction.has("arrive")) mode.action = BarrierAction::Arrive;
    else if (instruction.has("expect_tx")) mode.action = BarrierAction::Expect;
    else if (instruction.has("complete_tx")) mode.action = BarrierAction::Complete;
    else throw Unsupported{};
    const bool arrives = mode.action == BarrierAction::Arrive || mode.action == BarrierAction::Drop, waits = mode.action == BarrierAction::Wait;
    mode.expects = arrives && instruction.has("expect_tx");
    mode.parity = instruction.has("parity");
    const bool shared = startsSpace(instruction, "shared");
    std::size_t at = 0;
    MicroOp op = make(instruction, InstructionClass::Barrier);
    op.full = op.masked = barrierObjectHandler;
    op.canStop = true;
    if (arrives && instruction.operands.at(0).kind != Operand::Kind::Address) {
        const Operand &token = instruction.operands[at++];
        mode.hasResult = token.kind != Operand::Kind::Sink;
        if (mode.hasResult) op.d = destination(token, true);
    } else if (waits) op.d = predicateDestination(instruction.operands.at(at++));
    MemoryOperand m;
    addressOperand(instruction, instruction.operands.at(at++), shared ? AddressSpaceKind::Shared : AddressSpaceKind::Generic, m);
    if (at < instruction.operands.size()) { // a time hint after it has no effect
        mode.hasCount = true;
        const WideRow value = wideRow(instruction, instruction.operands[at], waits && !mode.parity ? Type::B64 : Type::B32);
        m.rows[0] = value.row;
        m.wide[0] = value.wide;
    }
    const bool needs = mode.action == BarrierAction::Initialise || waits || mode.expects || mode.action == BarrierAction::Expect || mode.action == BarrierAction::Complete;
    if (needs && !mode.hasCount) throw Unsupported{"a different number of operands"};
    op.immediate = mode.bits();
    scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->memory.size());
    m_program->memory.push_back(m);
    emit(op);
}

void Decoder::copyArrive(const Instruction &instruction) { // cp.async.mbarrier.arrive
    BarrierMode mode;
    mode.action = BarrierAction::CopyArrive;
    mode.increment = !instruction.has("noinc");
    MicroOp op = make(instruction, InstructionClass::Barrier);
    op.full = op.masked = barrierObjectHandler;
    op.canStop = true;
    MemoryOperand m;
    addressOperand(instruction, instruction.operands.at(0), startsSpace(instruction, "shared") ? AddressSpaceKind::Shared : AddressSpaceKind::Generic, m);
    op.immediate = mode.bits();
    scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->memory.size());
    m_program->memory.push_back(m);
    emit(op);
}

// cp.async.bulk and cp.reduce.async.bulk, with .tensor too.
void Decoder::copyBulk(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::AsyncCopy);
    op.canStop = true;
    if (instruction.has("commit_group") || instruction.has("wait_group")) {
        op.full = op.masked = instruction.has("commit_group") ? commitBulkGroup : waitBulkGroups;
        if (instruction.has("wait_group")) op.immediate = static_cast<std::int64_t>(instruction.operands.at(0).bits);
        emit(op);
        return;
    }
    BulkSite site;
    const bool tensor = instruction.has("tensor"), prefetch = instruction.has("prefetch");
    const bool barriers = instruction.has("mbarrier::complete_tx::bytes");
    site.kind = bulkKind(instruction);
    if (!prefetch && barriers != (site.kind != BulkKind::SharedToGlobal)) throw Unsupported{"how the copy tells that it is done"};
    if (instruction.has("im2col") || instruction.has("im2col_no_offs") || instruction.has("tile::gather4") || instruction.has("tile::scatter4") || instruction.has("cp_mask")) throw Unsupported{"this mode of a bulk copy"};
    if (instruction.opcode == "cp" && instruction.has("reduce")) {
        const auto operation = reductionOf(instruction);
        if (!operation) throw Unsupported{};
        site.reduction = static_cast<std::uint8_t>(*operation);
        if (!tensor) site.type = typesNamed(instruction).back();
        if (!tensor && !canReduce(*operation, site.type)) throw Unsupported{"the type"};
    }
    std::size_t at = 0;
    const auto address = [&](const Operand &operand, std::uint32_t &row, bool &wide, std::int32_t &offset) {
        if (operand.kind != Operand::Kind::Address || operand.elements.empty()) throw Unsupported{"an address of this kind"};
        Operand plain = operand;
        plain.elements.resize(1);
        MemoryOperand m;
        addressOperand(instruction, plain, AddressSpaceKind::Generic, m);
        row = m.address;
        wide = m.address64;
        offset = static_cast<std::int32_t>(m.offset);
        if (tensor && operand.elements.size() == 2 && operand.elements[1].kind == Operand::Kind::Vector)
            for (const auto &coordinate : operand.elements[1].elements) site.coordinates.push_back(source(instruction, coordinate, Type::S32));
    };
    if (!prefetch) address(instruction.operands.at(at++), site.destination, site.wideDestination, site.destinationOffset);
    address(instruction.operands.at(at++), site.source, site.wideSource, site.sourceOffset);
    if (tensor && (site.coordinates.empty() || site.coordinates.size() > 5)) throw Unsupported{"the coordinates"};
    const std::uint32_t zero = constant(0, false);
    site.size = site.barrier = site.mask = zero;
    if (!tensor) {
        const WideRow size = wideRow(instruction, instruction.operands.at(at++), Type::U32);
        site.size = size.row;
        site.wideSize = size.wide;
    }
    if (barriers) address(instruction.operands.at(at++), site.barrier, site.wideBarrier, site.barrierOffset);
    if (instruction.has("multicast::cluster")) {
        const WideRow mask = wideRow(instruction, instruction.operands.at(at++), Type::U16);
        site.mask = mask.row;
        site.wideMask = mask.wide;
        site.multicast = true;
    }
    if (site.kind == BulkKind::SharedToGlobal) op = make(instruction, InstructionClass::StoreGlobal);
    op.canStop = true;
    op.full = op.masked = tensor ? tensorCopyHandler : bulkCopyHandler;
    scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->entries.size());
    const auto entries = site.entries();
    m_program->entries.insert(m_program->entries.end(), entries.begin(), entries.end());
    emit(op);
}

void Decoder::storeAsync(const Instruction &instruction) { // st.async, red.async
    if (!instruction.has("mbarrier::complete_tx::bytes")) throw Unsupported{};
    const Type type = typesNamed(instruction).back();
    MemoryOperand m, barrier;
    addressOperand(instruction, instruction.operands.at(0), AddressSpaceKind::Generic, m);
    addressOperand(instruction, instruction.operands.at(2), AddressSpaceKind::Generic, barrier);
    m.sourceAddress = barrier.address;
    m.sourceOffset = barrier.offset;
    m.elementBytes = static_cast<std::uint8_t>(ptx::typeBytes(type));
    m.count = static_cast<std::uint8_t>(instruction.has("v4") ? 4 : instruction.has("v2") ? 2 : 1);
    if (m.elementBytes != 4 && m.elementBytes != 8) throw Unsupported{"the type"};
    m.atomicOperation = noReduction;
    if (instruction.opcode == "red") {
        const auto operation = reductionOf(instruction);
        if (!operation || !canReduce(*operation, type)) throw Unsupported{};
        m.atomicOperation = static_cast<std::uint8_t>(*operation);
        m.atomicType = static_cast<std::uint8_t>(type);
    }
    const Operand &values = instruction.operands.at(1);
    for (std::size_t e = 0; e < m.count; ++e) {
        const WideRow value = wideRow(instruction, values.kind == Operand::Kind::Vector ? values.elements.at(e) : values, type);
        m.rows[e] = value.row;
        m.wide[e] = value.wide;
    }
    MicroOp op = make(instruction, InstructionClass::StoreShared);
    op.full = op.masked = storeAsyncHandler;
    op.canStop = true;
    op.d = barrier.address64 ? 1 : 0;
    scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->memory.size());
    m_program->memory.push_back(m);
    emit(op);
}

void Decoder::warpgroup(const Instruction &instruction) { // wgmma.*
    if (!instruction.has("mma_async")) {
        if (instruction.has("fence") || instruction.has("commit_group") || instruction.has("wait_group")) return nothing(instruction);
        throw Unsupported{};
    }
    const std::vector<Type> types = typesNamed(instruction);
    WarpgroupSite site;
    if (types.size() != 3 || instruction.has("sp") || !readShape(instruction, site) || site.n < 8 || site.n > 256 || site.n % 8 != 0) throw Unsupported{"the shape"};
    site.d = types[0];
    site.a = types[1];
    site.b = types[2];
    const int e = elementsPerRegister(site.a);
    const bool integers = e == 4 && (site.a == Type::S8 || site.a == Type::U8), bits = site.a == Type::B1, halves = site.a == Type::F16 || site.a == Type::Bf16;
    const bool f8 = site.a == Type::F8E4m3 || site.a == Type::F8E5m2;
    const bool bFits = integers ? site.b == Type::S8 || site.b == Type::U8 : f8 ? site.b == Type::F8E4m3 || site.b == Type::F8E5m2 : site.a == site.b;
    const bool dFits = integers || bits ? site.d == Type::S32 : site.d == Type::F32 || (site.d == Type::F16 && (site.a == Type::F16 || f8));
    if (site.k != 8 * e || !bFits || !dFits || !(integers || bits || halves || f8 || site.a == Type::Tf32)) throw Unsupported{"the types"};
    site.saturate = instruction.has("satfinite");
    site.conjunction = true;
    const Operand &d = instruction.operands.at(0), &a = instruction.operands.at(1);
    site.descriptorA = a.kind != Operand::Kind::Vector;
    if (d.elements.size() != site.accumulators() || (!site.descriptorA && a.elements.size() != 4)) throw Unsupported{"the number of registers"};
    std::vector<std::uint32_t> rows;
    for (const auto &element : d.elements) rows.push_back(destination(element, false));
    if (site.descriptorA) rows.push_back(source(instruction, a, Type::B64));
    else
        for (const auto &element : a.elements) rows.push_back(source(instruction, element, Type::B32));
    rows.push_back(source(instruction, instruction.operands.at(2), Type::B64));
    MicroOp op = make(instruction, InstructionClass::Tensor);
    op.full = op.masked = multiplyWarpgroup;
    op.canStop = true;
    // scale-d, then the signs of A and B, then which of them are transposed
    const auto number = [&](std::size_t i) { return instruction.operands.size() > i ? static_cast<std::int64_t>(instruction.operands[i].bits) : 0; };
    bool negated = false;
    if (instruction.operands.size() > 3) {
        const Operand &scale = instruction.operands[3];
        negated = scale.negated || (scale.kind == Operand::Kind::Integer && scale.bits == 0);
        op.c = scale.kind == Operand::Kind::Integer ? truePredicate : predicate(scale);
    }
    site.negateA = number(4) < 0;
    site.negateB = number(5) < 0;
    if (halves && site.descriptorA) site.transposedA = number(6) == 1;
    if (halves) site.transposedB = number(site.descriptorA ? 7 : 6) == 1;
    scoreboard(op, instruction);
    op.readyC = readyOfPredicate(op.c);
    op.extra = static_cast<std::uint32_t>(m_program->entries.size());
    const auto header = site.entries();
    m_program->entries.insert(m_program->entries.end(), header.begin(), header.end());
    m_program->entries.insert(m_program->entries.end(), rows.begin(), rows.end());
    op.immediate = (2ll * 16 * site.n * site.k) << 32 | (negated ? 1 : 0);
    op.control = Control::Join;
    op.target = constant(fullMask, false);
    emit(op);
}

void Decoder::clusterAddress(const Instruction &instruction) { // mapa, getctarank
    const bool maps = instruction.opcode == "mapa";
    const Type type = typesNamed(instruction).back();
    std::vector<Type> types{maps && ptx::typeBytes(type) == 8 ? Type::U64 : startsSpace(instruction, "shared") ? Type::U32 : Type::U64};
    if (maps) types.push_back(Type::U32);
    emitLanes(instruction, maps ? mapToRankLanes : rankOfAddressLanes, InstructionClass::Integer, type, types);
    m_program->code.back().canStop = true;
}

void Decoder::stackMemory(const Instruction &instruction) { // alloca, stacksave, stackrestore
    const bool takes = instruction.opcode == "alloca", restores = instruction.opcode == "stackrestore";
    const Type type = typesNamed(instruction).back();
    MicroOp op = make(instruction, InstructionClass::Integer);
    op.full = op.masked = takes ? allocateOnStack : restores ? restoreStack : saveStack;
    op.canStop = true;
    op.b = constant(takes && instruction.operands.size() > 2 ? instruction.operands[2].bits : 8, false);
    if (restores || takes) {
        const WideRow value = wideRow(instruction, instruction.operands.at(takes ? 1 : 0), type);
        op.a = value.row;
        op.immediate |= value.wide ? 2 : 0;
    }
    if (!restores) {
        const Operand &to = instruction.operands.at(0);
        op.d = destination(to, isWide(to));
        op.immediate |= isWide(to) ? 1 : 0;
        op.readyD = readyOfRow(op.d);
    }
    scoreboard(op, instruction);
    m_program->usesAlloca = true;
    emit(op);
}

void Decoder::createPolicy(const Instruction &instruction) { // a hint for caches: any number will do
    Instruction plain = instruction;
    plain.operands.resize(1);
    Operand zero;
    plain.operands.push_back(zero);
    ArithmeticKey key;
    key.operation = Operation::Mov;
    key.type = Type::B64;
    arithmetic(plain, key, 1, {Type::B64}, true);
}

void Decoder::specialToPredicate(const Instruction &instruction) { // mov.pred %p, %is_explicit_cluster
    const auto which = specialRegister(instruction.operands.at(1).symbol);
    if (!which) throw Unsupported{"special register " + instruction.operands[1].symbol};
    MicroOp op = make(instruction, InstructionClass::Compare);
    op.full = op.masked = specialPredicate;
    op.d = predicateDestination(instruction.operands.at(0));
    op.readyD = readyOfPredicate(op.d);
    op.immediate = static_cast<std::int64_t>(*which);
    op.canStop = true;
    emit(op);
}

// A register of 128 bits is two wide rows side by side.
std::array<std::uint32_t, 2> Decoder::halvesOf(const Operand &operand) const {
    if (operand.kind != Operand::Kind::Register || ptx::typeBytes(m_function->registers[operand.index].type) != 16) throw Unsupported{"a register of 128 bits is expected"};
    const std::uint32_t row = m_firstRow + m_liveness.row[operand.index] * 128;
    return {row, row + 256};
}

void Decoder::moveDouble(const Instruction &instruction) { // mov.b128
    const Operand &to = instruction.operands.at(0), &from = instruction.operands.at(1);
    std::array<std::uint32_t, 2> rows[2];
    for (std::size_t i = 0; i < 2; ++i) {
        const Operand &operand = i == 0 ? to : from;
        if (operand.kind != Operand::Kind::Vector) rows[i] = halvesOf(operand);
        else {
            if (operand.elements.size() != 2) throw Unsupported{};
            for (std::size_t e = 0; e < 2; ++e) rows[i][e] = i == 0 ? destination(operand.elements[e], true) : source(instruction, operand.elements[e], Type::B64);
        }
    }
    if (rows[0][0] == rows[1][1]) throw Unsupported{"halves that change places"};
    ArithmeticKey key;
    key.operation = Operation::Mov;
    key.type = Type::B64;
    const Handlers h = m_isa.integer(key);
    for (std::size_t e = 0; e < 2; ++e) {
        MicroOp op = make(instruction, InstructionClass::Move);
        op.full = h.full;
        op.masked = h.masked;
        op.a = rows[1][e];
        op.readyA = readyOfRow(op.a);
        op.d = rows[0][e];
        op.readyD = readyOfRow(op.d);
        emit(op);
    }
}

} // namespace kernelskill::simulator
