// SPDX-License-Identifier: Apache-2.0
// Small branches become guarded instructions.
//
//     A: … @p bra J            A: … [T's instructions guarded by !p]  J: …
//     T: …          →
//     J: …
//
// and the same with an arm on both sides. The innermost branches go first: an arm that holds guarded instructions itself
// gets conjunctions of the predicates. A branch straight to the end of a kernel becomes a guarded ret. Before the small body of
// "if (a || b)" the second test is guarded by the first and both become one predicate.
#include "engine/lowering/passes.h"

#include <algorithm>
#include <map>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;

namespace {

constexpr std::size_t mostInArm = 10; // what the assembler was seen to guard; see tests/plugins/simulator_engine/ptxas_facts

struct Guard { std::uint32_t predicate = 0; bool negated = false; };

Operand registerOperand(const Graph &graph, std::uint32_t index, bool negated) {
    Operand operand;
    operand.kind = Operand::Kind::Register;
    operand.index = index;
    operand.negated = negated;
    operand.symbol = graph.function.registers[index].name;
    return operand;
}

bool convertible(const Graph &graph, const Block &arm, Guard guard) {
    if (arm.body.size() > mostInArm) return false;
    for (const auto &instruction : arm.body) {
        const Facts facts = factsOf(graph.function, instruction);
        if (facts.effect == Effect::Ordered || facts.effect == Effect::WarpWide || facts.carry || expandsToBranch(instruction)) return false;
        if (std::ranges::find(facts.writes, guard.predicate) != facts.writes.end()) return false;
    }
    return true;
}

class Conversion {
public:
    explicit Conversion(Graph &graph) : m_graph(graph), m_live(graph), m_rank(graph.blocks.size(), 0) {
        for (std::uint32_t i = 0; i < graph.order.size(); ++i) m_rank[graph.order[i]] = i;
    }
    bool run();

private:
    bool convert(std::uint32_t at);
    bool guardLeave(std::uint32_t at);
    bool joinTests(std::uint32_t at);
    void append(Block &to, std::uint32_t arm, Guard guard, std::uint32_t join, std::uint32_t later);
    std::uint32_t conjunction(Block &to, Guard outer, const Instruction &inner);
    bool surelyWrites(std::uint32_t block, std::uint32_t r) const;
    bool isArm(std::uint32_t arm, std::uint32_t from, std::uint32_t join, Guard guard) const;

    Graph &m_graph;
    LiveSets m_live;
    std::vector<std::uint32_t> m_rank; // of each block in the source
    std::map<std::pair<std::uint32_t, bool>, std::uint32_t> m_conjunctions; // of the arm being appended
};

bool Conversion::isArm(std::uint32_t arm, std::uint32_t from, std::uint32_t join, Guard guard) const {
    const Block &block = m_graph.blocks[arm];
    return arm != join && arm != from && block.predecessors.size() == 1 && block.end == Block::End::Jump && block.targets[0] == join
           && convertible(m_graph, block, guard);
}

bool Conversion::surelyWrites(std::uint32_t block, std::uint32_t r) const {
    return std::ranges::any_of(m_graph.blocks[block].body, [&](const Instruction &i) {
        const std::vector<std::uint32_t> writes = factsOf(m_graph.function, i).writes;
        return i.predicate < 0 && std::ranges::find(writes, r) != writes.end();
    });
}

std::uint32_t Conversion::conjunction(Block &to, Guard outer, const Instruction &inner) {
    const std::pair<std::uint32_t, bool> key{static_cast<std::uint32_t>(inner.predicate), inner.predicateNegated};
    if (const auto known = m_conjunctions.find(key); known != m_conjunctions.end()) return known->second;
    const auto fresh = static_cast<std::uint32_t>(m_graph.function.registers.size());
    m_graph.function.registers.push_back({"%both" + std::to_string(fresh), ptx::Type::Pred});
    Instruction both;
    both.opcode = "and";
    both.modifiers = {"pred"};
    both.place = inner.place;
    both.ptxLine = inner.ptxLine;
    both.operands = {registerOperand(m_graph, fresh, false), registerOperand(m_graph, outer.predicate, outer.negated),
                     registerOperand(m_graph, key.first, key.second)};
    to.body.push_back(std::move(both));
    return m_conjunctions[key] = fresh;
}

// The arm's instructions at the end of `to`. `later` is the other arm when it follows, else noBlock.
void Conversion::append(Block &to, std::uint32_t arm, Guard guard, std::uint32_t join, std::uint32_t later) {
    m_conjunctions.clear();
    for (auto &instruction : m_graph.blocks[arm].body) {
        const Facts facts = factsOf(m_graph.function, instruction);
        const bool wasFresh = instruction.predicate < 0 || instruction.freshResult;
        const bool unseen = std::ranges::all_of(facts.writes, [&](std::uint32_t r) {
            if (later != noBlock && m_live.in(later, r)) return false;
            return !m_live.in(join, r) || (later != noBlock && surelyWrites(later, r));
        });
        if (instruction.predicate >= 0) {
            instruction.predicate = static_cast<std::int32_t>(conjunction(to, guard, instruction));
            instruction.predicateNegated = false;
        } else {
            instruction.predicate = static_cast<std::int32_t>(guard.predicate);
            instruction.predicateNegated = guard.negated;
        }
        instruction.freshResult = wasFresh && unseen;
        for (const auto r : facts.writes) { // a predicate with a new value: its conjunctions are stale
            m_conjunctions.erase({r, false});
            m_conjunctions.erase({r, true});
        }
        to.body.push_back(std::move(instruction));
    }
    m_graph.blocks[arm].body.clear();
}

// "@p bra END" where END only leaves the kernel. The way back of a loop stays the branch it is.
bool Conversion::guardLeave(std::uint32_t at) {
    Block &block = m_graph.blocks[at];
    if (!m_graph.function.isKernel) return false;
    for (std::size_t side = 0; side < 2; ++side) {
        const Block &target = m_graph.blocks[block.targets[side]];
        if (m_rank[block.targets[1 - side]] <= m_rank[at]) continue;
        if (target.end != Block::End::Leave || !target.body.empty() || target.last.opcode == "trap") continue;
        Instruction leave = target.last;
        leave.predicate = block.last.predicate;
        leave.predicateNegated = block.last.predicateNegated != (side == 1);
        leave.place = block.last.place;
        block.body.push_back(std::move(leave));
        block.end = Block::End::Jump;
        block.targets = {block.targets[1 - side]};
        return true;
    }
    return false;
}

bool Conversion::convert(std::uint32_t at) {
    Block &block = m_graph.blocks[at];
    const std::uint32_t yes = block.targets[0], no = block.targets[1];
    const Guard guard{static_cast<std::uint32_t>(block.last.predicate), block.last.predicateNegated};
    const Guard otherwise{guard.predicate, !guard.negated};
    std::uint32_t join = noBlock;
    if (no != at && isArm(yes, at, no, guard)) {
        join = no;
        append(block, yes, guard, join, noBlock);
    } else if (yes != at && isArm(no, at, yes, otherwise)) {
        join = yes;
        append(block, no, otherwise, join, noBlock);
    } else if (m_graph.blocks[yes].targets.size() == 1 && m_graph.blocks[yes].targets[0] != at) {
        const std::uint32_t common = m_graph.blocks[yes].targets[0];
        if (!isArm(yes, at, common, guard) || !isArm(no, at, common, otherwise)) return guardLeave(at);
        if (m_graph.blocks[yes].body.size() + m_graph.blocks[no].body.size() > mostInArm) return guardLeave(at);
        join = common;
        append(block, yes, guard, join, no);
        append(block, no, otherwise, join, noBlock);
    } else return guardLeave(at);
    block.end = Block::End::Jump;
    block.targets = {join};
    return true;
}

//     A: … @p bra B
//     C: … @q bra D       →   A: … [C's instructions guarded by !p] r = p or !q; @!r bra D
//     B: …                    B: …
//     D: …                    D: …
bool Conversion::joinTests(std::uint32_t at) {
    Block &block = m_graph.blocks[at];
    for (std::size_t side = 0; side < 2; ++side) {
        const std::uint32_t body = block.targets[side], test = block.targets[1 - side];
        const bool takenWhenNegated = block.last.predicateNegated != (side == 1);
        const Guard toTest{static_cast<std::uint32_t>(block.last.predicate), !takenWhenNegated};
        const Block &second = m_graph.blocks[test];
        if (test == at || body == at || body == test || second.predecessors.size() != 1 || second.end != Block::End::Conditional) continue;
        if (second.targets[0] != body && second.targets[1] != body) continue;
        const std::size_t secondSide = second.targets[0] == body ? 0 : 1;
        const std::uint32_t join = second.targets[1 - secondSide];
        const Block &small = m_graph.blocks[body];
        if (small.predecessors.size() != 2 || small.end != Block::End::Jump || small.targets[0] != join || join == body || join == test) continue;
        if (m_rank[join] <= m_rank[at] || !convertible(m_graph, second, toTest) || !convertible(m_graph, small, {noBlock, false})) continue;
        const Instruction last = second.last;
        append(block, test, toTest, join, body);
        const auto whole = static_cast<std::uint32_t>(m_graph.function.registers.size());
        m_graph.function.registers.push_back({"%either" + std::to_string(whole), ptx::Type::Pred});
        Instruction either;
        either.opcode = "or";
        either.modifiers = {"pred"};
        either.place = block.last.place;
        either.ptxLine = block.last.ptxLine;
        either.operands = {registerOperand(m_graph, whole, false), registerOperand(m_graph, toTest.predicate, takenWhenNegated),
                           registerOperand(m_graph, static_cast<std::uint32_t>(last.predicate), last.predicateNegated != (secondSide == 1))};
        block.body.push_back(std::move(either));
        block.last.predicate = static_cast<std::int32_t>(whole);
        block.last.predicateNegated = false;
        block.targets = {body, join};
        return true;
    }
    return false;
}

bool Conversion::run() {
    bool changed = false;
    for (std::size_t i = m_graph.order.size(); i-- > 0;) {
        const std::uint32_t at = m_graph.order[i];
        if (m_graph.blocks[at].end == Block::End::Conditional) changed = convert(at) || joinTests(at) || changed;
    }
    return changed;
}

} // namespace

void convertBranches(Graph &graph) {
    for (int round = 0; round < 8; ++round) {
        graph.tidy();
        if (!Conversion(graph).run()) return;
    }
    graph.tidy();
}

} // namespace kernelskill::simulator::lowering
