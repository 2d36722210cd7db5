// SPDX-License-Identifier: Apache-2.0
// Arithmetic that is done lane by lane: video and packed integers, variants of halves, conversions between rare formats.
#include "engine/execution/decoder.h"

#include "engine/execution/rare/floats.h"
#include "engine/execution/rare/integers.h"
#include "engine/execution/rare/lane_operation.h"
#include "engine/execution/rare/number_formats.h"

#include <array>
#include <charconv>

namespace kernelskill::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

void Decoder::emitLanes(const Instruction &instruction, Handler handler, InstructionClass kind, Type resultType, const std::vector<Type> &types, std::uint64_t mode) {
    MicroOp op = make(instruction, kind);
    op.full = op.masked = handler;
    op.immediate = static_cast<std::int64_t>(mode << laneModeShift);
    std::uint32_t *const rows[] = {&op.a, &op.b, &op.c, &op.extra};
    const std::uint32_t zero = constant(0, true);
    for (std::size_t i = 0; i < 4; ++i) {
        *rows[i] = zero;
        if (i >= types.size()) { op.immediate |= std::int64_t{2} << i; continue; }
        const Operand &operand = instruction.operands.at(1 + i);
        *rows[i] = source(instruction, operand, types[i]);
        const bool wide = operand.kind == Operand::Kind::Register ? isWide(operand) : ptx::typeBytes(types[i]) == 8;
        op.immediate |= wide ? std::int64_t{2} << i : 0;
    }
    const Operand &to = instruction.operands.at(0);
    const bool wide = to.kind == Operand::Kind::Register ? isWide(to) : ptx::typeBytes(resultType) == 8;
    op.d = destination(to, wide);
    op.immediate |= wide ? 1 : 0;
    scoreboard(op, instruction);
    emit(op);
}

namespace {

int selectorOf(std::string_view name) {
    static constexpr std::string_view names[] = {"b0", "b1", "b2", "b3", "h0", "h1"};
    for (int i = 0; i < 6; ++i)
        if (names[i] == name) return i + 1;
    return 0;
}

VideoOperation videoOperation(std::string_view name) {
    static constexpr std::pair<std::string_view, VideoOperation> names[] = {
        {"vadd", VideoOperation::Add}, {"vsub", VideoOperation::Subtract}, {"vabsdiff", VideoOperation::Difference}, {"vavrg", VideoOperation::Average},
        {"vmin", VideoOperation::Minimum}, {"vmax", VideoOperation::Maximum}, {"vshl", VideoOperation::ShiftLeft},
        {"vshr", VideoOperation::ShiftRight}, {"vset", VideoOperation::Compare}, {"vmad", VideoOperation::MultiplyAdd}};
    if (name.ends_with('2') || name.ends_with('4')) name.remove_suffix(1);
    for (const auto &[text, operation] : names)
        if (text == name) return operation;
    throw Unsupported{};
}

void readVideoModifiers(const Instruction &instruction, VideoMode &mode) {
    static constexpr std::string_view comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    std::vector<Type> types;
    for (const auto &m : instruction.modifiers) {
        if (const auto type = ptx::typeFromName(m); type && selectorOf(m) == 0) types.push_back(*type);
        for (int i = 0; i < 6; ++i)
            if (comparisons[i] == m) mode.comparison = i;
        if (m == "add") mode.second = 1;
        if (m == "min") mode.second = 2;
        if (m == "max") mode.second = 3;
        if (m == "shr7") mode.shift = 7;
        if (m == "shr15") mode.shift = 15;
        if (const int part = selectorOf(m); part != 0) mode.destination = part; // ".sat.b1" after the types
    }
    mode.saturate = instruction.has("sat");
    mode.wrap = instruction.has("wrap");
    mode.plusOne = instruction.has("po");
    const bool compares = mode.operation == VideoOperation::Compare;
    if (types.size() != (compares ? 2u : 3u)) throw Unsupported{"the types"};
    mode.signedResult = !compares && ptx::isSigned(types[0]);
    mode.signedA = ptx::isSigned(types[compares ? 0 : 1]);
    mode.signedB = ptx::isSigned(types[compares ? 1 : 2]);
}

// The mask of written parts (".b20"), or the parts in order of a source (".b7654"), as numbers of four bits, lowest part first.
std::vector<int> digitsOf(const std::string &selector) {
    std::vector<int> digits;
    for (auto c = selector.rbegin(); c != selector.rend(); ++c)
        if (*c >= '0' && *c <= '7') digits.push_back(*c - '0');
    return digits;
}

Operand whole(const Operand &operand) {
    Operand plain = operand;
    plain.selector.clear();
    plain.negated = false;
    return plain;
}

} // namespace

void Decoder::video(const Instruction &instruction) {
    VideoMode mode;
    mode.operation = videoOperation(instruction.opcode);
    readVideoModifiers(instruction, mode);
    Instruction plain = instruction;
    for (auto &operand : plain.operands) operand = whole(operand);
    mode.destination = mode.destination != 0 ? mode.destination : selectorOf(instruction.operands.at(0).selector);
    mode.selectA = selectorOf(instruction.operands.at(1).selector);
    mode.selectB = selectorOf(instruction.operands.at(2).selector);
    if (mode.operation == VideoOperation::MultiplyAdd) {
        // the sum is signed when a factor is, or when something is negated
        mode.negateProduct = instruction.operands[1].negated != instruction.operands[2].negated;
        mode.negateC = instruction.operands.at(3).negated;
        mode.destination = 0;
    }
    const std::vector<Type> types(plain.operands.size() - 1, Type::U32);
    if (types.size() < 2 || types.size() > 3) throw Unsupported{"a different number of operands"};
    emitLanes(plain, videoLanes, InstructionClass::Integer, Type::U32, types, mode.bits());
}

void Decoder::videoVector(const Instruction &instruction) {
    VideoMode mode;
    mode.operation = videoOperation(instruction.opcode);
    mode.parts = instruction.opcode.ends_with('2') ? 2 : 4;
    readVideoModifiers(instruction, mode);
    if (instruction.operands.size() != 4) throw Unsupported{"a different number of operands"};
    Instruction plain = instruction;
    for (auto &operand : plain.operands) operand = whole(operand);
    mode.destination = 0;
    for (const int digit : digitsOf(instruction.operands[0].selector)) mode.destination |= 1 << (digit & 3);
    if (mode.destination == 0) mode.destination = (1 << mode.parts) - 1;
    // sources with their parts in another order: put in order first
    for (std::size_t i = 1; i <= 2; ++i) {
        const auto digits = digitsOf(instruction.operands[i].selector);
        if (digits.empty()) continue;
        if (digits.size() != static_cast<std::size_t>(mode.parts)) throw Unsupported{"the selection of parts"};
        std::uint64_t selectors = 0;
        for (int byte = 0; byte < 4; ++byte) {
            const int part = digits[static_cast<std::size_t>(mode.parts == 4 ? byte : byte / 2)];
            selectors |= static_cast<std::uint64_t>(mode.parts == 4 ? part : 2 * part + byte % 2) << (4 * byte);
        }
        MicroOp op = make(instruction, InstructionClass::Integer);
        op.full = op.masked = permuteSelectorLanes;
        op.a = source(plain, plain.operands[1], Type::U32);
        op.b = source(plain, plain.operands[2], Type::U32);
        op.c = op.extra = op.a;
        op.readyA = readyOfRow(op.a);
        op.readyB = readyOfRow(op.b);
        op.d = temporary(false);
        op.readyD = readyOfRow(op.d);
        op.immediate = static_cast<std::int64_t>(selectors << laneModeShift);
        emit(op);
        m_replaced[i] = op.d;
    }
    const auto replaced = m_replaced;
    m_replaced = {};
    const std::vector<Type> types(3, Type::U32);
    emitLanes(plain, videoVectorLanes, InstructionClass::Integer, Type::U32, types, mode.bits());
    if (replaced[1] != 0) m_program->code.back().a = replaced[1];
    if (replaced[2] != 0) m_program->code.back().b = replaced[2];
}

// min, max and add on 16-bit pairs, and the .relu forms. False: not one of those.
bool Decoder::packedInteger(const Instruction &instruction) {
    const Type type = typesNamed(instruction).back();
    const bool pair = type == Type::U16x2 || type == Type::S16x2, relu = instruction.has("relu");
    if (!pair && !(relu && type == Type::S32)) return false;
    const bool greatest = instruction.opcode == "max", least = instruction.opcode == "min";
    if (instruction.opcode == "add" && pair && !relu) emitLanes(instruction, addHalvesLanes, InstructionClass::Integer, type, {type, type});
    else if (!greatest && !least) throw Unsupported{};
    else if (pair) emitLanes(instruction, leastOfHalvesLanes, InstructionClass::Integer, type, {type, type}, (type == Type::S16x2 ? 1u : 0u) | (greatest ? 2u : 0u) | (relu ? 4u : 0u));
    else emitLanes(instruction, leastReluLanes, InstructionClass::Integer, type, {type, type}, greatest ? 2u : 0u);
    return true;
}

// Variants the vectorised handlers do not have. False: they have it.
bool Decoder::floatVariant(const Instruction &instruction, const ArithmeticKey &key, std::size_t inputs) {
    const bool half = key.type == Type::F16 || key.type == Type::F16x2 || key.type == Type::Bf16 || key.type == Type::Bf16x2;
    const bool exclusive = instruction.has("xorsign"), relu = instruction.has("relu");
    if (key.type == Type::F64 && key.approximate && key.ftz && (key.operation == Operation::Rcp || key.operation == Operation::Rsqrt)) {
        emitLanes(instruction, reciprocalApproximateLanes, InstructionClass::Fp64, Type::F64, {Type::F64}, key.operation == Operation::Rsqrt ? 1 : 0);
        return true;
    }
    if (!exclusive && !(half && (key.ftz || (relu && (key.saturate || key.operation != Operation::Fma))))) return false;
    if (!half && key.type != Type::F32) throw Unsupported{};
    FloatMode mode{key.operation, key.type, key.ftz, key.saturate, relu, instruction.has("NaN"), exclusive};
    const std::vector<Type> types(inputs, key.type);
    emitLanes(instruction, floatVariantLanes, half ? InstructionClass::Fp16 : InstructionClass::Fp32, key.type, types, mode.bits());
    return true;
}

void Decoder::findNthSet(const Instruction &instruction) {
    emitLanes(instruction, findNthSetLanes, InstructionClass::Integer, Type::U32, {Type::U32, Type::U32, Type::S32});
}

void Decoder::multiply24High(const Instruction &instruction) {
    const Type type = typesNamed(instruction).back();
    const bool add = instruction.opcode == "mad24";
    const std::vector<Type> types(add ? 3 : 2, type);
    emitLanes(instruction, multiply24HighLanes, InstructionClass::IntegerMultiply, type, types, (ptx::isSigned(type) ? 1u : 0u) | (add ? 2u : 0u) | (instruction.has("sat") ? 4u : 0u));
}

void Decoder::packSaturated(const Instruction &instruction) { // cvt.pack.sat.type.s32{.b32}
    static constexpr std::pair<std::string_view, int> widths[] = {{"u16", 16 | 32}, {"s16", 16}, {"u8", 8 | 32}, {"s8", 8}, {"u4", 4 | 32}, {"s4", 4}, {"u2", 2 | 32}, {"s2", 2}};
    for (const auto &[name, mode] : widths) {
        if (!instruction.has(name)) continue;
        const std::vector<Type> types(instruction.operands.size() - 1, Type::B32);
        if (types.size() > 3 || types.size() < 2) throw Unsupported{};
        return emitLanes(instruction, packSaturatedLanes, InstructionClass::Convert, Type::B32, types, static_cast<std::uint64_t>(mode));
    }
    throw Unsupported{};
}

// Conversions the vectorised handlers do not have, or would round twice. False: they are right.
bool Decoder::rareConversion(const Instruction &instruction, ConvertKey key) {
    const auto isF8 = [](Type t) { return t == Type::F8E4m3x2 || t == Type::F8E5m2x2; };
    const bool halfResult = key.to == Type::F16 || key.to == Type::Bf16, packed = key.to == Type::F16x2 || key.to == Type::Bf16x2 || isF8(key.to);
    const bool brainFromOther = key.to == Type::Bf16 && key.from != Type::F32 && key.from != Type::Bf16;
    const bool directed = key.rounding != Rounding::Nearest && isFloat(key.to) && !key.toInteger;
    const bool widerResult = ptx::typeBytes(key.to) < 8 && isWide(instruction.operands.at(0));
    const bool rare = key.finite || isF8(key.to) || isF8(key.from) || brainFromOther || (halfResult && (key.relu || directed || key.saturate))
                   || (key.to == Type::Tf32 && (key.rounding != Rounding::NearestAway || key.relu)) || (packed && directed)
                   || (key.toInteger && isFloat(key.to) && key.saturate) || (directed && (key.ftz || key.saturate)) || widerResult;
    if (!rare) return false;
    key.pair = packed;
    const std::size_t sources = instruction.operands.size() - 1;
    if (sources != (packed && key.from == Type::F32 ? 2u : 1u)) throw Unsupported{"a different number of operands"};
    const std::vector<Type> types(sources, key.from);
    emitLanes(instruction, convertLanes, InstructionClass::Convert, key.to, types, modeOf(key));
    return true;
}

// setp and set on pairs of halves: the lower and the upper halves are compared on their own.
std::array<std::uint32_t, 2> Decoder::comparePair(const Instruction &instruction, Type type, Comparison comparison, bool ftz, std::uint32_t first, std::uint32_t second) {
    const Handler h = m_isa.compare(type == Type::F16x2 ? Type::F16 : Type::Bf16, comparison, ftz);
    if (h == nullptr) throw Unsupported{};
    const std::uint32_t results[] = {first, second};
    std::uint32_t rows[2][2];
    for (std::size_t i = 0; i < 2; ++i) {
        rows[0][i] = source(instruction, instruction.operands.at(1 + i), Type::B32);
        MicroOp op = make(instruction, InstructionClass::Move);
        op.full = op.masked = upperHalfLanes;
        op.a = op.b = op.c = op.extra = rows[0][i];
        op.readyA = readyOfRow(op.a);
        op.d = rows[1][i] = temporary(false);
        op.readyD = readyOfRow(op.d);
        emit(op);
    }
    for (std::size_t part = 0; part < 2; ++part) {
        MicroOp op = make(instruction, InstructionClass::Compare);
        op.full = op.masked = h;
        op.a = rows[part][0];
        op.b = rows[part][1];
        op.readyA = readyOfRow(op.a);
        op.readyB = readyOfRow(op.b);
        op.d = results[part];
        op.extra = sinkPredicate;
        op.readyD = readyOfPredicate(op.d);
        op.immediate = instruction.has("and") ? 1 : instruction.has("or") ? 2 : instruction.has("xor") ? 3 : 0;
        if (op.immediate != 0) {
            op.c = predicate(instruction.operands.at(3));
            op.readyC = readyOfPredicate(op.c);
            op.immediate |= instruction.operands[3].negated ? 4 : 0;
        }
        emit(op);
    }
    return {first, second};
}

// set with a result that is not a 32-bit word, or of pairs.
void Decoder::setHalves(const Instruction &instruction, Type result, Type type, Comparison comparison) {
    const bool pair = type == Type::F16x2 || type == Type::Bf16x2;
    const std::uint32_t low = m_program->predicateCount++, high = pair ? m_program->predicateCount++ : sinkPredicate;
    if (pair) (void)comparePair(instruction, type, comparison, instruction.has("ftz"), low, high);
    else {
        const Handler h = m_isa.compare(type, comparison, instruction.has("ftz"));
        if (h == nullptr) throw Unsupported{};
        MicroOp op = make(instruction, InstructionClass::Compare);
        op.full = op.masked = h;
        op.a = source(instruction, instruction.operands.at(1), type);
        op.b = source(instruction, instruction.operands.at(2), type);
        op.readyA = readyOfRow(op.a);
        op.readyB = readyOfRow(op.b);
        op.d = low;
        op.extra = sinkPredicate;
        op.readyD = readyOfPredicate(op.d);
        op.immediate = instruction.has("and") ? 1 : instruction.has("or") ? 2 : instruction.has("xor") ? 3 : 0;
        if (op.immediate != 0) {
            op.c = predicate(instruction.operands.at(3));
            op.immediate |= instruction.operands[3].negated ? 4 : 0;
        }
        emit(op);
    }
    std::uint32_t one = 0;
    switch (result) {
    case Type::F16: case Type::F16x2: one = 0x3c00; break;
    case Type::Bf16: case Type::Bf16x2: one = 0x3f80; break;
    case Type::F32: one = 0x3f80'0000; break;
    case Type::U16: case Type::S16: one = 0xffff; break;
    case Type::U32: case Type::S32: one = pair ? 0xffff : 0xffff'ffff; break;
    default: throw Unsupported{};
    }
    MicroOp op = make(instruction, InstructionClass::Compare);
    op.full = op.masked = setByComparison;
    op.a = low;
    op.b = pair ? high : low;
    op.readyA = readyOfPredicate(low);
    op.readyB = readyOfPredicate(op.b);
    op.d = destination(instruction.operands.at(0), false);
    op.readyD = readyOfRow(op.d);
    op.immediate = one;
    op.extra = pair ? one << 16 : 0;
    emit(op);
}

void Decoder::logic3WithPredicate(const Instruction &instruction) { // lop3.and/or.b32 d|p, a, b, c, table, q
    Instruction plain = instruction;
    plain.operands.resize(5);
    const Operand &result = instruction.operands.at(0);
    if (result.paired.empty() || instruction.operands.size() != 6) throw Unsupported{};
    plain.operands[0].paired.clear();
    logic3(plain);
    MicroOp op = make(instruction, InstructionClass::Compare);
    op.full = op.masked = combinePredicate;
    op.a = m_program->code.back().d;
    op.readyA = readyOfRow(op.a);
    op.c = predicate(instruction.operands[5]);
    op.readyC = readyOfPredicate(op.c);
    op.d = predicateDestination(result.paired[0]);
    op.readyD = readyOfPredicate(op.d);
    op.immediate = (instruction.has("and") ? 1 : 0) | (instruction.operands[5].negated ? 2 : 0);
    emit(op);
}

void Decoder::texture(const Instruction &) { throw Unsupported{"textures and surfaces are not simulated"}; }

} // namespace kernelskill::simulator
