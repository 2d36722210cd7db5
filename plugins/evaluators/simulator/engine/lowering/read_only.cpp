// SPDX-License-Identifier: Apache-2.0
// Loads of what a kernel only reads. Of a `const __restrict__` parameter the compiler marks the first loads as read-only and
// forgets about those whose address is a longer sum; nvcc marks all. What is marked lets loads pass stores.
#include "engine/lowering/passes.h"

#include <algorithm>
#include <set>
#include <vector>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;

namespace {

// What a register's value is: not known yet, a number, an address inside what a parameter points to (the variable's index),
// or several of these.
using Origin = std::int64_t;
constexpr Origin undecided = -3, numeric = -2, mixed = -1;

Origin meet(Origin a, Origin b) { return a == undecided || a == b ? b : b == undecided ? a : mixed; }

Origin sum(Origin a, Origin b) {
    if (a == numeric) return b;
    if (b == numeric) return a;
    return a == undecided || b == undecided ? undecided : mixed;
}

class ReadOnly {
public:
    explicit ReadOnly(Graph &graph) : m_graph(graph), m_origin(graph.function.registers.size(), undecided) {}
    void run() {
        if (!m_graph.function.isKernel) return;
        bool any = false;
        each([&](const Instruction &i) { any = any || isMarked(i); });
        if (!any) return;
        findOrigins();
        std::set<Origin> marked, written;
        each([&](const Instruction &i) {
            if (isMarked(i)) marked.insert(addressOf(i));
            else if (i.opcode != "ld") written.insert(addressOf(i));
        });
        if (written.contains(mixed) || written.contains(undecided)) return; // who knows where to
        std::erase_if(marked, [&](Origin o) { return o < 0 || written.contains(o); });
        if (marked.empty()) return;
        each([&](Instruction &i) {
            const Facts facts = factsOf(m_graph.function, i); // a load that others may answer is ordered, not a load
            const bool plain = facts.effect == Effect::Load && facts.space == ptx::Space::Global && !facts.readOnly;
            if (plain && marked.contains(addressOf(i))) i.modifiers.insert(std::ranges::find(i.modifiers, "global") + 1, "nc");
        });
    }

private:
    static bool isMarked(const Instruction &i) { return i.opcode == "ld" && i.has("global") && i.has("nc"); }
    // Every instruction that has an address.
    template <class Visit> void each(Visit visit) {
        for (const auto b : m_graph.order)
            for (auto &i : m_graph.blocks[b].body)
                if (addressIn(i) != i.operands.end()) visit(i);
    }
    static std::vector<Operand>::const_iterator addressIn(const Instruction &i) {
        return std::ranges::find_if(i.operands, [](const Operand &o) { return o.kind == Operand::Kind::Address; });
    }
    [[nodiscard]] Origin addressOf(const Instruction &i) const {
        const auto address = addressIn(i);
        return address->elements.size() == 1 ? of(address->elements[0]) : mixed;
    }
    [[nodiscard]] Origin of(const Operand &o) const { return isReg(o) ? m_origin[o.index] : numeric; }
    [[nodiscard]] Origin originOf(const Instruction &i) const;
    void findOrigins();

    Graph &m_graph;
    std::vector<Origin> m_origin;
};

Origin ReadOnly::originOf(const Instruction &i) const {
    const auto &o = i.operands;
    if (i.opcode == "ld" && i.has("param") && o.size() == 2 && o[1].kind == Operand::Kind::Address && o[1].elements.size() == 1 &&
        o[1].elements[0].kind == Operand::Kind::Variable && ptx::typeBytes(lastType(i)) == 8)
        return static_cast<Origin>(o[1].elements[0].index) * 4096 + o[1].offset; // a structure may hold several pointers
    if ((i.opcode == "mov" || i.opcode == "cvta") && o.size() == 2) return of(o[1]);
    if (i.opcode == "selp" && o.size() == 4) return meet(of(o[1]), of(o[2]));
    if ((i.opcode == "add" || i.opcode == "sub") && o.size() == 3) return sum(of(o[1]), of(o[2]));
    if (i.opcode == "mad" && o.size() == 4) return sum(of(o[3]), of(o[1]) < mixed && of(o[2]) < mixed ? numeric : mixed);
    // Anything else that is made of an address leads nowhere that is known.
    for (std::size_t n = 1; n < o.size(); ++n)
        if (of(o[n]) >= mixed) return mixed;
    return numeric;
}

// Origins only ever go from undecided to one and on to mixed, so this ends.
void ReadOnly::findOrigins() {
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto b : m_graph.order)
            for (const auto &i : m_graph.blocks[b].body)
                for (const auto r : factsOf(m_graph.function, i).writes) {
                    const Origin now = meet(m_origin[r], originOf(i));
                    changed = changed || now != m_origin[r];
                    m_origin[r] = now;
                }
    }
}

} // namespace

void markReadOnly(Graph &graph) { ReadOnly(graph).run(); }

} // namespace kernelskill::simulator::lowering
