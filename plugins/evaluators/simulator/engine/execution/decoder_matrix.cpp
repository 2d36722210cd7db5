// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of the tensor cores.
#include "engine/execution/decoder.h"

#include <charconv>

namespace kernelskill::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

namespace {

// The k of "m16n8k16"; 0 for other shapes.
int depthOf(const Instruction &instruction, std::string_view shape) {
    for (const auto &m : instruction.modifiers) {
        if (!m.starts_with(shape)) continue;
        int depth = 0;
        std::from_chars(m.data() + shape.size(), m.data() + m.size(), depth);
        return depth;
    }
    return 0;
}

} // namespace

void Decoder::matrix(const Instruction &instruction) {
    if (instruction.opcode == "ldmatrix" || instruction.opcode == "stmatrix") return moveMatrices(instruction);
    if (instruction.opcode != "mma" || instruction.has("sp") || instruction.has("block_scale")) throw Unsupported{};
    std::vector<Type> types;
    for (const auto &m : instruction.modifiers)
        if (const auto type = ptx::typeFromName(m)) types.push_back(*type);
    if (types.size() != 4 || types[1] != types[2] || !instruction.has("row") || !instruction.has("col")) throw Unsupported{};
    const bool isDouble = types[0] == Type::F64;
    const int depth = depthOf(instruction, isDouble ? "m8n8k" : "m16n8k");
    const int elements = types[1] == Type::F16 || types[1] == Type::Bf16 ? 2 : types[1] == Type::S8 || types[1] == Type::U8 ? 4 : 1;
    if (depth == 0 || depth > 64 || (isDouble && depth != 4) || (!isDouble && depth % (4 * elements) != 0)) throw Unsupported{"the shape"};
    if (types[0] != types[3] || instruction.has("satfinite")) throw Unsupported{};
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
