// SPDX-License-Identifier: Apache-2.0
// The order of instructions inside a block: a list scheduler with the machine's latencies that keeps the number of live
// registers within a limit.
//
// What may pass what: registers decide, and memory. A global load passes stores to shared and local memory, and one of
// read-only data all stores; two accesses of one space keep their order unless both stand on the same base at
// places that do not overlap, or both load. Nothing passes an ordered instruction but arithmetic.
#include "engine/lowering/lower.h"
#include "engine/lowering/passes.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Space;

namespace {

// Cycles from issue to the result, as the assembler plans with: a load from global memory is taken to be far away.
int latencyOf(const Instruction &i, const Facts &facts) {
    if (facts.effect == Effect::Load)
        return facts.space == Space::Shared ? 30 : facts.space == Space::Parameter || facts.space == Space::Constant ? 10 : 200;
    if (facts.effect == Effect::WarpWide) return i.opcode.ends_with("mma") && facts.space == Space::None ? 34 : facts.space == Space::Global ? 200 : 24;
    for (const auto *name : {"ex2", "lg2", "sin", "cos", "tanh", "rsqrt", "rcp", "sqrt", "div", "rem"})
        if (i.opcode == name) return 24;
    if (i.opcode == "cvt") return 8;
    return facts.effect == Effect::Ordered ? 8 : 4;
}

struct Node {
    std::uint32_t needs = 0; // nodes that have to be issued before
    int height = 0;          // longest way to the end of the block, in cycles
    int written = 0;         // 32-bit registers it writes
    std::vector<std::uint32_t> reads, writes;          // values
    std::vector<std::pair<std::uint32_t, int>> mayDie; // values it reads, how often, that do not outlive the block
};

// What a register holds between two writes of it in the block: it may be free in between.
struct Value {
    int width = 0;       // 32-bit registers
    bool before = false; // it is there when the block begins
    bool after = false;  // it is needed when the block ends
    int reads = 0;
    int readsLeft = 0;   // in the order being made
    bool alive = false;
};

// An order of a block's instructions, and the registers live at once under it.
struct Order {
    std::vector<std::uint32_t> nodes;
    int pressure = 0;
};

class Scheduler {
public:
    Scheduler(const Graph &graph, std::uint32_t block, const LiveSets &live, const std::vector<std::uint8_t> &width)
        : m_graph(graph), m_block(block), m_body(graph.blocks[block].body), m_live(live), m_width(width), m_facts(factsOf(graph.function, m_body)) {
        m_nodes.resize(m_body.size());
        m_after.resize(m_body.size());
        findValues();
        findEdges();
    }
    [[nodiscard]] Order order(int limit, bool followsSource);
    [[nodiscard]] Order asWritten();
    // The order with the widest limit that stays within `most` registers; else the one that needs least.
    [[nodiscard]] Order within(int most);

private:
    void findValues();
    void findEdges();
    void addRegisterEdges();
    void countBaseWrites();
    void addMemoryEdges();
    void edge(std::uint32_t from, std::uint32_t to, int latency);
    [[nodiscard]] bool mayConflict(std::uint32_t earlier, std::uint32_t later) const;
    void begin(int limit);
    [[nodiscard]] int pressureChange(std::uint32_t node) const;
    void issue(std::uint32_t node);
    [[nodiscard]] bool unlocks(std::uint32_t node) const;
    [[nodiscard]] std::size_t choose(int cycle) const;

    const Graph &m_graph;
    std::uint32_t m_block;
    const std::vector<Instruction> &m_body;
    const LiveSets &m_live;
    const std::vector<std::uint8_t> &m_width;
    std::vector<Facts> m_facts;
    std::vector<std::uint32_t> m_baseWrites; // of a memory access: how often its base was written before
    std::vector<Node> m_nodes;
    std::vector<Value> m_values;
    int m_through = 0; // registers live throughout that the block does not touch
    std::vector<std::vector<std::pair<std::uint32_t, int>>> m_after; // nodes that need one, and how long after it
    // of the order being made
    int m_limit = 0, m_pressure = 0;
    bool m_followsSource = false; // beyond the limit, the compiler's order counts for more
    std::vector<std::uint32_t> m_waits, m_candidates;
    std::vector<int> m_ready;                          // cycle at which a node's operands are there
};

void Scheduler::edge(std::uint32_t from, std::uint32_t to, int latency) {
    if (from == to) return;
    m_after[from].emplace_back(to, latency);
    ++m_nodes[to].needs;
}

void Scheduler::addRegisterEdges() {
    std::unordered_map<std::uint32_t, std::uint32_t> writer;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> readers;
    const std::uint32_t carry = static_cast<std::uint32_t>(m_graph.function.registers.size());
    for (std::uint32_t i = 0; i < m_body.size(); ++i) {
        std::vector<std::uint32_t> reads = m_facts[i].reads, writes = m_facts[i].writes;
        if (m_facts[i].carry) { // the carry flag is one more register
            reads.push_back(carry);
            writes.push_back(carry);
        }
        for (const auto r : reads) {
            if (const auto w = writer.find(r); w != writer.end()) edge(w->second, i, latencyOf(m_body[w->second], m_facts[w->second]));
        }
        for (const auto r : writes) {
            if (const auto w = writer.find(r); w != writer.end()) edge(w->second, i, 1);
            for (const auto reader : readers[r]) edge(reader, i, 0);
            readers[r].clear();
            writer[r] = i;
        }
        for (const auto r : reads) readers[r].push_back(i);
    }
}

bool Scheduler::mayConflict(std::uint32_t earlier, std::uint32_t later) const {
    const Facts &a = m_facts[earlier], &b = m_facts[later];
    if (a.effect != Effect::Store && b.effect != Effect::Store) return false;
    if (a.readOnly || b.readOnly) return false;
    if (a.space != b.space && a.space != Space::Generic && b.space != Space::Generic) return false;
    const auto *left = addressOf(m_body[earlier]), *right = addressOf(m_body[later]);
    if (a.space != b.space || left == nullptr || right == nullptr || !isSameBase(*left, *right)) return true;
    if (m_baseWrites[earlier] != m_baseWrites[later]) return true; // one base, but with a new value
    const auto offset = [&](std::uint32_t n) { return m_body[n].operands[m_body[n].opcode == "st" ? 0 : 1].offset; };
    return offset(earlier) < offset(later) + static_cast<std::int64_t>(b.bytes) && offset(later) < offset(earlier) + static_cast<std::int64_t>(a.bytes);
}

void Scheduler::countBaseWrites() {
    std::unordered_map<std::uint32_t, std::uint32_t> writes;
    m_baseWrites.assign(m_body.size(), 0);
    for (std::size_t i = 0; i < m_body.size(); ++i) {
        if (const auto *base = addressOf(m_body[i]); base != nullptr && isReg(*base)) m_baseWrites[i] = writes[base->index];
        for (const auto r : m_facts[i].writes) ++writes[r];
    }
}

void Scheduler::addMemoryEdges() {
    countBaseWrites();
    std::vector<std::uint32_t> accesses, wide; // since the last ordered instruction
    std::int64_t wall = -1;
    for (std::uint32_t i = 0; i < m_body.size(); ++i) {
        switch (m_facts[i].effect) {
        case Effect::Pure: break;
        case Effect::Ordered:
            for (const auto a : accesses) edge(a, i, 0);
            for (const auto w : wide) edge(w, i, 0);
            if (wall >= 0) edge(static_cast<std::uint32_t>(wall), i, 1);
            wall = i;
            accesses.clear();
            wide.clear();
            break;
        case Effect::WarpWide:
            if (wall >= 0) edge(static_cast<std::uint32_t>(wall), i, 1);
            wide.push_back(i);
            if (m_facts[i].space == Space::None) break;
            for (const auto a : accesses)
                if (mayConflict(a, i)) edge(a, i, m_facts[a].effect == Effect::Store ? 1 : 0);
            accesses.push_back(i);
            break;
        case Effect::Load: case Effect::Store:
            if (wall >= 0 && m_facts[i].space != Space::Parameter) edge(static_cast<std::uint32_t>(wall), i, 1);
            for (const auto a : accesses)
                if (mayConflict(a, i)) edge(a, i, m_facts[a].effect == Effect::Store ? 1 : 0);
            accesses.push_back(i);
            break;
        }
    }
}

void Scheduler::findValues() {
    std::unordered_map<std::uint32_t, std::uint32_t> now; // of a register: the value it holds
    const auto fresh = [&](std::uint32_t r) {
        Value value;
        value.width = m_width[r];
        m_values.push_back(value);
        return now[r] = static_cast<std::uint32_t>(m_values.size() - 1);
    };
    const auto read = [&](std::uint32_t r) {
        const auto known = now.find(r);
        const std::uint32_t value = known != now.end() ? known->second : fresh(r);
        if (known == now.end()) m_values[value].before = true;
        ++m_values[value].reads;
        return value;
    };
    for (std::size_t i = 0; i < m_body.size(); ++i) {
        for (const auto r : m_facts[i].reads) m_nodes[i].reads.push_back(read(r));
        for (const auto r : m_facts[i].writes) m_nodes[i].writes.push_back(fresh(r));
    }
    if (m_graph.blocks[m_block].end != Block::End::Jump)
        for (const auto r : factsOf(m_graph.function, m_graph.blocks[m_block].last).reads) m_values[read(r)].after = true;
    for (const auto &[r, value] : now)
        if (m_live.out(m_block, r)) m_values[value].after = true;
    const auto &words = m_live.inSet(m_block);
    for (std::size_t w = 0; w < words.size(); ++w)
        for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
            const auto r = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)));
            if (!now.contains(r)) m_through += m_width[r];
        }
}

void Scheduler::findEdges() {
    addRegisterEdges();
    addMemoryEdges();
    for (std::size_t i = m_body.size(); i-- > 0;) {
        const Facts &facts = m_facts[i];
        for (const auto r : facts.writes) m_nodes[i].written += m_width[r];
        const auto &reads = m_nodes[i].reads;
        for (std::size_t k = 0; k < reads.size(); ++k) {
            const bool seen = std::find(reads.begin(), reads.begin() + static_cast<std::ptrdiff_t>(k), reads[k]) != reads.begin() + static_cast<std::ptrdiff_t>(k);
            if (!seen && !m_values[reads[k]].after) m_nodes[i].mayDie.emplace_back(reads[k], static_cast<int>(std::ranges::count(reads, reads[k])));
        }
        m_nodes[i].height = latencyOf(m_body[i], m_facts[i]);
        for (const auto &[to, latency] : m_after[i]) m_nodes[i].height = std::max(m_nodes[i].height, latency + m_nodes[to].height);
    }
}

void Scheduler::begin(int limit) {
    m_limit = limit;
    m_pressure = m_through;
    m_candidates.clear();
    m_waits.clear();
    m_ready.assign(m_nodes.size(), 0);
    for (std::uint32_t i = 0; i < m_nodes.size(); ++i) {
        m_waits.push_back(m_nodes[i].needs);
        if (m_nodes[i].needs == 0) m_candidates.push_back(i);
    }
    for (auto &value : m_values) {
        value.readsLeft = value.reads;
        value.alive = value.before;
        if (value.alive) m_pressure += value.width;
    }
}

// Registers more (or fewer) that are live once the instruction has been issued.
int Scheduler::pressureChange(std::uint32_t node) const {
    int change = 0;
    for (const auto v : m_nodes[node].writes) change += m_values[v].width;
    for (const auto &[v, reads] : m_nodes[node].mayDie)
        if (m_values[v].readsLeft == reads && m_values[v].alive) change -= m_values[v].width;
    return change;
}

void Scheduler::issue(std::uint32_t node) {
    m_pressure += pressureChange(node);
    for (const auto v : m_nodes[node].reads) --m_values[v].readsLeft;
    for (const auto v : m_nodes[node].reads)
        if (m_values[v].readsLeft == 0 && !m_values[v].after) m_values[v].alive = false;
    for (const auto v : m_nodes[node].writes)
        if (m_values[v].after || m_values[v].readsLeft > 0) m_values[v].alive = true;
        else m_pressure -= m_values[v].width; // nobody reads it
}

// An instruction that waits for nothing but this one.
bool Scheduler::unlocks(std::uint32_t node) const {
    return std::ranges::any_of(m_after[node], [&](const auto &to) { return m_waits[to.first] == 1; });
}

// Index into the candidates. Within the limit: whose operands are there, then the longest way to the end. Beyond it: what
// frees registers, or what lets another instruction go on that may, and then the compiler's order.
std::size_t Scheduler::choose(int cycle) const {
    constexpr std::uint32_t window = 192; // instructions looked ahead, which bounds the time long blocks take
    const std::uint32_t farthest = *std::ranges::min_element(m_candidates) + window;
    std::size_t best = m_candidates.size();
    bool bestReady = false, bestFits = false;
    for (std::size_t c = 0; c < m_candidates.size(); ++c) {
        const std::uint32_t n = m_candidates[c];
        if (n > farthest) continue;
        const std::uint32_t b = best < m_candidates.size() ? m_candidates[best] : n;
        const bool surely = m_pressure + m_nodes[n].written <= m_limit;
        const int change = surely ? 0 : pressureChange(n);
        const bool fits = surely || m_pressure + change <= m_limit || change < (m_followsSource ? 0 : 1), ready = m_ready[n] <= cycle;
        bool better = best == m_candidates.size();
        if (!better && fits != bestFits) better = fits;
        else if (!better && !fits) better = !m_followsSource && unlocks(n) != unlocks(b) ? unlocks(n) : n < b;
        else if (!better && ready != bestReady) better = ready;
        else if (!better && !ready && m_ready[n] != m_ready[b]) better = m_ready[n] < m_ready[b];
        else if (!better) better = m_nodes[n].height > m_nodes[b].height || (m_nodes[n].height == m_nodes[b].height && n < b);
        if (!better) continue;
        best = c;
        bestReady = ready;
        bestFits = fits;
    }
    return best;
}

Order Scheduler::order(int limit, bool followsSource) {
    begin(limit);
    m_followsSource = followsSource;
    Order result;
    result.nodes.reserve(m_body.size());
    result.pressure = m_pressure;
    for (int cycle = 0; !m_candidates.empty(); ++cycle) {
        const std::size_t at = choose(cycle);
        const std::uint32_t node = m_candidates[at];
        m_candidates.erase(m_candidates.begin() + static_cast<std::ptrdiff_t>(at));
        cycle = std::max(cycle, m_ready[node]);
        issue(node);
        result.pressure = std::max(result.pressure, m_pressure);
        for (const auto &[to, latency] : m_after[node]) {
            m_ready[to] = std::max(m_ready[to], cycle + latency);
            if (--m_waits[to] == 0) m_candidates.push_back(to);
        }
        result.nodes.push_back(node);
    }
    return result;
}

Order Scheduler::asWritten() {
    begin(0);
    Order result;
    result.pressure = m_pressure;
    for (std::uint32_t node = 0; node < m_body.size(); ++node) {
        issue(node);
        result.pressure = std::max(result.pressure, m_pressure);
        result.nodes.push_back(node);
    }
    return result;
}

Order Scheduler::within(int most) {
    Order best = order(most, false);
    const std::pair<int, bool> tries[] = {{most - 4, false}, {most, true}, {most * 3 / 4, true}, {most / 2, true}, {most / 2, false}, {0, true}};
    for (const auto &[limit, followsSource] : tries) {
        if (best.pressure <= most) break;
        Order next = order(limit, followsSource);
        if (next.pressure < best.pressure) best = std::move(next);
    }
    if (best.pressure > most)
        if (Order next = asWritten(); next.pressure < best.pressure) return next;
    return best;
}

} // namespace

// The assembler aims at 32 registers, with which every warp of a multiprocessor is resident, and gives a kernel that does
// not fit what it needs and a little for loads that are on their way: registers are allocated by eights, so those up to the
// next step cost nothing.
void scheduleBlocks(Graph &graph) {
    const LiveSets live(graph);
    const std::vector<std::uint8_t> width = widthsOf(functionOf(graph), {});
    const int most = registerLimit(graph.function) - reservedRegisters;
    constexpr int fullOccupancy = 32 - reservedRegisters;
    std::vector<Scheduler> schedulers;
    std::vector<Order> orders;
    int needed = 0;
    for (const auto b : graph.order) {
        schedulers.emplace_back(graph, b, live, width);
        orders.push_back(schedulers.back().within(std::min(most, fullOccupancy)));
        needed = std::max(needed, orders.back().pressure);
    }
    constexpr int step = 8;
    const int allocated = (needed + needed / 16 + reservedRegisters + step - 1) / step * step;
    const int roomy = std::min(most, allocated - reservedRegisters);
    for (std::size_t i = 0; i < graph.order.size(); ++i) {
        if (needed > fullOccupancy && roomy > fullOccupancy) orders[i] = schedulers[i].within(roomy);
        auto &body = graph.blocks[graph.order[i]].body;
        std::vector<Instruction> sorted;
        sorted.reserve(body.size());
        for (const auto node : orders[i].nodes) sorted.push_back(std::move(body[node]));
        body = std::move(sorted);
    }
}

} // namespace kernelskill::simulator::lowering
