// SPDX-License-Identifier: Apache-2.0
// A choice between a value and what arithmetic makes of it becomes arithmetic under a guard:
//
//     t = a + x; d = p ? a : t        →        d = a; @!p d = a + x
//
// where nobody else uses t, and a for the last time, so that d takes a's register and the first move disappears.
#include "engine/lowering/passes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;

namespace {

constexpr std::uint32_t none = ~0u;

class Selections {
public:
    explicit Selections(Graph &graph) : m_graph(graph), m_reads(graph.function.registers.size(), 0), m_writes(graph.function.registers.size(), 0) {
        for (const auto b : graph.order) {
            for (const auto &i : graph.blocks[b].body) count(i);
            count(graph.blocks[b].last);
        }
    }
    void run() {
        for (const auto b : m_graph.order) inBlock(m_graph.blocks[b].body);
    }

private:
    void count(const Instruction &i) {
        const Facts facts = factsOf(m_graph.function, i);
        for (const auto r : facts.reads) ++m_reads[r];
        for (const auto r : facts.writes) ++m_writes[r];
    }
    void inBlock(std::vector<Instruction> &body);
    [[nodiscard]] bool isFoldable(const Instruction &made, std::uint32_t result, std::uint32_t other) const;

    Graph &m_graph;
    std::vector<std::uint32_t> m_reads, m_writes; // in the whole function
    // in the block so far: reads of each register, and where it was written last
    std::vector<std::uint32_t> m_readsHere, m_madeAt;
};

// One machine instruction that makes `result` for this choice alone out of `other`, which dies here, and of operands that
// are what they were.
bool Selections::isFoldable(const Instruction &made, std::uint32_t result, std::uint32_t other) const {
    static constexpr std::array<std::string_view, 4> operations{"add", "sub", "mul", "fma"};
    if (std::ranges::find(operations, std::string_view(made.opcode)) == operations.end() || made.predicate >= 0 || lastType(made) != ptx::Type::F32) return false;
    if (m_reads[result] != 1 || m_writes[result] != 1 || m_readsHere[other] + 1 != m_reads[other]) return false;
    const auto uses = std::ranges::count_if(made.operands, [&](const Operand &o) { return isReg(o) && o.index == other; });
    return uses == 1 && std::ranges::all_of(factsOf(m_graph.function, made).reads, [&](std::uint32_t r) { return m_madeAt[r] == none || m_madeAt[r] < m_madeAt[result]; });
}

void Selections::inBlock(std::vector<Instruction> &body) {
    m_madeAt.assign(m_graph.function.registers.size(), none);
    m_readsHere.assign(m_graph.function.registers.size(), 0);
    std::vector<Instruction> result;
    for (auto &i : body) {
        const bool choice = i.opcode == "selp" && i.predicate < 0 && i.operands.size() == 4 && isReg(i.operands[0]) && isReg(i.operands[1]) && isReg(i.operands[2]) && isReg(i.operands[3]);
        bool folded = false;
        for (std::size_t side = 1; choice && !folded && side <= 2; ++side) {
            const std::uint32_t made = i.operands[side].index, other = i.operands[3 - side].index;
            if (made == other || m_madeAt[made] == none || !isFoldable(result[m_madeAt[made]], made, other)) continue;
            Instruction guarded = result[m_madeAt[made]];
            const std::vector<std::uint32_t> operands = factsOf(m_graph.function, guarded).reads;
            const std::uint32_t chosen = i.operands[0].index;
            if (chosen != other && std::ranges::find(operands, chosen) != operands.end()) continue; // the move would overwrite it
            guarded.operands[0] = i.operands[0];
            guarded.predicate = static_cast<std::int32_t>(i.operands[3].index);
            guarded.predicateNegated = (side == 2) != i.operands[3].negated;
            result[m_madeAt[made]].opcode.clear();
            Instruction move = i;
            move.opcode = "mov";
            move.modifiers = {"f32"};
            move.operands = {i.operands[0], i.operands[3 - side]};
            result.push_back(std::move(move));
            result.push_back(std::move(guarded));
            folded = true;
        }
        const Facts facts = factsOf(m_graph.function, i);
        for (const auto r : facts.reads) ++m_readsHere[r];
        for (const auto r : facts.writes) m_madeAt[r] = static_cast<std::uint32_t>(folded ? result.size() - 1 : result.size());
        if (!folded) result.push_back(std::move(i));
    }
    std::erase_if(result, [](const Instruction &i) { return i.opcode.empty(); });
    body = std::move(result);
}

} // namespace

void foldSelections(Graph &graph) { Selections(graph).run(); }

} // namespace kernelskill::simulator::lowering
