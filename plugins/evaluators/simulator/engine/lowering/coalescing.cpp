// SPDX-License-Identifier: Apache-2.0
// A move between two registers that are never live together needs no instruction: both become one register.
#include "engine/lowering/passes.h"

#include <algorithm>
#include <numeric>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;

namespace {

bool isMove(const ptx::Function &function, const Instruction &i) {
    if (i.opcode != "mov" || i.operands.size() != 2 || !isReg(i.operands[0]) || !isReg(i.operands[1])) return false;
    const auto to = function.registers[i.operands[0].index].type, from = function.registers[i.operands[1].index].type;
    return to != ptx::Type::Pred && from != ptx::Type::Pred && ptx::typeBytes(to) == ptx::typeBytes(from);
}

class Coalescer {
public:
    explicit Coalescer(Graph &graph) : m_graph(graph) {}
    void run();

private:
    void findMoves();
    void findInterference();
    void walk(std::uint32_t block, const LiveSets &live);
    void define(std::uint32_t r, std::uint32_t copyOf, const std::vector<std::uint32_t> &live);
    void rename(Operand &operand) const;
    [[nodiscard]] std::uint32_t root(std::uint32_t node) const {
        while (m_parent[node] != node) node = m_parent[node];
        return node;
    }

    Graph &m_graph;
    std::vector<std::uint32_t> m_node;      // of each register; noBlock: in no move
    std::vector<std::uint32_t> m_register;  // of each node
    std::vector<std::uint32_t> m_parent;    // nodes that became one
    std::vector<std::vector<std::uint64_t>> m_conflicts;
};

void Coalescer::findMoves() {
    m_node.assign(m_graph.function.registers.size(), noBlock);
    const auto add = [&](std::uint32_t r) {
        if (m_node[r] != noBlock) return;
        m_node[r] = static_cast<std::uint32_t>(m_register.size());
        m_register.push_back(r);
    };
    for (const auto b : m_graph.order)
        for (const auto &i : m_graph.blocks[b].body)
            if (isMove(m_graph.function, i)) {
                add(i.operands[0].index);
                add(i.operands[1].index);
            }
    m_parent.resize(m_register.size());
    std::iota(m_parent.begin(), m_parent.end(), 0u);
    m_conflicts.assign(m_register.size(), std::vector<std::uint64_t>(m_register.size() / 64 + 1, 0));
}

void Coalescer::define(std::uint32_t r, std::uint32_t copyOf, const std::vector<std::uint32_t> &live) {
    const std::uint32_t node = m_node[r];
    if (node == noBlock) return;
    for (const auto other : live) {
        if (other == node || other == copyOf) continue;
        m_conflicts[node][other >> 6] |= std::uint64_t{1} << (other & 63);
        m_conflicts[other][node >> 6] |= std::uint64_t{1} << (node & 63);
    }
}

void Coalescer::walk(std::uint32_t b, const LiveSets &live) {
    std::vector<std::uint32_t> now; // live nodes
    std::vector<bool> in(m_register.size(), false);
    for (std::uint32_t n = 0; n < m_register.size(); ++n)
        if (live.out(b, m_register[n])) {
            now.push_back(n);
            in[n] = true;
        }
    const auto visit = [&](const Instruction &i) {
        const Facts facts = factsOf(m_graph.function, i);
        const std::uint32_t copyOf = isMove(m_graph.function, i) ? m_node[i.operands[1].index] : noBlock;
        for (const auto r : facts.writes) define(r, copyOf, now);
        for (const auto r : facts.writes) // results of one instruction exist together
            for (const auto other : facts.writes)
                if (r != other && m_node[other] != noBlock) define(r, noBlock, {m_node[other]});
        for (const auto r : facts.writes)
            if (const auto n = m_node[r]; n != noBlock && in[n]) {
                in[n] = false;
                std::erase(now, n);
            }
        for (const auto r : facts.reads)
            if (const auto n = m_node[r]; n != noBlock && !in[n]) {
                in[n] = true;
                now.push_back(n);
            }
    };
    const Block &block = m_graph.blocks[b];
    if (block.end != Block::End::Jump) visit(block.last);
    for (std::size_t i = block.body.size(); i-- > 0;) visit(block.body[i]);
}

void Coalescer::findInterference() {
    const LiveSets live(m_graph);
    for (const auto b : m_graph.order) walk(b, live);
    // what is live into the kernel without a definition is live together
    std::vector<std::uint32_t> undefined;
    for (std::uint32_t n = 0; n < m_register.size(); ++n)
        if (live.in(0, m_register[n])) undefined.push_back(n);
    for (const auto n : undefined) define(m_register[n], noBlock, undefined);
}

void Coalescer::rename(Operand &operand) const {
    if (isReg(operand) && m_node[operand.index] != noBlock) operand.index = m_register[root(m_node[operand.index])];
    for (auto &element : operand.elements) rename(element);
    for (auto &other : operand.paired) rename(other);
}

void Coalescer::run() {
    findMoves();
    if (m_register.empty()) return;
    findInterference();
    for (const auto b : m_graph.order)
        for (const auto &i : m_graph.blocks[b].body) {
            if (!isMove(m_graph.function, i)) continue;
            const std::uint32_t to = root(m_node[i.operands[0].index]), from = root(m_node[i.operands[1].index]);
            if (to == from || (m_conflicts[to][from >> 6] >> (from & 63) & 1)) continue;
            m_parent[from] = to;
            for (std::size_t w = 0; w < m_conflicts[to].size(); ++w) m_conflicts[to][w] |= m_conflicts[from][w];
            for (std::uint32_t n = 0; n < m_register.size(); ++n)
                if (m_conflicts[from][n >> 6] >> (n & 63) & 1) m_conflicts[n][to >> 6] |= std::uint64_t{1} << (to & 63);
        }
    for (const auto b : m_graph.order) {
        Block &block = m_graph.blocks[b];
        for (auto &i : block.body)
            for (auto &operand : i.operands) rename(operand);
        for (auto &operand : block.last.operands) rename(operand);
        std::erase_if(block.body, [&](const Instruction &i) { return isMove(m_graph.function, i) && i.operands[0].index == i.operands[1].index; });
    }
}

} // namespace

void coalesceMoves(Graph &graph) { Coalescer(graph).run(); }

} // namespace kernelskill::simulator::lowering
