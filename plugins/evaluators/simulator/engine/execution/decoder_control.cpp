// SPDX-License-Identifier: Apache-2.0
// Branches, calls, barriers, and instructions of the whole warp.
#include "engine/execution/decoder.h"

#include "engine/execution/builtins.h"
#include "engine/execution/rare/matrix.h"

namespace kernelskill::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

void fenceHandler(WarpContext &, const MicroOp &);     // execution/rare_events.cpp
void clusterArriveHandler(WarpContext &, const MicroOp &);
void nanosleepHandler(WarpContext &, const MicroOp &); // the same

namespace {
constexpr std::uint64_t clusterBarrierNumber = 63; // launcher.h

Type lastType(const Instruction &instruction) {
    for (auto m = instruction.modifiers.rbegin(); m != instruction.modifiers.rend(); ++m)
        if (const auto type = ptx::typeFromName(*m)) return *type;
    return Type::B32;
}
} // namespace

void Decoder::branch(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::Branch);
    op.control = Control::Branch;
    if (instruction.operands.at(0).kind != Operand::Kind::Label) throw Unsupported{"the target is no label"};
    op.target = instruction.operands[0].index; // an instruction's index: becomes a pc when the function is complete
    emit(op);
}

void Decoder::branchIndexed(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::Branch);
    op.control = Control::BranchIndexed;
    op.a = source(instruction, instruction.operands.at(0), Type::U32);
    op.readyA = readyOfRow(op.a);
    op.extra = instruction.operands.at(1).index;
    emit(op);
}

std::vector<ParameterSlot> Decoder::parameterSlots(const Operand &list) const {
    std::vector<ParameterSlot> slots;
    const auto add = [&](const Operand &operand) {
        if (operand.kind != Operand::Kind::Variable) throw Unsupported{"a call with operands that are no .param variables"};
        const auto &variable = m_function->variables[operand.index];
        slots.push_back({m_variableOffset[operand.index], static_cast<std::uint32_t>(variable.bytes)});
    };
    if (list.kind == Operand::Kind::List)
        for (const auto &operand : list.elements) add(operand);
    else add(list);
    return slots;
}

void Decoder::call(const Instruction &instruction) {
    CallSite site;
    site.caller = m_decoded;
    std::size_t at = 0;
    if (instruction.operands.at(0).kind == Operand::Kind::List) site.results = parameterSlots(instruction.operands[at++]);
    const Operand &target = instruction.operands.at(at++);
    if (at < instruction.operands.size() && instruction.operands[at].kind == Operand::Kind::List) site.arguments = parameterSlots(instruction.operands[at]);
    MicroOp op = make(instruction, InstructionClass::Branch);
    op.control = Control::Call;
    if (target.kind == Operand::Kind::Register) {
        site.indirect = true;
        site.pointer = source(instruction, target, Type::B64);
        op.readyA = readyOfRow(site.pointer);
    } else {
        const auto found = m_functionByName.find(target.symbol);
        if (found != m_functionByName.end() && m_decodedIndex.contains(found->second)) {
            site.function = m_decodedIndex.at(found->second);
        } else {
            const Handler builtin = builtinHandler(target.symbol);
            if (builtin == nullptr) throw Unsupported{"the function " + target.symbol + " has no body"};
            site.builtin = target.symbol;
            op.control = Control::Plain;
            op.full = op.masked = builtin;
            op.canStop = true;
            op.result = latency(InstructionClass::Special) << reasonBits | static_cast<std::uint32_t>(StallReason::ShortScoreboard);
        }
    }
    op.extra = static_cast<std::uint32_t>(m_program->calls.size());
    m_program->calls.push_back(std::move(site));
    emit(op);
}

void Decoder::leave(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::Branch);
    op.control = instruction.opcode == "ret" && !m_function->isKernel ? Control::Return : Control::Exit;
    emit(op);
}

void Decoder::barrier(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::Barrier);
    if (instruction.has("warp")) { // bar.warp.sync mask
        const Handlers h = m_isa.data("nothing", Type::B32);
        op.full = h.full;
        op.masked = h.masked;
        op.control = Control::Join;
        op.target = source(instruction, instruction.operands.at(0), Type::B32);
        op.readyC = readyOfRow(op.target);
        emit(op);
        return;
    }
    if (instruction.has("cluster")) {
        if (instruction.has("arrive")) {
            op.full = op.masked = clusterArriveHandler;
            op.canStop = true;
            emit(op);
            return;
        }
        BarrierSite site;
        site.kind = BarrierSite::Kind::ClusterWait;
        site.id = constant(clusterBarrierNumber, false);
        op.control = Control::Barrier;
        op.extra = static_cast<std::uint32_t>(m_program->barriers.size());
        m_program->barriers.push_back(site);
        emit(op);
        return;
    }
    BarrierSite site;
    std::size_t at = 0;
    if (instruction.has("red")) {
        const Operand &result = instruction.operands.at(at++);
        if (instruction.has("popc")) {
            site.kind = BarrierSite::Kind::ReduceCount;
            site.result = destination(result, false);
        } else {
            site.kind = instruction.has("and") ? BarrierSite::Kind::ReduceAnd : BarrierSite::Kind::ReduceOr;
            site.result = predicateDestination(result);
        }
        const Operand &value = instruction.operands.back();
        site.predicate = predicate(value);
        site.predicateNegated = value.negated;
    } else if (instruction.has("arrive")) site.kind = BarrierSite::Kind::Arrive;
    site.id = source(instruction, instruction.operands.at(at), Type::B32);
    const std::size_t values = instruction.operands.size() - (instruction.has("red") ? 1 : 0);
    if (values > at + 1) {
        site.counted = true;
        site.count = source(instruction, instruction.operands[at + 1], Type::B32);
    }
    op.control = Control::Barrier;
    scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->barriers.size());
    m_program->barriers.push_back(site);
    emit(op);
}

void Decoder::fence(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::Fence);
    op.full = op.masked = fenceHandler;
    op.immediate = instruction.has("cta") || instruction.has("proxy") ? 0 : 1;
    op.canStop = true;
    emit(op);
}

void Decoder::trap(const Instruction &instruction) {
    if (instruction.opcode == "brkpt") return nothing(instruction);
    MicroOp op = make(instruction, InstructionClass::Other);
    op.control = Control::Trap;
    emit(op);
}

void Decoder::nothing(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::Other);
    const Handlers h = m_isa.data("nothing", Type::B32);
    op.full = h.full;
    op.masked = h.masked;
    emit(op);
}

void Decoder::sleep(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::Other);
    op.full = op.masked = nanosleepHandler;
    op.canStop = true;
    emit(op);
}

void Decoder::shuffle(const Instruction &instruction) {
    std::string name = "shfl";
    for (const auto *mode : {"up", "down", "bfly", "idx"})
        if (instruction.has(mode)) name += std::string(".") + mode;
    MicroOp op = make(instruction, InstructionClass::Shuffle);
    op.full = op.masked = m_isa.warpWide(name.c_str(), Type::B32);
    if (op.full == nullptr) throw Unsupported{};
    const Operand &result = instruction.operands.at(0);
    op.d = destination(result, false);
    op.extra = result.paired.empty() ? sinkPredicate : predicateDestination(result.paired[0]);
    op.a = source(instruction, instruction.operands.at(1), Type::B32);
    op.b = source(instruction, instruction.operands.at(2), Type::B32);
    op.c = source(instruction, instruction.operands.at(3), Type::B32);
    scoreboard(op, instruction);
    if (!instruction.has("sync")) { emit(op); return; }
    op.control = Control::Join;
    op.target = source(instruction, instruction.operands.at(4), Type::B32);
    emit(op);
}

void Decoder::vote(const Instruction &instruction) {
    std::string name = "vote";
    for (const auto *mode : {"all", "any", "uni", "ballot"})
        if (instruction.has(mode)) name += std::string(".") + mode;
    MicroOp op = make(instruction, InstructionClass::Vote);
    op.full = op.masked = m_isa.warpWide(name.c_str(), Type::B32);
    if (op.full == nullptr) throw Unsupported{};
    op.a = predicate(instruction.operands.at(1));
    op.immediate = instruction.operands[1].negated ? 1 : 0;
    op.c = instruction.operands.size() > 2 ? source(instruction, instruction.operands[2], Type::B32) : constant(fullMask, false);
    op.target = op.c;
    op.d = instruction.has("ballot") ? destination(instruction.operands.at(0), false) : predicateDestination(instruction.operands.at(0));
    scoreboard(op, instruction);
    if (instruction.has("sync")) op.control = Control::Join;
    emit(op);
}

void Decoder::match(const Instruction &instruction) {
    const Type type = lastType(instruction);
    MicroOp op = make(instruction, InstructionClass::Vote);
    op.full = op.masked = m_isa.warpWide(instruction.has("all") ? "match.all" : "match.any", type);
    const Operand &result = instruction.operands.at(0);
    op.d = destination(result, false);
    op.extra = result.paired.empty() ? sinkPredicate : predicateDestination(result.paired[0]);
    op.a = source(instruction, instruction.operands.at(1), type);
    op.c = source(instruction, instruction.operands.at(2), Type::B32);
    op.target = op.c;
    scoreboard(op, instruction);
    op.control = Control::Join;
    emit(op);
}

void Decoder::reduce(const Instruction &instruction) {
    std::string name = "redux";
    for (const auto *mode : {"add", "min", "max", "and", "or", "xor"})
        if (instruction.has(mode)) name += std::string(".") + mode;
    const Type type = lastType(instruction);
    MicroOp op = make(instruction, InstructionClass::Vote);
    if (type == Type::F32 && (instruction.has("min") || instruction.has("max"))) {
        op.full = op.masked = reduceFloats;
        op.immediate = (instruction.has("max") ? 1 : 0) | (instruction.has("abs") ? 2 : 0) | (instruction.has("NaN") ? 4 : 0);
    } else if (!isFloat(type)) op.full = op.masked = m_isa.warpWide(name.c_str(), type);
    if (op.full == nullptr) throw Unsupported{};
    op.d = destination(instruction.operands.at(0), false);
    op.a = source(instruction, instruction.operands.at(1), Type::B32);
    op.c = source(instruction, instruction.operands.at(2), Type::B32);
    op.target = op.c;
    scoreboard(op, instruction);
    op.control = Control::Join;
    emit(op);
}

void Decoder::activeMask(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::Vote);
    op.full = op.masked = m_isa.warpWide("activemask", Type::B32);
    op.d = destination(instruction.operands.at(0), false);
    op.readyD = readyOfRow(op.d);
    emit(op);
}

void Decoder::elect(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::Vote);
    op.full = op.masked = m_isa.warpWide("elect", Type::B32);
    const Operand &result = instruction.operands.at(0);
    op.d = destination(result, false);
    op.extra = result.paired.empty() ? sinkPredicate : predicateDestination(result.paired[0]);
    op.c = source(instruction, instruction.operands.at(1), Type::B32);
    op.target = op.c;
    scoreboard(op, instruction);
    op.control = Control::Join;
    emit(op);
}

} // namespace kernelskill::simulator
