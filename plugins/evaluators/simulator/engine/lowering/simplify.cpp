// SPDX-License-Identifier: Apache-2.0
// Copies into their uses, additions into addresses, common subexpressions of a block, dead results.
//
// Values are registers written once, without a guard, before every use (the compiler's own form, but for the copies at the
// end of blocks that feed loops and joins): what such a register holds never changes between its definition and a use.
#include "engine/lowering/passes.h"

#include <algorithm>
#include <unordered_map>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

namespace {

struct Definitions {
    std::vector<std::uint32_t> count;        // writes of each register
    std::vector<bool> value;                 // written once, unguarded, before every use
};

Definitions definitionsOf(const Graph &graph) {
    const std::size_t registers = graph.function.registers.size();
    Definitions d{std::vector<std::uint32_t>(registers, 0), std::vector<bool>(registers, true)};
    for (const auto b : graph.order)
        for (const auto &instruction : graph.blocks[b].body)
            for (const auto r : factsOf(graph.function, instruction).writes) {
                ++d.count[r];
                if (instruction.predicate >= 0) d.value[r] = false;
            }
    const LiveSets live(graph);
    for (std::uint32_t r = 0; r < registers; ++r)
        if (d.count[r] != 1 || live.in(0, r)) d.value[r] = false;
    return d;
}

bool isConstantAddition(const Instruction &i) {
    return i.opcode == "add" && i.predicate < 0 && i.operands.size() == 3 && isReg(i.operands[1]) && i.operands[2].kind == Operand::Kind::Integer
           && !i.has("cc") && ptx::typeBytes(lastType(i)) == 8;
}

// A move of a whole value, or an address conversion that changes nothing: global addresses are generic ones.
bool isCopy(const Graph &graph, const Instruction &i) {
    if (i.predicate >= 0 || i.operands.size() != 2 || !isReg(i.operands[0]) || !isReg(i.operands[1])) return false;
    const bool move = i.opcode == "mov" && lastType(i) != Type::Pred;
    const bool address = i.opcode == "cvta" && i.has("global");
    const auto bytes = [&](const Operand &o) { return ptx::typeBytes(graph.function.registers[o.index].type); };
    return (move || address) && bytes(i.operands[0]) == bytes(i.operands[1]) && bytes(i.operands[0]) >= 4;
}

class Simplifier {
public:
    explicit Simplifier(Graph &graph) : m_graph(graph), m_definitions(definitionsOf(graph)), m_instead(graph.function.registers.size(), noBlock) {}
    void run() {
        findCopies();
        substitute();
        foldAddresses();
        shareExpressions();
        substitute();
        removeDead();
    }

private:
    template <class Visit> void eachInstruction(Visit &&visit) {
        for (const auto b : m_graph.order) {
            for (auto &instruction : m_graph.blocks[b].body) visit(instruction);
            visit(m_graph.blocks[b].last);
        }
    }
    [[nodiscard]] std::uint32_t root(std::uint32_t r) const {
        while (m_instead[r] != noBlock) r = m_instead[r];
        return r;
    }
    void findCopies();
    void substitute();
    void substitute(Operand &operand);
    void foldAddresses();
    void shareExpressions();
    void shareIn(Block &block);
    void removeDead();

    Graph &m_graph;
    Definitions m_definitions;
    std::vector<std::uint32_t> m_instead; // register to use in place of one
};

void Simplifier::findCopies() {
    eachInstruction([&](const Instruction &i) {
        if (!isCopy(m_graph, i)) return;
        const std::uint32_t to = i.operands[0].index, from = i.operands[1].index;
        if (to != from && m_definitions.value[to] && m_definitions.value[from]) m_instead[to] = from;
    });
}

void Simplifier::substitute(Operand &operand) {
    if (isReg(operand)) operand.index = root(operand.index);
    for (auto &element : operand.elements) substitute(element);
    for (auto &other : operand.paired) substitute(other);
}

void Simplifier::substitute() {
    eachInstruction([&](Instruction &i) {
        const bool skipFirst = !i.operands.empty() && isReg(i.operands[0]) && m_instead[i.operands[0].index] != noBlock && !factsOf(m_graph.function, i).writes.empty();
        for (std::size_t o = skipFirst ? 1 : 0; o < i.operands.size(); ++o) substitute(i.operands[o]); // its own definition goes as dead
        if (i.predicate >= 0) i.predicate = static_cast<std::int32_t>(root(static_cast<std::uint32_t>(i.predicate)));
    });
}

void Simplifier::foldAddresses() {
    std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::int64_t>> sums;
    eachInstruction([&](const Instruction &i) {
        if (isConstantAddition(i) && m_definitions.value[i.operands[0].index] && m_definitions.value[i.operands[1].index])
            sums[i.operands[0].index] = {i.operands[1].index, static_cast<std::int64_t>(i.operands[2].bits)};
    });
    eachInstruction([&](Instruction &i) {
        for (auto &operand : i.operands) {
            if (operand.kind != Operand::Kind::Address || operand.elements.size() != 1 || !isReg(operand.elements[0])) continue;
            for (auto sum = sums.find(operand.elements[0].index); sum != sums.end(); sum = sums.find(operand.elements[0].index)) {
                const std::int64_t offset = operand.offset + sum->second.second;
                if (offset < -(1 << 23) || offset >= 1 << 23) break; // what the machine's 24 bits hold
                operand.offset = offset;
                operand.elements[0].index = sum->second.first;
            }
        }
    });
}

void appendKey(std::string &key, const Operand &operand) {
    key += static_cast<char>('A' + static_cast<int>(operand.kind));
    if (operand.negated) key += '!';
    if (operand.kind == Operand::Kind::Special || operand.kind == Operand::Kind::Symbol) key += operand.symbol;
    key += std::to_string(operand.index) + ':' + std::to_string(operand.bits) + ':' + std::to_string(operand.offset);
    for (const auto &element : operand.elements) appendKey(key, element);
    for (const auto &other : operand.paired) appendKey(key, other);
}

// The same pure instruction with the same values a second time in a block.
void Simplifier::shareIn(Block &block) {
    std::unordered_map<std::string, std::uint32_t> known;
    for (const auto &instruction : block.body) {
        if (instruction.predicate >= 0 || instruction.operands.size() < 2 || !isReg(instruction.operands[0]) || !instruction.operands[0].paired.empty()) continue;
        const Facts facts = factsOf(m_graph.function, instruction);
        if (facts.effect != Effect::Pure || facts.carry || facts.writes.size() != 1 || !m_definitions.value[facts.writes[0]]) continue;
        if (!std::ranges::all_of(facts.reads, [&](std::uint32_t r) { return m_definitions.value[r]; })) continue;
        std::string key = instruction.fullName();
        key += static_cast<char>('0' + static_cast<int>(m_graph.function.registers[facts.writes[0]].type));
        for (std::size_t o = 1; o < instruction.operands.size(); ++o) appendKey(key, instruction.operands[o]);
        const auto [entry, inserted] = known.try_emplace(std::move(key), facts.writes[0]);
        if (!inserted && root(entry->second) != facts.writes[0]) m_instead[facts.writes[0]] = entry->second;
    }
}

void Simplifier::shareExpressions() {
    for (const auto b : m_graph.order) shareIn(m_graph.blocks[b]);
}

void Simplifier::removeDead() {
    std::vector<std::uint32_t> uses(m_graph.function.registers.size(), 0);
    const auto count = [&](const Instruction &i, int by) {
        for (const auto r : factsOf(m_graph.function, i).reads) uses[r] += static_cast<std::uint32_t>(by);
    };
    eachInstruction([&](const Instruction &i) { count(i, 1); });
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t at = m_graph.order.size(); at-- > 0;) {
            auto &body = m_graph.blocks[m_graph.order[at]].body;
            for (std::size_t i = body.size(); i-- > 0;) {
                const Facts facts = factsOf(m_graph.function, body[i]);
                const bool removable = (facts.effect == Effect::Pure && !facts.carry) || (facts.effect == Effect::Load && facts.space == ptx::Space::Parameter);
                if (!removable || facts.writes.empty()) continue;
                // a guarded instruction reads what it writes, which is no use by others
                const bool used = std::ranges::any_of(facts.writes, [&](std::uint32_t r) {
                    const auto own = static_cast<std::uint32_t>(std::ranges::count(facts.reads, r));
                    return uses[r] > own || !m_definitions.value[r];
                });
                if (used) continue;
                count(body[i], -1);
                body[i].opcode.clear();
                changed = true;
            }
            std::erase_if(body, [](const Instruction &i) { return i.opcode.empty(); });
        }
    }
}

} // namespace

void simplify(Graph &graph) { Simplifier(graph).run(); }

} // namespace kernelskill::simulator::lowering
