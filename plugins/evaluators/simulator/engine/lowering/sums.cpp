// SPDX-License-Identifier: Apache-2.0
// Chains of constant additions inside a block: each sum is formed from the first register of its chain, and an address is
// that register with a displacement. After a loop was unrolled this leaves one addition for four; so does p + (i + 4) become
// (p + i) + 4 where p + i is there.
#include "engine/lowering/passes.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;

namespace {

struct Sum { std::uint32_t base = 0, version = 0; std::int64_t offset = 0; };
// A register that holds the sum of two others and a constant.
struct PairSum { std::uint32_t held = 0, heldVersion = 0, firstVersion = 0, secondVersion = 0; std::int64_t offset = 0; };

class Folder {
public:
    Folder(Graph &graph, Block &block) : m_graph(graph), m_block(block) {}
    void run() {
        for (auto &instruction : m_block.body) visit(instruction);
    }

private:
    void visit(Instruction &i);
    [[nodiscard]] Sum termOf(std::uint32_t r) {
        const Sum *sum = sumOf(r);
        return sum != nullptr ? *sum : Sum{r, m_versions[r], 0};
    }
    // Rewrites the sum of two registers as one of a register and a constant, if it can; otherwise remembers it.
    void foldPair(Instruction &i);
    void foldAddress(Operand &operand);
    [[nodiscard]] const Sum *sumOf(std::uint32_t r) const {
        const auto found = m_sums.find(r);
        if (found == m_sums.end()) return nullptr;
        const auto version = m_versions.find(found->second.base);
        return (version == m_versions.end() ? 0 : version->second) == found->second.version ? &found->second : nullptr;
    }

    Graph &m_graph;
    Block &m_block;
    std::unordered_map<std::uint32_t, Sum> m_sums;
    std::unordered_map<std::uint32_t, std::uint32_t> m_versions; // writes of a register so far
    std::map<std::pair<std::uint32_t, std::uint32_t>, PairSum> m_pairs;
};

void Folder::foldAddress(Operand &operand) {
    if (operand.kind != Operand::Kind::Address || operand.elements.size() != 1 || !isReg(operand.elements[0])) return;
    const Sum *sum = sumOf(operand.elements[0].index);
    if (sum == nullptr || ptx::typeBytes(m_graph.function.registers[sum->base].type) != 8) return;
    const std::int64_t offset = operand.offset + sum->offset;
    if (offset < -(1 << 23) || offset >= 1 << 23) return;
    operand.elements[0].index = sum->base;
    operand.offset = offset;
}

void Folder::foldPair(Instruction &i) {
    const bool plain = i.opcode == "add" && i.predicate < 0 && i.operands.size() == 3 && i.modifiers.size() == 1 && !ptx::isFloat(lastType(i)) && ptx::typeBytes(lastType(i)) >= 4;
    if (!plain || !std::ranges::all_of(i.operands, [](const Operand &o) { return isReg(o); })) return;
    Sum first = termOf(i.operands[1].index), second = termOf(i.operands[2].index);
    if (first.base > second.base) std::swap(first, second);
    const std::uint32_t made = i.operands[0].index;
    const std::int64_t offset = first.offset + second.offset;
    PairSum &known = m_pairs[{first.base, second.base}];
    const bool holds = known.heldVersion != 0 && m_versions[known.held] == known.heldVersion && known.firstVersion == first.version && known.secondVersion == second.version;
    if (!holds) {
        if (made != first.base && made != second.base) known = {made, m_versions[made] + 1, first.version, second.version, offset};
        return;
    }
    i.operands[1].index = known.held;
    i.operands[2] = Operand{};
    i.operands[2].kind = Operand::Kind::Integer;
    i.operands[2].bits = static_cast<std::uint64_t>(offset - known.offset);
}

void Folder::visit(Instruction &i) {
    for (auto &operand : i.operands) foldAddress(operand);
    foldPair(i);
    const Facts facts = factsOf(m_graph.function, i);
    const bool addition = i.opcode == "add" && i.predicate < 0 && i.operands.size() == 3 && i.modifiers.size() == 1 && !ptx::isFloat(lastType(i))
                          && ptx::typeBytes(lastType(i)) >= 4 && isReg(i.operands[0]) && isReg(i.operands[1]) && i.operands[2].kind == Operand::Kind::Integer;
    Sum sum;
    if (addition) {
        const bool wide = ptx::typeBytes(lastType(i)) == 8;
        const Sum *before = sumOf(i.operands[1].index);
        const auto own = wide ? static_cast<std::int64_t>(i.operands[2].bits) : static_cast<std::int32_t>(i.operands[2].bits);
        sum.base = before ? before->base : i.operands[1].index;
        sum.offset = (before ? before->offset : 0) + own;
        sum.version = m_versions[sum.base];
        const bool fits = sum.offset >= -(std::int64_t{1} << 31) && sum.offset < std::int64_t{1} << 31;
        if (before && fits) {
            i.operands[1].index = sum.base;
            i.operands[2].bits = static_cast<std::uint64_t>(sum.offset);
        }
        if (!fits) sum = {i.operands[1].index, m_versions[i.operands[1].index], own};
    }
    for (const auto r : facts.writes) {
        ++m_versions[r];
        m_sums.erase(r);
    }
    if (addition && sum.base != facts.writes[0]) m_sums[facts.writes[0]] = sum;
}

} // namespace

void foldSums(Graph &graph) {
    for (const auto b : graph.order) Folder(graph, graph.blocks[b]).run();
}

} // namespace kernelskill::simulator::lowering
