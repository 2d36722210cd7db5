// SPDX-License-Identifier: Apache-2.0
// Generic accesses whose address is known to come from shared memory become shared ones, as the assembler makes of them.
// The compiler does this itself for ordinary loads, but not for wmma.
#include "engine/lowering/passes.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;

namespace {

enum class Origin : std::uint8_t { Undecided, Shared, Other };

Origin meet(Origin a, Origin b) { return a == Origin::Undecided ? b : b == Origin::Undecided || a == b ? a : Origin::Other; }

bool namesSpace(const Instruction &i) {
    return std::ranges::any_of(i.modifiers, [](const std::string &m) {
        return m == "global" || m == "const" || m == "local" || m.starts_with("shared") || m.starts_with("param");
    });
}

class Spaces {
public:
    explicit Spaces(Graph &graph) : m_graph(graph), m_origin(graph.function.registers.size(), Origin::Undecided) {}
    void run() {
        bool any = false;
        for (const auto b : m_graph.order)
            for (const auto &i : m_graph.blocks[b].body) any = any || isConversion(i);
        if (!any) return;
        findOrigins();
        findSums();
        for (const auto b : m_graph.order) rewrite(m_graph.blocks[b]);
    }

private:
    static bool isConversion(const Instruction &i) { return i.opcode == "cvta" && i.has("shared") && !i.has("to"); }
    [[nodiscard]] Origin originOf(const Instruction &i) const;
    [[nodiscard]] Origin of(const Operand &o) const { return isReg(o) ? m_origin[o.index] : Origin::Other; }
    void findOrigins();
    void findSums();
    void rewrite(Block &block);

    Graph &m_graph;
    std::vector<Origin> m_origin;
    std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::int64_t>> m_sums; // register: another one and a constant
    int m_rounds = 0;
};

Origin Spaces::originOf(const Instruction &i) const {
    if (isConversion(i)) return Origin::Shared;
    if (i.operands.size() < 2) return Origin::Other;
    if (i.opcode == "mov") return of(i.operands[1]);
    if (i.opcode == "selp" && i.operands.size() == 4) return meet(of(i.operands[1]), of(i.operands[2]));
    if ((i.opcode == "add" || i.opcode == "sub") && i.operands.size() == 3 && ptx::typeBytes(lastType(i)) == 8) {
        // a pointer and an offset
        const Origin left = of(i.operands[1]), right = of(i.operands[2]);
        if (left == Origin::Shared || (right == Origin::Shared && i.opcode == "add")) return Origin::Shared;
        return left == Origin::Undecided || right == Origin::Undecided ? Origin::Undecided : Origin::Other;
    }
    return Origin::Other;
}

void Spaces::findOrigins() {
    for (bool changed = true; changed;) {
        changed = false;
        std::vector<Origin> next(m_origin.size(), Origin::Undecided);
        for (const auto b : m_graph.order)
            for (const auto &i : m_graph.blocks[b].body)
                for (const auto r : factsOf(m_graph.function, i).writes) next[r] = meet(next[r], originOf(i));
        changed = next != m_origin;
        m_origin = std::move(next);
        if (++m_rounds > 16) { // does not settle: nothing is known
            std::ranges::fill(m_origin, Origin::Other);
            return;
        }
    }
}

// What an address is relative to: the machine's accesses take a displacement, so sums with constants need no register.
void Spaces::findSums() {
    std::vector<std::uint32_t> writes(m_graph.function.registers.size(), 0);
    for (const auto b : m_graph.order)
        for (const auto &i : m_graph.blocks[b].body) {
            for (const auto r : factsOf(m_graph.function, i).writes) ++writes[r];
            const bool sum = i.opcode == "add" && i.predicate < 0 && i.operands.size() == 3 && isReg(i.operands[0]) && isReg(i.operands[1])
                             && i.operands[2].kind == Operand::Kind::Integer && ptx::typeBytes(lastType(i)) == 8 && !i.has("cc");
            if (sum) m_sums[i.operands[0].index] = {i.operands[1].index, static_cast<std::int64_t>(i.operands[2].bits)};
        }
    const LiveSets live(m_graph);
    const auto isValue = [&](std::uint32_t r) { return writes[r] == 1 && !live.in(0, r); };
    std::erase_if(m_sums, [&](const auto &sum) { return !isValue(sum.first) || !isValue(sum.second.first) || m_origin[sum.second.first] != Origin::Shared; });
}

void Spaces::rewrite(Block &block) {
    static constexpr std::string_view accesses[] = {"ld", "st", "atom", "red", "wmma"};
    std::vector<Instruction> result;
    for (auto &i : block.body) {
        const bool access = std::ranges::find(accesses, std::string_view(i.opcode)) != std::end(accesses) && !namesSpace(i);
        const auto address = std::ranges::find_if(i.operands, [](const Operand &o) { return o.kind == Operand::Kind::Address; });
        if (access && address != i.operands.end() && address->elements.size() == 1 && of(address->elements[0]) == Origin::Shared) {
            const auto window = static_cast<std::uint32_t>(m_graph.function.registers.size());
            m_graph.function.registers.push_back({"%shared" + std::to_string(window), ptx::Type::B64});
            m_origin.push_back(Origin::Other);
            Instruction convert;
            convert.opcode = "cvta";
            convert.modifiers = {"to", "shared", "u64"};
            convert.place = i.place;
            convert.ptxLine = i.ptxLine;
            Operand &base = address->elements[0];
            for (auto sum = m_sums.find(base.index); sum != m_sums.end(); sum = m_sums.find(base.index)) {
                const std::int64_t offset = address->offset + sum->second.second;
                if (std::abs(offset) >= 1 << 20) break;
                address->offset = offset;
                base.index = sum->second.first;
            }
            Operand to;
            to.kind = Operand::Kind::Register;
            to.index = window;
            convert.operands = {to, base};
            result.push_back(std::move(convert));
            base = to;
            i.modifiers.insert(i.modifiers.begin(), "shared");
        }
        result.push_back(std::move(i));
    }
    block.body = std::move(result);
}

} // namespace

void inferSpaces(Graph &graph) { Spaces(graph).run(); }

} // namespace kernelskill::simulator::lowering
