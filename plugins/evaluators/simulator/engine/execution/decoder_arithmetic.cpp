// SPDX-License-Identifier: Apache-2.0
// Arithmetic, logic and shifts.
#include "engine/execution/decoder.h"

#include "engine/execution/rare/integers.h"

#include <algorithm>

namespace kernelskill::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

namespace {

bool isHalfType(Type t) { return t == Type::F16 || t == Type::F16x2 || t == Type::Bf16 || t == Type::Bf16x2; }

Rounding roundingOf(const Instruction &instruction) {
    if (instruction.has("rz") || instruction.has("rzi")) return Rounding::Zero;
    if (instruction.has("rm") || instruction.has("rmi")) return Rounding::Down;
    if (instruction.has("rp") || instruction.has("rpi")) return Rounding::Up;
    if (instruction.has("rna")) return Rounding::NearestAway;
    return Rounding::Nearest;
}

} // namespace

std::vector<Type> Decoder::typesNamed(const Instruction &instruction) {
    std::vector<Type> types;
    for (const auto &m : instruction.modifiers)
        if (const auto type = ptx::typeFromName(m)) types.push_back(*type);
    if (types.empty()) throw Unsupported{"no type"};
    return types;
}

ArithmeticKey Decoder::keyOf(const Instruction &instruction, Operation operation) const {
    ArithmeticKey key;
    key.operation = operation;
    key.type = typesNamed(instruction).back();
    key.rounding = roundingOf(instruction);
    key.ftz = instruction.has("ftz");
    key.saturate = instruction.has("sat");
    key.approximate = instruction.has("approx") || instruction.has("full");
    return key;
}

InstructionClass Decoder::classOf(const ArithmeticKey &key) const {
    switch (key.operation) {
    case Operation::Rcp: case Operation::Sqrt: case Operation::Rsqrt: case Operation::Ex2: case Operation::Lg2:
    case Operation::Sin: case Operation::Cos: case Operation::Tanh:
        return key.type == Type::F64 ? InstructionClass::Fp64 : InstructionClass::Special;
    case Operation::Mov: return InstructionClass::Move;
    default: break;
    }
    if (isHalfType(key.type)) return InstructionClass::Fp16;
    if (key.type == Type::F32) return key.operation == Operation::Div ? InstructionClass::Special : InstructionClass::Fp32;
    if (key.type == Type::F64) return InstructionClass::Fp64;
    switch (key.operation) {
    case Operation::MulLo: case Operation::MulHi: case Operation::MulWide: case Operation::MadLo: case Operation::MadHi:
    case Operation::MadWide: case Operation::Mul24Lo: case Operation::Mad24Lo: case Operation::Div: case Operation::Rem:
    case Operation::Dp4a: case Operation::Dp2a:
        return InstructionClass::IntegerMultiply;
    default: return InstructionClass::Integer;
    }
}

void Decoder::arithmetic(const Instruction &instruction, const ArithmeticKey &key, std::size_t inputs, const std::vector<Type> &inputTypes, bool wideResult) {
    const Handlers h = isHalfType(key.type) && key.operation != Operation::Mov ? m_isa.half(key)
                     : (key.type == Type::F32 || key.type == Type::F64) && key.operation != Operation::Mov ? m_isa.floating(key)
                                                                                                           : m_isa.integer(key);
    if (h.full == nullptr) throw Unsupported{};
    const auto type = [&](std::size_t i) { return i < inputTypes.size() ? inputTypes[i] : key.type; };
    MicroOp op = make(instruction, classOf(key));
    op.full = h.full;
    op.masked = h.masked;
    std::uint32_t *rows[] = {&op.a, &op.b, &op.c};
    std::uint32_t *ready[] = {&op.readyA, &op.readyB, &op.readyC};
    for (std::size_t i = 0; i < inputs; ++i) {
        *rows[i] = source(instruction, instruction.operands.at(1 + i), type(i));
        *ready[i] = readyOfRow(*rows[i]);
    }
    op.d = destination(instruction.operands.at(0), wideResult);
    op.readyD = readyOfRow(op.d);
    const bool isFloat = key.type == Type::F32 || key.type == Type::F64;
    if (isFloat && key.rounding != Rounding::Nearest)
        op.immediate = static_cast<std::int64_t>(key.rounding) | (key.ftz ? 8 : 0) | (key.saturate ? 16 : 0);
    else op.immediate = key.mode;
    if (isFloat && (key.operation == Operation::Add || key.operation == Operation::Sub || key.operation == Operation::MulLo || key.operation == Operation::Fma)) {
        const unsigned flops = key.operation == Operation::Fma ? 2 : 1;
        op.flops = static_cast<std::uint8_t>(key.type == Type::F32 ? flops : flops << 4);
    }
    emit(op);
}

void Decoder::simpleArithmetic(const Instruction &instruction) {
    struct Entry { Operation operation; std::size_t inputs; };
    static const std::map<std::string_view, Entry> entries{
        {"add", {Operation::Add, 2}}, {"sub", {Operation::Sub, 2}}, {"div", {Operation::Div, 2}}, {"rem", {Operation::Rem, 2}},
        {"min", {Operation::Min, 2}}, {"max", {Operation::Max, 2}}, {"abs", {Operation::Abs, 1}}, {"neg", {Operation::Neg, 1}},
        {"fma", {Operation::Fma, 3}}, {"rcp", {Operation::Rcp, 1}}, {"sqrt", {Operation::Sqrt, 1}}, {"rsqrt", {Operation::Rsqrt, 1}},
        {"ex2", {Operation::Ex2, 1}}, {"lg2", {Operation::Lg2, 1}}, {"sin", {Operation::Sin, 1}}, {"cos", {Operation::Cos, 1}},
        {"tanh", {Operation::Tanh, 1}}, {"copysign", {Operation::Copysign, 2}}, {"sad", {Operation::Sad, 3}},
        {"cnot", {Operation::Cnot, 1}}, {"brev", {Operation::Brev, 1}}, {"bmsk", {Operation::Bmsk, 2}}, {"szext", {Operation::Szext, 2}}};
    const Entry entry = entries.at(instruction.opcode);
    ArithmeticKey key = keyOf(instruction, entry.operation);
    if ((entry.operation == Operation::Add || entry.operation == Operation::Sub) && instruction.has("cc")) return addWithCarry(instruction);
    if (packedInteger(instruction) || floatVariant(instruction, key, entry.inputs)) return;
    if (entry.operation == Operation::Div && instruction.has("approx")) key.mode = 1; // not .full
    if (instruction.has("NaN")) key.operation = entry.operation == Operation::Min ? Operation::MinNan : Operation::MaxNan;
    if (instruction.has("relu")) {
        if (entry.operation != Operation::Fma) throw Unsupported{};
        key.operation = Operation::FmaRelu;
    }
    if (instruction.has("oob")) throw Unsupported{};
    if (instruction.has("wrap") && (instruction.opcode == "szext" || instruction.opcode == "bmsk"))
        return emitLanes(instruction, instruction.opcode == "szext" ? extendWrappedLanes : maskWrappedLanes, InstructionClass::Integer, Type::B32,
                         {Type::B32, Type::B32}, ptx::isSigned(key.type) ? 1 : 0);
    if (instruction.operands.size() != entry.inputs + 1) throw Unsupported{"a different number of operands"};
    arithmetic(instruction, key, entry.inputs);
}

void Decoder::multiply(const Instruction &instruction) { // mul, mad, mul24, mad24
    const bool add = instruction.opcode.starts_with("mad");
    const bool narrow = instruction.opcode.ends_with("24");
    ArithmeticKey key = keyOf(instruction, add ? Operation::Fma : Operation::MulLo);
    if (instruction.has("cc") || instruction.opcode == "madc") return multiplyWithCarry(instruction);
    if (isFloat(key.type)) {
        if (floatVariant(instruction, key, add ? 3 : 2)) return;
        return arithmetic(instruction, key, add ? 3 : 2);
    }
    const bool wide = instruction.has("wide");
    if (narrow) key.operation = add ? Operation::Mad24Lo : Operation::Mul24Lo;
    else if (wide) key.operation = add ? Operation::MadWide : Operation::MulWide;
    else if (instruction.has("hi")) key.operation = add ? Operation::MadHi : Operation::MulHi;
    else key.operation = add ? Operation::MadLo : Operation::MulLo;
    if (narrow && instruction.has("hi")) return multiply24High(instruction);
    if (instruction.has("sat")) {
        if (key.operation != Operation::MadHi || key.type != Type::S32) throw Unsupported{};
        return emitLanes(instruction, multiplyAddHighSaturatedLanes, InstructionClass::IntegerMultiply, Type::S32, {Type::S32, Type::S32, Type::S32});
    }
    std::vector<Type> types{key.type, key.type, key.type};
    const bool wideResult = wide ? ptx::typeBytes(key.type) == 4 : ptx::typeBytes(key.type) == 8;
    if (wide) types[2] = ptx::typeBytes(key.type) == 4 ? Type::U64 : Type::U32;
    arithmetic(instruction, key, add ? 3 : 2, types, wideResult);
}

void Decoder::multiplyWithCarry(const Instruction &instruction) {
    // the product into a temporary row, then the addition with the carry
    ArithmeticKey key = keyOf(instruction, instruction.has("hi") ? Operation::MulHi : Operation::MulLo);
    const bool wide = ptx::typeBytes(key.type) == 8;
    const Handlers product = m_isa.integer(key);
    MicroOp first = make(instruction, InstructionClass::IntegerMultiply);
    first.full = product.full;
    first.masked = product.masked;
    first.a = source(instruction, instruction.operands.at(1), key.type);
    first.b = source(instruction, instruction.operands.at(2), key.type);
    first.readyA = readyOfRow(first.a);
    first.readyB = readyOfRow(first.b);
    first.d = temporary(wide);
    first.readyD = readyOfRow(first.d);
    emit(first);
    key.operation = Operation::AddCarry;
    const Handlers sum = m_isa.integer(key);
    MicroOp second = make(instruction, InstructionClass::Integer);
    second.full = sum.full;
    second.masked = sum.masked;
    second.a = first.d;
    second.b = source(instruction, instruction.operands.at(3), key.type);
    second.readyA = first.readyD;
    second.readyB = readyOfRow(second.b);
    second.d = destination(instruction.operands.at(0), wide);
    second.readyD = readyOfRow(second.d);
    second.immediate = (instruction.opcode == "madc" ? 1 : 0) | (instruction.has("cc") ? 2 : 0);
    emit(second);
}

void Decoder::addWithCarry(const Instruction &instruction) { // add.cc, addc, sub.cc, subc
    const bool subtract = instruction.opcode.starts_with("sub");
    ArithmeticKey key = keyOf(instruction, subtract ? Operation::SubCarry : Operation::AddCarry);
    key.mode = (instruction.opcode.ends_with('c') ? 1 : 0) | (instruction.has("cc") ? 2 : 0);
    arithmetic(instruction, key, 2, {}, ptx::typeBytes(key.type) == 8);
}

void Decoder::fieldOperation(const Instruction &instruction) { // bfe, bfi
    ArithmeticKey key = keyOf(instruction, instruction.opcode == "bfe" ? Operation::Bfe : Operation::Bfi);
    const bool wide = ptx::typeBytes(key.type) == 8;
    if (key.operation == Operation::Bfe) return arithmetic(instruction, key, 3, {key.type, Type::U32, Type::U32}, wide);
    const Handlers h = m_isa.integer(key);
    MicroOp op = make(instruction, InstructionClass::Integer);
    op.full = h.full;
    op.masked = h.masked;
    op.a = source(instruction, instruction.operands.at(1), key.type);
    op.b = source(instruction, instruction.operands.at(2), key.type);
    op.c = source(instruction, instruction.operands.at(3), Type::U32);
    op.extra = source(instruction, instruction.operands.at(4), Type::U32);
    op.readyA = readyOfRow(op.a);
    op.readyB = readyOfRow(op.b);
    op.readyC = readyOfRow(op.c);
    op.d = destination(instruction.operands.at(0), wide);
    op.readyD = readyOfRow(op.d);
    emit(op);
}

void Decoder::unaryToWord(const Instruction &instruction) { // popc, clz, bfind: the result has 32 bits
    ArithmeticKey key = keyOf(instruction, instruction.opcode == "popc" ? Operation::Popc : instruction.opcode == "clz" ? Operation::Clz : Operation::Bfind);
    key.mode = instruction.has("shiftamt") ? 1 : 0;
    arithmetic(instruction, key, 1);
}

void Decoder::dotProduct(const Instruction &instruction) { // dp4a.atype.btype, dp2a.mode.atype.btype
    const std::vector<Type> types = typesNamed(instruction);
    ArithmeticKey key = keyOf(instruction, instruction.opcode == "dp4a" ? Operation::Dp4a : Operation::Dp2a);
    key.mode = (ptx::isSigned(types.at(0)) ? 1 : 0) | (ptx::isSigned(types.at(1)) ? 2 : 0) | (instruction.has("hi") ? 4 : 0);
    arithmetic(instruction, key, 3);
}

void Decoder::permute(const Instruction &instruction) {
    ArithmeticKey key = keyOf(instruction, Operation::Prmt);
    static constexpr std::string_view modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    for (int i = 0; i < 6; ++i)
        if (instruction.has(modes[i])) key.mode = i + 1;
    arithmetic(instruction, key, 3);
}

void Decoder::logic3(const Instruction &instruction) {
    if (instruction.has("and") || instruction.has("or")) {
        if (instruction.operands.size() == 6) return logic3WithPredicate(instruction);
    }
    if (instruction.operands.size() != 5 || instruction.operands[4].kind != Operand::Kind::Integer) throw Unsupported{};
    ArithmeticKey key = keyOf(instruction, Operation::Lop3);
    key.mode = static_cast<int>(instruction.operands[4].bits & 0xff);
    arithmetic(instruction, key, 3);
}

void Decoder::funnelShift(const Instruction &instruction) {
    ArithmeticKey key = keyOf(instruction, instruction.has("l") ? Operation::ShfLeft : Operation::ShfRight);
    key.mode = instruction.has("wrap") ? 1 : 0;
    arithmetic(instruction, key, 3);
}

void Decoder::logic(const Instruction &instruction) { // and, or, xor, not
    static const std::map<std::string_view, Operation> operations{{"and", Operation::And}, {"or", Operation::Or}, {"xor", Operation::Xor}, {"not", Operation::Not}};
    const ArithmeticKey key = keyOf(instruction, operations.at(instruction.opcode));
    const std::size_t inputs = instruction.opcode == "not" ? 1 : 2;
    if (key.type != Type::Pred) return arithmetic(instruction, key, inputs, {}, ptx::typeBytes(key.type) == 8);
    const std::string name = instruction.opcode + ".pred";
    const Handlers h = m_isa.data(name.c_str(), Type::B32);
    MicroOp op = make(instruction, InstructionClass::Compare);
    op.full = h.full;
    op.masked = h.masked;
    op.a = predicate(instruction.operands.at(1));
    op.readyA = readyOfPredicate(op.a);
    op.immediate = instruction.operands[1].negated ? 1 : 0;
    if (inputs == 2) {
        op.b = predicate(instruction.operands.at(2));
        op.readyB = readyOfPredicate(op.b);
        op.immediate |= instruction.operands[2].negated ? 2 : 0;
    }
    op.d = predicateDestination(instruction.operands.at(0));
    op.readyD = readyOfPredicate(op.d);
    op.result = predicateResult();
    emit(op);
}

void Decoder::shift(const Instruction &instruction) {
    const ArithmeticKey key = keyOf(instruction, instruction.opcode == "shl" ? Operation::Shl : Operation::Shr);
    arithmetic(instruction, key, 2, {key.type, Type::U32}, ptx::typeBytes(key.type) == 8);
}

void Decoder::convert(const Instruction &instruction) {
    const std::vector<Type> types = typesNamed(instruction);
    if (instruction.has("pack")) return packSaturated(instruction);
    if (types.size() < 2 || instruction.has("rs") || instruction.has("scaled::n2::ue8m0")) throw Unsupported{};
    ConvertKey key;
    key.to = types[0];
    key.from = types[1];
    key.rounding = roundingOf(instruction);
    key.ftz = instruction.has("ftz");
    key.saturate = instruction.has("sat");
    key.relu = instruction.has("relu");
    for (const auto *whole : {"rni", "rzi", "rmi", "rpi"}) key.toInteger = key.toInteger || instruction.has(whole);
    key.finite = instruction.has("satfinite");
    key.wideRow = isWide(instruction.operands.at(1)) && ptx::typeBytes(key.from) < 8;
    if (rareConversion(instruction, key)) return;
    if (key.saturate && isFloat(key.from) && !isFloat(key.to)) key.saturate = false; // clamping is what the conversion does anyway
    const Handlers h = m_isa.convert(key);
    if (h.full == nullptr) throw Unsupported{};
    const bool integers = !isFloat(key.to) && !isFloat(key.from);
    MicroOp op = make(instruction, integers ? InstructionClass::Integer : InstructionClass::Convert);
    op.full = h.full;
    op.masked = h.masked;
    op.a = source(instruction, instruction.operands.at(1), key.from);
    op.readyA = readyOfRow(op.a);
    if (instruction.operands.size() == 3) {
        op.b = source(instruction, instruction.operands[2], key.from);
        op.readyB = readyOfRow(op.b);
    }
    op.d = destination(instruction.operands.at(0), ptx::typeBytes(key.to) == 8);
    if (ptx::typeBytes(key.to) < 8 && isWide(instruction.operands[0])) throw Unsupported{"a wider destination register"};
    op.readyD = readyOfRow(op.d);
    op.immediate = static_cast<std::int64_t>(key.rounding);
    emit(op);
}

const std::map<std::string_view, Decoder::Method> &Decoder::methods() {
    using D = Decoder;
    static const std::map<std::string_view, Method> table = [] {
        std::map<std::string_view, Method> m;
        for (const auto *name : {"add", "sub", "div", "rem", "min", "max", "abs", "neg", "fma", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin",
                                 "cos", "tanh", "copysign", "sad", "cnot", "brev", "bmsk", "szext"})
            m[name] = &D::simpleArithmetic;
        for (const auto *name : {"mul", "mad", "madc", "mul24", "mad24"}) m[name] = &D::multiply;
        for (const auto *name : {"addc", "subc"}) m[name] = &D::addWithCarry;
        for (const auto *name : {"bfe", "bfi"}) m[name] = &D::fieldOperation;
        for (const auto *name : {"popc", "clz", "bfind"}) m[name] = &D::unaryToWord;
        for (const auto *name : {"dp4a", "dp2a"}) m[name] = &D::dotProduct;
        for (const auto *name : {"and", "or", "xor", "not"}) m[name] = &D::logic;
        for (const auto *name : {"shl", "shr"}) m[name] = &D::shift;
        for (const auto *name : {"bar", "barrier"}) m[name] = &D::barrier;
        for (const auto *name : {"membar", "fence"}) m[name] = &D::fence;
        for (const auto *name : {"ret", "exit"}) m[name] = &D::leave;
        for (const auto *name : {"trap", "brkpt"}) m[name] = &D::trap;
        for (const auto *name : {"prefetch", "prefetchu", "discard", "applypriority"}) m[name] = &D::prefetch;
        for (const auto *name : {"pmevent", "griddepcontrol", "setmaxnreg"}) m[name] = &D::nothing;
        for (const auto *name : {"ld", "ldu"}) m[name] = &D::load;
        for (const auto *name : {"atom", "red"}) m[name] = &D::atomic;
        for (const auto *name : {"mma", "ldmatrix", "stmatrix", "movmatrix"}) m[name] = &D::matrix;
        m["wmma"] = &D::wmma;
        for (const auto *name : {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset"}) m[name] = &D::video;
        for (const auto *name : {"vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2", "vadd4", "vsub4", "vavrg4", "vabsdiff4",
                                 "vmin4", "vmax4", "vset4"})
            m[name] = &D::videoVector;
        for (const auto *name : {"tex", "tld4", "txq", "suld", "sust", "sured", "suq"}) m[name] = &D::texture;
        for (const auto *name : {"mapa", "getctarank"}) m[name] = &D::clusterAddress;
        for (const auto *name : {"alloca", "stacksave", "stackrestore"}) m[name] = &D::stackMemory;
        m["mbarrier"] = &D::barrierObject; m["wgmma"] = &D::warpgroup; m["createpolicy"] = &D::createPolicy;
        m["fns"] = &D::findNthSet;
        m["prmt"] = &D::permute; m["lop3"] = &D::logic3; m["shf"] = &D::funnelShift; m["cvt"] = &D::convert;
        m["setp"] = &D::compare; m["testp"] = &D::testProperty; m["set"] = &D::setValue; m["selp"] = &D::choose;
        m["slct"] = &D::chooseBySign; m["mov"] = &D::move; m["cvta"] = &D::convertAddress; m["isspacep"] = &D::isSpace;
        m["st"] = &D::store; m["cp"] = &D::copyAsync; m["bra"] = &D::branch; m["brx"] = &D::branchIndexed; m["call"] = &D::call;
        m["shfl"] = &D::shuffle; m["vote"] = &D::vote; m["match"] = &D::match; m["redux"] = &D::reduce;
        m["activemask"] = &D::activeMask; m["elect"] = &D::elect; m["nanosleep"] = &D::sleep;
        return m;
    }();
    return table;
}

} // namespace kernelskill::simulator
