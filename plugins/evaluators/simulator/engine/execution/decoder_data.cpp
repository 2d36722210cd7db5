// SPDX-License-Identifier: Apache-2.0
// Comparisons, choices, moves and address conversions.
#include "engine/execution/decoder.h"

#include "engine/execution/rare/addresses.h"
#include "engine/execution/special_register.h"
#include "engine/memory/allocation.h"

#include <optional>

namespace kernelskill::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

namespace {

std::optional<Comparison> comparisonOf(const Instruction &instruction) {
    static const std::map<std::string_view, Comparison> names{
        {"eq", Comparison::Eq}, {"ne", Comparison::Ne}, {"lt", Comparison::Lt}, {"le", Comparison::Le}, {"gt", Comparison::Gt},
        {"ge", Comparison::Ge}, {"lo", Comparison::Lt}, {"ls", Comparison::Le}, {"hi", Comparison::Gt}, {"hs", Comparison::Ge},
        {"equ", Comparison::Equ}, {"neu", Comparison::Neu}, {"ltu", Comparison::Ltu}, {"leu", Comparison::Leu},
        {"gtu", Comparison::Gtu}, {"geu", Comparison::Geu}, {"num", Comparison::Num}, {"nan", Comparison::Nan}};
    if (instruction.modifiers.empty()) return std::nullopt;
    const auto found = names.find(instruction.modifiers.front());
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

Type lastType(const Instruction &instruction) {
    for (auto m = instruction.modifiers.rbegin(); m != instruction.modifiers.rend(); ++m)
        if (const auto type = ptx::typeFromName(*m)) return *type;
    throw Unsupported{"no type"};
}

int combinationOf(const Instruction &instruction) {
    return instruction.has("and") ? 1 : instruction.has("or") ? 2 : instruction.has("xor") ? 3 : 0;
}

} // namespace

void Decoder::compare(const Instruction &instruction) {
    const auto comparison = comparisonOf(instruction);
    const Type type = lastType(instruction);
    if (comparison && (type == Type::F16x2 || type == Type::Bf16x2)) {
        const Operand &to = instruction.operands.at(0);
        (void)comparePair(instruction, type, *comparison, instruction.has("ftz"), predicateDestination(to), to.paired.empty() ? sinkPredicate : predicateDestination(to.paired[0]));
        return;
    }
    const Handler h = comparison ? m_isa.compare(type, *comparison, instruction.has("ftz")) : nullptr;
    if (h == nullptr) throw Unsupported{};
    MicroOp op = make(instruction, InstructionClass::Compare);
    op.full = op.masked = h;
    op.a = source(instruction, instruction.operands.at(1), type);
    op.b = source(instruction, instruction.operands.at(2), type);
    op.readyA = readyOfRow(op.a);
    op.readyB = readyOfRow(op.b);
    const Operand &result = instruction.operands.at(0);
    op.d = predicateDestination(result);
    op.extra = result.paired.empty() ? sinkPredicate : predicateDestination(result.paired[0]);
    op.readyD = readyOfPredicate(op.d);
    op.result = predicateResult();
    op.immediate = combinationOf(instruction);
    if (op.immediate != 0) {
        op.c = predicate(instruction.operands.at(3));
        op.readyC = readyOfPredicate(op.c);
        op.immediate |= instruction.operands[3].negated ? 4 : 0;
    }
    emit(op);
}

void Decoder::testProperty(const Instruction &instruction) {
    static const std::map<std::string_view, Comparison> names{
        {"finite", Comparison::Finite}, {"infinite", Comparison::Infinite}, {"number", Comparison::Number},
        {"notanumber", Comparison::NotANumber}, {"normal", Comparison::Normal}, {"subnormal", Comparison::Subnormal}};
    const Type type = lastType(instruction);
    const auto found = names.find(instruction.modifiers.front());
    const Handler h = found == names.end() ? nullptr : m_isa.compare(type, found->second, false);
    if (h == nullptr) throw Unsupported{};
    MicroOp op = make(instruction, InstructionClass::Compare);
    op.full = op.masked = h;
    op.a = op.b = source(instruction, instruction.operands.at(1), type);
    op.readyA = readyOfRow(op.a);
    op.d = predicateDestination(instruction.operands.at(0));
    op.extra = sinkPredicate;
    op.readyD = readyOfPredicate(op.d);
    emit(op);
}

void Decoder::setValue(const Instruction &instruction) { // set: a comparison into a register of ones or 1.0
    const auto comparison = comparisonOf(instruction);
    std::vector<Type> types;
    for (const auto &m : instruction.modifiers)
        if (const auto type = ptx::typeFromName(m)) types.push_back(*type);
    if (comparison && types.size() == 2 && (ptx::typeBytes(types[0]) == 2 || ptx::typeBytes(types[1]) == 2 || types[1] == Type::F16x2 || types[1] == Type::Bf16x2))
        return setHalves(instruction, types[0], types[1], *comparison);
    const Handler h = comparison && types.size() == 2 ? m_isa.compare(types[1], *comparison, instruction.has("ftz")) : nullptr;
    if (h == nullptr || ptx::typeBytes(types[0]) != 4) throw Unsupported{};
    MicroOp first = make(instruction, InstructionClass::Compare);
    first.full = first.masked = h;
    first.a = source(instruction, instruction.operands.at(1), types[1]);
    first.b = source(instruction, instruction.operands.at(2), types[1]);
    first.readyA = readyOfRow(first.a);
    first.readyB = readyOfRow(first.b);
    first.d = m_program->predicateCount++;
    first.extra = sinkPredicate;
    first.readyD = readyOfPredicate(first.d);
    first.immediate = combinationOf(instruction);
    if (first.immediate != 0) {
        first.c = predicate(instruction.operands.at(3));
        first.readyC = readyOfPredicate(first.c);
        first.immediate |= instruction.operands[3].negated ? 4 : 0;
    }
    emit(first);
    MicroOp second = make(instruction, InstructionClass::Compare);
    const Handlers set = m_isa.data("set", Type::B32);
    second.full = set.full;
    second.masked = set.masked;
    second.c = first.d;
    second.readyC = first.readyD;
    second.d = destination(instruction.operands.at(0), false);
    second.readyD = readyOfRow(second.d);
    second.immediate = types[0] == Type::F32 ? 0x3f80'0000 : 0xffff'ffff;
    emit(second);
}

void Decoder::choose(const Instruction &instruction) { // selp
    const Type type = lastType(instruction);
    const Handlers h = m_isa.data("selp", type);
    MicroOp op = make(instruction, InstructionClass::Compare);
    op.full = h.full;
    op.masked = h.masked;
    op.a = source(instruction, instruction.operands.at(1), type);
    op.b = source(instruction, instruction.operands.at(2), type);
    op.c = predicate(instruction.operands.at(3));
    op.immediate = instruction.operands[3].negated ? 1 : 0;
    op.readyA = readyOfRow(op.a);
    op.readyB = readyOfRow(op.b);
    op.readyC = readyOfPredicate(op.c);
    op.d = destination(instruction.operands.at(0), ptx::typeBytes(type) == 8);
    op.readyD = readyOfRow(op.d);
    emit(op);
}

void Decoder::chooseBySign(const Instruction &instruction) { // slct.type.ctype
    const Type sign = lastType(instruction);
    Type type = Type::None;
    for (const auto &m : instruction.modifiers)
        if (const auto t = ptx::typeFromName(m); t && type == Type::None) type = *t;
    const Handlers h = m_isa.data("slct", type);
    MicroOp op = make(instruction, InstructionClass::Compare);
    op.full = h.full;
    op.masked = h.masked;
    op.a = source(instruction, instruction.operands.at(1), type);
    op.b = source(instruction, instruction.operands.at(2), type);
    op.c = source(instruction, instruction.operands.at(3), sign);
    op.readyA = readyOfRow(op.a);
    op.readyB = readyOfRow(op.b);
    op.readyC = readyOfRow(op.c);
    op.immediate = sign == Type::F32 ? 1 : 0;
    op.d = destination(instruction.operands.at(0), ptx::typeBytes(type) == 8);
    op.readyD = readyOfRow(op.d);
    emit(op);
}

void Decoder::move(const Instruction &instruction) {
    const Type type = lastType(instruction);
    const Operand &to = instruction.operands.at(0), &from = instruction.operands.at(1);
    if (type == Type::Pred && from.kind == Operand::Kind::Special) return specialToPredicate(instruction);
    if (type == Type::B128) return moveDouble(instruction);
    if (type == Type::Pred) {
        MicroOp op = make(instruction, InstructionClass::Compare);
        const Handlers h = m_isa.data("mov.pred", Type::B32);
        op.full = h.full;
        op.masked = h.masked;
        const bool literal = from.kind == Operand::Kind::Integer;
        op.a = op.b = literal ? truePredicate : predicate(from);
        op.readyA = readyOfPredicate(op.a);
        op.immediate = (literal ? from.bits == 0 : from.negated) ? 1 : 0;
        op.d = predicateDestination(to);
        op.readyD = readyOfPredicate(op.d);
        emit(op);
        return;
    }
    if (to.kind == Operand::Kind::Vector || from.kind == Operand::Kind::Vector) return moveVector(instruction, type);
    const bool wide = ptx::typeBytes(type) == 8;
    if (from.kind == Operand::Kind::Special) {
        const auto which = specialRegister(from.symbol);
        if (!which) throw Unsupported{"special register " + from.symbol};
        MicroOp op = make(instruction, InstructionClass::Move);
        const Handlers h = m_isa.data("special", type);
        op.full = h.full;
        op.masked = h.masked;
        op.d = destination(to, wide);
        op.readyD = readyOfRow(op.d);
        op.result = specialRegisterResult();
        op.immediate = static_cast<std::int64_t>(*which);
        op.canStop = true;
        emit(op);
        return;
    }
    ArithmeticKey key;
    key.operation = Operation::Mov;
    key.type = type;
    arithmetic(instruction, key, 1, {type}, wide);
}

void Decoder::moveVector(const Instruction &instruction, Type type) {
    const Operand &to = instruction.operands.at(0), &from = instruction.operands.at(1);
    const bool packs = from.kind == Operand::Kind::Vector;
    const auto &elements = packs ? from.elements : to.elements;
    const int bytes = ptx::typeBytes(type);
    if (bytes != 4 && bytes != 8) throw Unsupported{};
    const int elementBytes = bytes / static_cast<int>(elements.size());
    const Type elementType = elementBytes == 4 ? Type::B32 : elementBytes == 2 ? Type::B16 : Type::B8;
    const Handlers h = m_isa.data(packs ? "pack" : "unpack", type);
    MicroOp op = make(instruction, InstructionClass::Move);
    op.full = h.full;
    op.masked = h.masked;
    op.immediate = elementBytes * 8;
    std::vector<std::uint32_t> rows;
    for (const auto &element : elements) {
        if (packs) rows.push_back(source(instruction, element, elementType));
        else rows.push_back(element.kind == Operand::Kind::Sink ? 0x7fff'ffffu : destination(element, false));
    }
    if (packs) {
        op.d = destination(to, bytes == 8);
    } else {
        op.a = source(instruction, from, type);
    }
    scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->entries.size());
    m_program->entries.push_back(static_cast<std::uint32_t>(rows.size()));
    m_program->entries.insert(m_program->entries.end(), rows.begin(), rows.end());
    emit(op);
}

void Decoder::convertAddress(const Instruction &instruction) {
    std::int64_t window = 0;
    if (instruction.has("shared") || instruction.has("shared::cta") || instruction.has("shared::cluster")) window = static_cast<std::int64_t>(sharedWindow);
    else if (instruction.has("local")) window = static_cast<std::int64_t>(localWindow);
    if (instruction.has("to")) window = -window;
    const Type type = lastType(instruction);
    if (window == 0) {
        ArithmeticKey key;
        key.type = type;
        return arithmetic(instruction, key, 1, {type}, ptx::typeBytes(type) == 8);
    }
    if (ptx::typeBytes(type) != 8) throw Unsupported{"32-bit generic addresses"};
    const Handlers h = m_isa.data("window", type);
    MicroOp op = make(instruction, InstructionClass::Move);
    op.full = h.full;
    op.masked = h.masked;
    op.a = source(instruction, instruction.operands.at(1), type);
    op.readyA = readyOfRow(op.a);
    op.d = destination(instruction.operands.at(0), true);
    op.readyD = readyOfRow(op.d);
    op.immediate = window;
    emit(op);
}

void Decoder::isSpace(const Instruction &instruction) {
    MicroOp op = make(instruction, InstructionClass::Compare);
    const Handlers h = m_isa.data("isspacep", Type::B64);
    op.full = h.full;
    op.masked = h.masked;
    if (instruction.has("const")) op.full = op.masked = isConstantAddress;
    const auto is = [&](std::string_view name) { return !instruction.modifiers.empty() && instruction.modifiers[0].starts_with(name); };
    if (is("const")) op.canStop = false;
    else if (is("shared::cluster")) { op.immediate = static_cast<std::int64_t>(sharedWindow); op.extra = 29; }
    else if (is("shared")) { op.immediate = static_cast<std::int64_t>(sharedWindow); op.extra = 24; }
    else if (is("local")) { op.immediate = static_cast<std::int64_t>(localWindow); op.extra = 32; }
    else if (is("param")) { op.immediate = static_cast<std::int64_t>(parameterWindow); op.extra = 16; }
    else if (is("global")) { op.immediate = static_cast<std::int64_t>(sharedBase); op.extra = 47; } // from what the host maps as well
    else throw Unsupported{};
    op.a = source(instruction, instruction.operands.at(1), Type::B64);
    op.readyA = readyOfRow(op.a);
    op.d = predicateDestination(instruction.operands.at(0));
    op.readyD = readyOfPredicate(op.d);
    emit(op);
}

} // namespace kernelskill::simulator
