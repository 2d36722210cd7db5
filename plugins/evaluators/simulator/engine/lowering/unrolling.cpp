// SPDX-License-Identifier: Apache-2.0
// Small loops of one block with a counter run four iterations at a time, with the loop as it was for what is left.
//
//     L: …i += step; setp p, i, n; @p bra L        C: if (three more steps stay inside) goto M else goto L
//                                          →       M: … … … …; if (three more steps stay inside) goto M
//                                                  X: setp p, i, n; @p bra L else goto E
//                                                  L: as before
//
// "Three more steps stay inside" is exact in the arithmetic of 32 bits: for i < n with step > 0 it is n ≥ 3·step and
// i < n − 3·step (the difference cannot wrap then); for i ≠ n it is the unsigned distance, n − i > 3·step.
#include "engine/lowering/passes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

namespace {

constexpr std::size_t mostInBody = 40; // instructions of a loop the assembler was still seen to unroll
constexpr int copies = 4;
constexpr std::uint32_t noRegister = ~0u;

struct Counter {
    std::uint32_t i = 0;
    std::uint32_t wide = noRegister; // the 64-bit register that is counted up, when i is its lower half
    std::int64_t step = 0;
    Operand n;
    Type type = Type::S32;
    bool less = false;       // the loop goes on while i < n; else while i ≠ n
    Instruction test;        // as it stands in the loop
    bool continues = true;   // the loop goes on where its predicate holds
};

Operand registerOf(std::uint32_t index) {
    Operand operand;
    operand.kind = Operand::Kind::Register;
    operand.index = index;
    return operand;
}
Operand integerOf(std::int64_t value) {
    Operand operand;
    operand.bits = static_cast<std::uint64_t>(value);
    return operand;
}

class Unroller {
public:
    explicit Unroller(Graph &graph) : m_graph(graph) {}
    void run();

private:
    [[nodiscard]] std::optional<Counter> counterOf(const Block &block, std::uint32_t self) const;
    [[nodiscard]] bool unrollable(const Block &block) const;
    void unroll(std::uint32_t loop, const Counter &counter);
    void copyBody(const std::vector<Instruction> &body, Block &main);
    void emitGuard(std::vector<Instruction> &into, const Counter &counter, std::uint32_t result, std::uint32_t bound, std::uint32_t roomy, bool first);
    Instruction make(const char *opcode, std::vector<std::string> modifiers, std::vector<Operand> operands) const;
    std::uint32_t newRegister(Type type) {
        const auto index = static_cast<std::uint32_t>(m_graph.function.registers.size());
        m_graph.function.registers.push_back({"%unrolled" + std::to_string(index), type});
        return index;
    }

    Graph &m_graph;
    Instruction m_like; // place and line for what is made
};

Instruction Unroller::make(const char *opcode, std::vector<std::string> modifiers, std::vector<Operand> operands) const {
    Instruction made;
    made.opcode = opcode;
    made.modifiers = std::move(modifiers);
    made.operands = std::move(operands);
    made.place = m_like.place;
    made.ptxLine = m_like.ptxLine;
    return made;
}

bool Unroller::unrollable(const Block &block) const {
    if (block.body.size() > mostInBody || block.keptRolled) return false;
    return std::ranges::all_of(block.body, [&](const Instruction &i) {
        const Facts facts = factsOf(m_graph.function, i);
        return facts.effect != Effect::Ordered && facts.effect != Effect::WarpWide && !facts.carry && !expandsToBranch(i);
    });
}

// i is changed by one addition of a constant and then compared with something the loop does not change.
std::optional<Counter> Unroller::counterOf(const Block &block, std::uint32_t self) const {
    const auto predicate = static_cast<std::uint32_t>(block.last.predicate);
    const Instruction *test = nullptr;
    std::size_t testAt = 0;
    std::vector<std::size_t> writes(m_graph.function.registers.size(), 0);
    for (std::size_t n = 0; n < block.body.size(); ++n)
        for (const auto r : factsOf(m_graph.function, block.body[n]).writes) {
            ++writes[r];
            if (r == predicate) { test = &block.body[n]; testAt = n; }
        }
    if (test == nullptr || writes[predicate] != 1 || test->opcode != "setp" || test->predicate >= 0 || test->modifiers.size() != 2) return std::nullopt;
    if (test->operands.size() != 3 || !test->operands[0].paired.empty()) return std::nullopt;
    const Type type = lastType(*test);
    if (type != Type::S32 && type != Type::U32 && type != Type::B32) return std::nullopt;
    const auto fixed = [&](const Operand &o) { return o.kind == Operand::Kind::Integer || (isReg(o) && writes[o.index] == 0); };
    const bool swapped = isReg(test->operands[2]) && fixed(test->operands[1]);
    Counter counter;
    counter.n = test->operands[swapped ? 1 : 2];
    if (!fixed(counter.n) || !isReg(test->operands[swapped ? 2 : 1])) return std::nullopt;
    counter.i = test->operands[swapped ? 2 : 1].index;
    counter.type = type;
    counter.test = *test;
    counter.continues = (block.targets[0] == self) != block.last.predicateNegated;
    const bool goesOn = counter.continues;
    const auto is = [&](const char *name) { return test->has(name); };
    counter.less = swapped ? (goesOn ? is("gt") || is("hi") : is("le") || is("ls")) : (goesOn ? is("lt") || is("lo") : is("ge") || is("hs"));
    const bool differs = goesOn ? is("ne") : is("eq");
    if (writes[counter.i] != 1) return std::nullopt;
    std::size_t countedAt = testAt;
    for (std::size_t n = 0; n < testAt; ++n) {
        const Instruction &i = block.body[n];
        if (i.opcode != "cvt" || i.predicate >= 0 || i.modifiers.size() != 2 || !isReg(i.operands[0]) || i.operands[0].index != counter.i || !isReg(i.operands[1])) continue;
        if (ptx::typeBytes(lastType(i)) != 8 || writes[i.operands[1].index] != 1) return std::nullopt;
        counter.wide = i.operands[1].index;
        countedAt = n;
    }
    const std::uint32_t counted = counter.wide == noRegister ? counter.i : counter.wide;
    for (std::size_t n = 0; n < countedAt; ++n) {
        const Instruction &i = block.body[n];
        if (i.opcode != "add" || i.predicate >= 0 || i.operands.size() != 3 || !isReg(i.operands[0]) || i.operands[0].index != counted) continue;
        if (!isReg(i.operands[1]) || i.operands[1].index != counted || i.operands[2].kind != Operand::Kind::Integer || i.has("sat") || i.has("cc")) continue;
        counter.step = static_cast<std::int32_t>(i.operands[2].bits);
    }
    const bool small = counter.step != 0 && std::abs(counter.step) < 1 << 20;
    return small && (differs || (counter.less && counter.step > 0)) ? std::optional(counter) : std::nullopt;
}

// Registers of a copy are its own, so that copies overlap; the last copy writes those of the loop.
void Unroller::copyBody(const std::vector<Instruction> &body, Block &main) {
    std::unordered_map<std::uint32_t, std::uint32_t> now;
    // A round that writes a register under a guard first shows the value of the round before; one that gives it a value and
    // then changes that under a guard has a value of its own.
    std::vector<bool> partly(m_graph.function.registers.size(), false), whole(m_graph.function.registers.size(), false);
    const auto isPart = [](const Instruction &i) { return i.predicate >= 0 && !i.freshResult; };
    for (const auto &i : body)
        for (const auto r : factsOf(m_graph.function, i).writes) {
            if (isPart(i) && !whole[r]) partly[r] = true;
            else if (!isPart(i)) whole[r] = true;
        }
    const auto rename = [&](auto &self, Operand &operand) -> void {
        if (isReg(operand))
            if (const auto found = now.find(operand.index); found != now.end()) operand.index = found->second;
        for (auto &element : operand.elements) self(self, element);
        for (auto &other : operand.paired) self(self, other);
    };
    const auto renameWritten = [&](auto &self, Operand &operand, bool last, bool part) -> void {
        if (isReg(operand)) {
            const std::uint32_t r = operand.index;
            if (const auto own = now.find(r); part && !partly[r] && own != now.end()) operand.index = own->second;
            else if (last || partly[r]) now.erase(r);
            else operand.index = now[r] = newRegister(m_graph.function.registers[r].type);
        }
        for (auto &element : operand.elements) self(self, element, last, part);
        for (auto &other : operand.paired) self(self, other, last, part);
    };
    for (int copy = 0; copy < copies; ++copy)
        for (Instruction i : body) {
            const bool writes = !factsOf(m_graph.function, i).writes.empty();
            for (std::size_t o = writes ? 1 : 0; o < i.operands.size(); ++o) rename(rename, i.operands[o]);
            if (i.predicate >= 0)
                if (const auto found = now.find(static_cast<std::uint32_t>(i.predicate)); found != now.end()) i.predicate = static_cast<std::int32_t>(found->second);
            if (writes) renameWritten(renameWritten, i.operands[0], copy == copies - 1, isPart(i));
            main.body.push_back(std::move(i));
        }
}

// result = three more steps from i stay inside
void Unroller::emitGuard(std::vector<Instruction> &into, const Counter &counter, std::uint32_t result, std::uint32_t bound, std::uint32_t roomy, bool first) {
    const std::string type = counter.type == Type::U32 ? "u32" : "s32";
    const Operand &n = counter.n;
    Operand i = registerOf(counter.i);
    if (first && counter.wide != noRegister) { // the loop has not made the lower half yet
        i = registerOf(newRegister(Type::B32));
        into.push_back(make("cvt", {"u32", "u64"}, {i, registerOf(counter.wide)}));
    }
    if (counter.less) {
        if (first) {
            into.push_back(make("add", {"s32"}, {registerOf(bound), n, integerOf(-3 * counter.step)}));
            into.push_back(make("setp", {"ge", type}, {registerOf(roomy), n, integerOf(3 * counter.step)}));
        }
        into.push_back(make("setp", {"lt", "and", type}, {registerOf(result), i, registerOf(bound), registerOf(roomy)}));
        return;
    }
    const bool up = counter.step > 0;
    into.push_back(make("sub", {"s32"}, {registerOf(bound), up ? n : i, up ? i : n}));
    into.push_back(make("setp", {"gt", "u32"}, {registerOf(result), registerOf(bound), integerOf(3 * std::abs(counter.step))}));
}

void Unroller::unroll(std::uint32_t loop, const Counter &counter) {
    const auto check = static_cast<std::uint32_t>(m_graph.blocks.size()), main = check + 1, after = check + 2;
    m_graph.blocks.resize(m_graph.blocks.size() + 3);
    Block &old = m_graph.blocks[loop];
    m_like = old.last;
    const std::uint32_t exit = old.targets[old.targets[0] == loop ? 1 : 0];
    const std::uint32_t enough = newRegister(Type::Pred), bound = newRegister(Type::B32), roomy = newRegister(Type::Pred);
    const auto conditional = [&](Block &block, std::uint32_t predicate, bool negated, std::uint32_t yes, std::uint32_t no) {
        block.end = Block::End::Conditional;
        block.last = m_graph.blocks[loop].last;
        block.last.predicate = static_cast<std::int32_t>(predicate);
        block.last.predicateNegated = negated;
        block.targets = {yes, no};
    };
    emitGuard(m_graph.blocks[check].body, counter, enough, bound, roomy, true);
    conditional(m_graph.blocks[check], enough, false, main, loop);
    copyBody(old.body, m_graph.blocks[main]);
    emitGuard(m_graph.blocks[main].body, counter, enough, bound, roomy, false);
    conditional(m_graph.blocks[main], enough, false, main, after);
    m_graph.blocks[after].body.push_back(counter.test);
    conditional(m_graph.blocks[after], static_cast<std::uint32_t>(old.last.predicate), !counter.continues, loop, exit);
    for (const auto p : old.predecessors)
        if (p != loop) std::ranges::replace(m_graph.blocks[p].targets, loop, check);
    const auto at = std::ranges::find(m_graph.order, loop);
    m_graph.order.insert(at, {check, main, after});
}

void Unroller::run() {
    std::vector<std::pair<std::uint32_t, Counter>> loops;
    for (const auto b : m_graph.order) {
        const Block &block = m_graph.blocks[b];
        if (b == 0 || block.end != Block::End::Conditional || std::ranges::find(block.targets, b) == block.targets.end() || block.targets[0] == block.targets[1]) continue;
        if (!unrollable(block)) continue;
        if (const auto counter = counterOf(block, b)) loops.emplace_back(b, *counter);
    }
    for (const auto &[block, counter] : loops) unroll(block, counter);
    m_graph.connect();
}

} // namespace

void unrollLoops(Graph &graph) { Unroller(graph).run(); }

} // namespace kernelskill::simulator::lowering
