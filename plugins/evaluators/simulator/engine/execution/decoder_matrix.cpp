// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of the tensor cores.
#include "engine/execution/decoder.h"

#include "engine/execution/rare/matrix.h"

#include <algorithm>
#include <charconv>

namespace kernelskill::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

namespace {

// m, n and k of "m16n8k16"; zeros when no modifier has this form.
MatrixShape shapeOf(const Instruction &instruction) {
    MatrixShape shape;
    shape.m = shape.n = shape.k = 0;
    for (const auto &text : instruction.modifiers) {
        int *const numbers[] = {&shape.m, &shape.n, &shape.k};
        static constexpr char letters[] = {'m', 'n', 'k'};
        const char *at = text.data(), *const end = at + text.size();
        int read = 0;
        for (; read < 3 && at != end && *at == letters[read]; ++read) {
            const auto [next, error] = std::from_chars(at + 1, end, *numbers[read]);
            if (error != std::errc{}) break;
            at = next;
        }
        if (read == 3 && at == end) return shape;
        shape.m = shape.n = shape.k = 0;
    }
    return shape;
}

// Shapes that have fragments by the rules of rare/matrix.cpp.
bool isKnown(const MatrixShape &s) {
    const int deep = s.a == Type::F64 ? 16 : 8 * elementsPerRegister(s.a), e = elementsPerRegister(s.a);
    if (s.quadPairs) return s.a == Type::F16 && s.b == Type::F16;
    if (s.n != 8 || (s.m != 8 && s.m != 16) || elementsPerRegister(s.b) != e || (s.a == Type::F64) != (s.b == Type::F64)) return false;
    if (s.m == 8) return s.k == 4 * e && (s.a == Type::F64 || e >= 4); // one register each
    return s.k == 4 * e || s.k == 8 * e || (s.a == Type::F64 && s.k == deep);
}

bool typesAgree(const MatrixShape &s) {
    const bool isInteger = s.a == Type::S8 || s.a == Type::U8 || s.a == Type::S4 || s.a == Type::U4 || s.a == Type::B1;
    if (isInteger) return s.c == Type::S32 && s.d == Type::S32 && (s.b == Type::S8 || s.b == Type::U8 || s.b == Type::S4 || s.b == Type::U4 || s.b == Type::B1) && (s.a == Type::B1) == (s.b == Type::B1);
    if (s.a == Type::F64) return s.b == Type::F64 && s.c == Type::F64 && s.d == Type::F64;
    const bool isF8 = s.a == Type::F8E4m3 || s.a == Type::F8E5m2;
    if (isF8 ? s.b != Type::F8E4m3 && s.b != Type::F8E5m2 : s.a != s.b) return false;
    if (s.a != Type::F16 && s.a != Type::Bf16 && s.a != Type::Tf32 && !isF8) return false;
    const bool halves = s.a == Type::F16 || isF8;
    return (s.d == Type::F32 || (halves && s.d == Type::F16)) && (s.c == Type::F32 || (halves && s.c == Type::F16));
}

} // namespace

void Decoder::matrix(const Instruction &instruction) {
    if (instruction.opcode == "ldmatrix" || instruction.opcode == "stmatrix") return moveMatrices(instruction);
    if (instruction.opcode == "movmatrix") return transpose(instruction);
    if (instruction.opcode != "mma" || instruction.has("sp") || instruction.has("sp::ordered_metadata") || instruction.has("block_scale")) throw Unsupported{};
    const std::vector<Type> types = typesNamed(instruction);
    if (types.size() != 4) throw Unsupported{};
    MatrixShape shape = shapeOf(instruction);
    shape.d = types[0];
    shape.a = types[1];
    shape.b = types[2];
    shape.c = types[3];
    shape.saturate = instruction.has("satfinite");
    shape.conjunction = instruction.has("and");
    shape.quadPairs = shape.m == 8 && shape.k == 4 && shape.a == Type::F16;
    if (shape.quadPairs) {
        const auto first = std::ranges::find_if(instruction.modifiers, [](const auto &m) { return m == "row" || m == "col"; });
        if (first == instruction.modifiers.end() || first + 1 == instruction.modifiers.end()) throw Unsupported{};
        shape.columnA = *first == "col";
        shape.rowB = *(first + 1) == "row";
    } else if (!instruction.has("row") || !instruction.has("col")) throw Unsupported{};
    if (!isKnown(shape) || !typesAgree(shape)) throw Unsupported{"the shape"};
    const bool isDouble = types[0] == Type::F64;
    const int depth = shape.k;
    const int elements = elementsPerRegister(types[1]);
    const bool usual = types[1] == types[2] && types[0] == types[3] && !shape.saturate && (isDouble ? shape.m == 8 : shape.m == 16 && elements <= 4)
                    && types[1] != Type::F8E4m3 && types[1] != Type::F8E5m2;
    if (!usual) return multiplyGeneral(instruction, shape);
    const std::string name = isDouble ? "mma.f64" : types[0] == Type::F32 ? "mma.f32" : types[0] == Type::F16 ? "mma.f16" : "mma.s32";
    MicroOp op = make(instruction, InstructionClass::Tensor);
    op.full = op.masked = m_isa.tensor(name.c_str(), types[1]);
    if (op.full == nullptr) throw Unsupported{};
    const std::size_t accumulators = isDouble ? 2 : types[0] == Type::F16 ? 2 : 4;
    const std::size_t a = isDouble ? 1 : static_cast<std::size_t>(2 * depth / (4 * elements)), b = isDouble ? 1 : static_cast<std::size_t>(depth / (4 * elements));
    const std::size_t counts[] = {accumulators, a, b, accumulators};
    const Type rowType = isDouble ? Type::B64 : Type::B32;
    std::vector<std::uint32_t> rows{static_cast<std::uint32_t>(depth)};
    for (std::size_t i = 0; i < 4; ++i) {
        const Operand &operand = instruction.operands.at(i);
        if (operand.kind != Operand::Kind::Vector && counts[i] == 1) {
            rows.push_back(source(instruction, operand, rowType));
            continue;
        }
        if (operand.elements.size() != counts[i]) throw Unsupported{"the number of registers"};
        for (const auto &element : operand.elements) rows.push_back(i == 0 ? destination(element, isDouble) : source(instruction, element, i == 3 && types[3] == Type::F32 ? Type::F32 : rowType));
    }
    scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->entries.size());
    m_program->entries.insert(m_program->entries.end(), rows.begin(), rows.end());
    const std::int64_t flops = 2ll * (isDouble ? 8 : 16) * 8 * depth;
    op.immediate = flops << 32;
    op.control = Control::Join;
    op.target = constant(fullMask, false);
    emit(op);
}

// Any shape, element by element. The operands are d, a, b and c.
void Decoder::multiplyGeneral(const Instruction &instruction, const MatrixShape &shape) {
    std::vector<std::uint32_t> rows;
    const std::size_t counts[] = {shape.registersOf(shape.d), shape.registersA(), shape.registersB(), shape.registersOf(shape.c)};
    const Type types[] = {shape.d, shape.a, shape.b, shape.c};
    for (std::size_t i = 0; i < 4; ++i) {
        const Operand &operand = instruction.operands.at(i);
        const Type type = types[i] == Type::F64 || types[i] == Type::F32 ? types[i] : Type::B32;
        const bool single = operand.kind != Operand::Kind::Vector;
        if ((single ? 1 : operand.elements.size()) != counts[i]) throw Unsupported{"the number of registers"};
        for (std::size_t r = 0; r < counts[i]; ++r) {
            const Operand &element = single ? operand : operand.elements[r];
            rows.push_back(i == 0 ? destination(element, type == Type::F64) : source(instruction, element, type));
        }
    }
    emitGeneral(instruction, shape, rows);
}

void Decoder::emitGeneral(const Instruction &instruction, const MatrixShape &shape, const std::vector<std::uint32_t> &rows) {
    MicroOp op = make(instruction, InstructionClass::Tensor);
    op.full = op.masked = multiplyMatrices;
    scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->entries.size());
    const auto header = shape.entries();
    m_program->entries.insert(m_program->entries.end(), header.begin(), header.end());
    m_program->entries.insert(m_program->entries.end(), rows.begin(), rows.end());
    op.immediate = (2ll * shape.m * shape.n * shape.k * (shape.quadPairs ? 4 : 1)) << 32;
    op.control = Control::Join;
    op.target = constant(fullMask, false);
    emit(op);
}

void Decoder::transpose(const Instruction &instruction) { // movmatrix
    if (!instruction.has("trans") || !instruction.has("m8n8") || !instruction.has("b16")) throw Unsupported{};
    MicroOp op = make(instruction, InstructionClass::Shuffle);
    op.full = op.masked = transposeMatrix;
    op.d = destination(instruction.operands.at(0), false);
    op.a = source(instruction, instruction.operands.at(1), Type::B32);
    scoreboard(op, instruction);
    op.control = Control::Join;
    op.target = constant(fullMask, false);
    emit(op);
}

void Decoder::moveMatrices(const Instruction &instruction) {
    const bool store = instruction.opcode == "stmatrix";
    if (!instruction.has("m8n8") || !instruction.has("b16")) throw Unsupported{"the shape"};
    MemoryOperand m;
    m.count = instruction.has("x4") ? 4 : instruction.has("x2") ? 2 : 1;
    m.elementBytes = 16;
    addressOperand(instruction, instruction.operands.at(store ? 0 : 1), AddressSpaceKind::Shared, m);
    const Operand &registers = instruction.operands.at(store ? 1 : 0);
    for (std::size_t i = 0; i < m.count; ++i) {
        const Operand &element = registers.kind == Operand::Kind::Vector ? registers.elements.at(i) : registers;
        m.rows[i] = store ? source(instruction, element, Type::B32) : destination(element, false);
    }
    MicroOp op = make(instruction, store ? InstructionClass::StoreShared : InstructionClass::LoadShared);
    const std::string name = instruction.opcode + (instruction.has("trans") ? ".trans" : "");
    op.full = op.masked = m_isa.tensor(name.c_str(), Type::B16);
    op.canStop = true;
    scoreboard(op, instruction);
    op.extra = static_cast<std::uint32_t>(m_program->memory.size());
    m_program->memory.push_back(m);
    op.control = Control::Join;
    op.target = constant(fullMask, false);
    emit(op);
}

} // namespace kernelskill::simulator
