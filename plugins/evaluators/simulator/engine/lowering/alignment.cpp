// SPDX-License-Identifier: Apache-2.0
// Which power of two is known to divide a register's value: enough to prove that a vector access is aligned.
#include "engine/lowering/passes.h"

#include <algorithm>
#include <bit>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;

namespace {

constexpr int most = 16;

int exponentOf(std::uint64_t value) { return value == 0 ? most : std::min(most, std::countr_zero(value)); }

class Alignment {
public:
    Alignment(const Graph &graph, const ptx::Module &module) : m_graph(graph), m_module(module), m_known(graph.function.registers.size(), most) {}
    std::vector<std::uint8_t> run();

private:
    [[nodiscard]] int ofOperand(const Operand &operand) const;
    [[nodiscard]] int ofResult(const Instruction &instruction) const;

    const Graph &m_graph;
    const ptx::Module &m_module;
    std::vector<std::uint8_t> m_known;
};

int Alignment::ofOperand(const Operand &operand) const {
    switch (operand.kind) {
    case Operand::Kind::Register: return m_known[operand.index];
    case Operand::Kind::Integer: return exponentOf(operand.bits);
    default: return alignmentOfVariable(m_graph.function, m_module, operand);
    }
}

// A lower bound that only sinks as more becomes known of the operands.
int Alignment::ofResult(const Instruction &i) const {
    if (ptx::isFloat(lastType(i))) return 0;
    const auto operand = [&](std::size_t o) { return o < i.operands.size() ? ofOperand(i.operands[o]) : 0; };
    const auto constant = [&](std::size_t o) { return o < i.operands.size() && i.operands[o].kind == Operand::Kind::Integer; };
    if (i.opcode == "mov" || i.opcode == "cvta") return i.operands[1].kind == Operand::Kind::Vector ? 0 : operand(1);
    if (i.opcode == "cvt") return i.has("sat") || i.modifiers.size() != 2 ? 0 : operand(1);
    if (i.opcode == "add" || i.opcode == "sub") return i.has("sat") ? 0 : std::min(operand(1), operand(2));
    if (i.opcode == "or" || i.opcode == "xor") return std::min(operand(1), operand(2));
    if (i.opcode == "and") return std::max(operand(1), operand(2));
    if (i.opcode == "shl") return constant(2) ? std::min<int>(most, operand(1) + static_cast<int>(std::min<std::uint64_t>(i.operands[2].bits, most))) : operand(1);
    if (i.opcode == "mul" || i.opcode == "mad") {
        if (i.has("hi") || i.has("sat")) return 0;
        const int product = std::min(most, operand(1) + operand(2));
        return i.opcode == "mul" ? product : std::min(product, operand(3));
    }
    if (i.opcode == "selp" || i.opcode == "min" || i.opcode == "max") return std::min(operand(1), operand(2));
    return 0;
}

std::vector<std::uint8_t> Alignment::run() {
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto b : m_graph.order)
            for (const auto &instruction : m_graph.blocks[b].body)
                for (const auto r : factsOf(m_graph.function, instruction).writes) {
                    const bool single = isReg(instruction.operands[0]) && instruction.operands[0].paired.empty();
                    const int now = single ? ofResult(instruction) : 0;
                    if (now >= m_known[r]) continue;
                    m_known[r] = static_cast<std::uint8_t>(now);
                    changed = true;
                }
    }
    return std::move(m_known);
}

} // namespace

int alignmentOfVariable(const ptx::Function &function, const ptx::Module &module, const Operand &operand) {
    const auto of = [&](const ptx::Variable &variable) { return std::min(exponentOf(variable.alignment), exponentOf(static_cast<std::uint64_t>(operand.offset))); };
    if (operand.kind == Operand::Kind::Variable) return of(function.variables[operand.index]);
    if (operand.kind != Operand::Kind::Symbol) return 0;
    const auto found = std::ranges::find(module.variables, operand.symbol, &ptx::Variable::name);
    return found == module.variables.end() ? 0 : of(*found);
}

std::vector<std::uint8_t> alignmentOf(const Graph &graph, const ptx::Module &module) { return Alignment(graph, module).run(); }

} // namespace kernelskill::simulator::lowering
