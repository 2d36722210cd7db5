// SPDX-License-Identifier: Apache-2.0
// Lays blocks out so that lanes meet again.
//
// The engine runs the lanes with the smallest program counter first and lets lanes join that stand at the same one. So all
// blocks between a branch and the place where its ways meet have to lie before that place, and the blocks of a loop before
// what follows it: then nobody runs past a meeting place that others still have to reach. That is a topological order of
// the forward edges in which every loop is one piece. Where the program allows a choice, a block follows the one that can
// fall through to it, and the order of the source decides otherwise.
#include "engine/lowering/passes.h"

#include <algorithm>

namespace kernelskill::simulator::lowering {
namespace {

class Layout {
public:
    Layout(const Graph &graph, const Loops &loops) : m_graph(graph), m_loops(loops), m_waiting(graph.blocks.size(), 0), m_rank(graph.blocks.size(), 0) {
        for (std::uint32_t i = 0; i < graph.order.size(); ++i) m_rank[graph.order[i]] = i;
        for (const auto b : graph.order)
            for (const auto p : graph.blocks[b].predecessors)
                if (!isBack(p, b)) ++m_waiting[b];
    }
    std::vector<std::uint32_t> run();

private:
    [[nodiscard]] bool inside(std::uint32_t block, std::uint32_t loop) const {
        for (std::uint32_t l = m_loops.innermost[block]; l != noBlock; l = m_loops.loops[l].outer)
            if (l == loop) return true;
        return loop == noBlock;
    }
    // An edge from inside a loop to its header.
    [[nodiscard]] bool isBack(std::uint32_t from, std::uint32_t to) const {
        for (std::uint32_t l = m_loops.innermost[from]; l != noBlock; l = m_loops.loops[l].outer)
            if (m_loops.loops[l].header == to) return true;
        return false;
    }
    [[nodiscard]] std::uint32_t choose(std::uint32_t last) const;

    const Graph &m_graph;
    const Loops &m_loops;
    std::vector<std::uint32_t> m_waiting, m_rank, m_ready;
};

// The next block: inside the innermost loop of the last one as long as there is any, and there the one it falls through to.
std::uint32_t Layout::choose(std::uint32_t last) const {
    for (std::uint32_t loop = m_loops.innermost[last];; loop = m_loops.loops[loop].outer) {
        std::uint32_t best = noBlock;
        for (const auto b : m_ready)
            if (inside(b, loop) && (best == noBlock || m_rank[b] < m_rank[best])) best = b;
        const auto &targets = m_graph.blocks[last].targets;
        for (std::size_t t = targets.size(); t-- > 0;)
            if (inside(targets[t], loop) && std::ranges::find(m_ready, targets[t]) != m_ready.end()) return targets[t];
        if (best != noBlock || loop == noBlock) return best;
    }
}

std::vector<std::uint32_t> Layout::run() {
    std::vector<std::uint32_t> order;
    m_ready = {0};
    std::uint32_t last = 0;
    while (!m_ready.empty()) {
        const std::uint32_t next = choose(last);
        std::erase(m_ready, next);
        order.push_back(next);
        std::vector<std::uint32_t> targets = m_graph.blocks[next].targets;
        std::ranges::sort(targets);
        targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
        for (const auto t : targets)
            if (!isBack(next, t) && --m_waiting[t] == 0) m_ready.push_back(t);
        last = next;
    }
    return order;
}

} // namespace

void orderBlocks(Graph &graph) {
    const Loops loops = loopsOf(graph);
    if (loops.irreducible) return; // as the compiler laid it out
    std::vector<std::uint32_t> order = Layout(graph, loops).run();
    if (order.size() == graph.order.size()) graph.order = std::move(order);
}

} // namespace kernelskill::simulator::lowering
