// SPDX-License-Identifier: Apache-2.0
// Loads that lie side by side become one vector load, as the assembler makes of a[k], a[k+1], a[k+2], a[k+3] in shared
// memory. The address must be provably aligned, which arrays of the kernel's own shared memory are; of a pointer nobody
// knows. The loads must stand on one source line, so that a finding names the right one.
#include "engine/lowering/passes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;

namespace {

class Merger {
public:
    Merger(Graph &graph, const ptx::Module &module) : m_graph(graph), m_module(module), m_alignment(alignmentOf(graph, module)) {}
    void run() {
        for (const auto b : m_graph.order) inBlock(m_graph.blocks[b].body);
    }

private:
    struct Candidate { std::size_t at; std::int64_t offset; };
    using Key = std::tuple<std::uint32_t, std::string, std::int32_t, bool, std::string, int, std::string>; // base, name, guard, line, variable

    void inBlock(std::vector<Instruction> &body);
    void mergeGroup(std::vector<Instruction> &body, std::vector<Candidate> group, int bytes);
    void merge(std::vector<Instruction> &body, const Candidate *first, std::size_t count);

    Graph &m_graph;
    const ptx::Module &m_module;
    std::vector<std::uint8_t> m_alignment;
    std::vector<Facts> m_facts;
};

// May the load at `from` be carried out at `to`, further up? Nothing between may write what it reads or touch its result.
bool canRise(const std::vector<Facts> &facts, std::size_t from, std::size_t to) {
    const Facts &load = facts[from];
    const auto has = [](const std::vector<std::uint32_t> &set, std::uint32_t r) { return std::ranges::find(set, r) != set.end(); };
    for (std::size_t i = to; i < from; ++i) {
        const Facts &between = facts[i];
        for (const auto r : load.reads)
            if (has(between.writes, r)) return false;
        for (const auto r : load.writes)
            if (has(between.writes, r) || has(between.reads, r)) return false;
    }
    return true;
}

void Merger::merge(std::vector<Instruction> &body, const Candidate *first, std::size_t count) {
    std::size_t top = first[0].at;
    for (std::size_t i = 1; i < count; ++i) top = std::min(top, first[i].at);
    for (std::size_t i = 0; i < count; ++i)
        if (!canRise(m_facts, first[i].at, top)) return;
    Instruction wide = body[first[0].at];
    Operand results;
    results.kind = Operand::Kind::Vector;
    for (std::size_t i = 0; i < count; ++i) {
        results.elements.push_back(body[first[i].at].operands[0]);
        wide.freshResult = wide.freshResult && body[first[i].at].freshResult;
    }
    wide.operands[0] = std::move(results);
    wide.modifiers.insert(wide.modifiers.end() - 1, count == 4 ? "v4" : "v2");
    wide.place = body[top].place;
    for (std::size_t i = 0; i < count; ++i)
        if (first[i].at != top) body[first[i].at].opcode.clear();
    body[top] = std::move(wide);
    m_facts[top] = factsOf(m_graph.function, body[top]);
    for (std::size_t i = 0; i < count; ++i)
        if (first[i].at != top) m_facts[first[i].at] = {};
}

void Merger::mergeGroup(std::vector<Instruction> &body, std::vector<Candidate> group, int bytes) {
    std::ranges::stable_sort(group, {}, &Candidate::offset);
    group.erase(std::unique(group.begin(), group.end(), [](const Candidate &a, const Candidate &b) { return a.offset == b.offset; }), group.end());
    const Operand &base = *addressOf(body[group[0].at]);
    const int alignment = isReg(base) ? m_alignment[base.index] : alignmentOfVariable(m_graph.function, m_module, base);
    for (std::size_t i = 0; i < group.size();) {
        std::size_t count = 1;
        while (i + count < group.size() && count < std::min(4u, 16u / static_cast<unsigned>(bytes)) && group[i + count].offset == group[i].offset + static_cast<std::int64_t>(count) * bytes) ++count;
        if (count == 3) count = 2;
        while (count > 1) {
            const std::int64_t width = static_cast<std::int64_t>(count) * bytes;
            if ((std::int64_t{1} << alignment) >= width && group[i].offset % width == 0) break;
            count /= 2;
        }
        if (count > 1) merge(body, &group[i], count);
        i += count;
    }
}

void Merger::inBlock(std::vector<Instruction> &body) {
    m_facts = factsOf(m_graph.function, body);
    std::map<Key, std::vector<Candidate>> groups;
    const auto flush = [&](ptx::Space space) {
        for (auto group = groups.begin(); group != groups.end();) {
            const Facts &facts = m_facts[group->second.front().at];
            if (space != ptx::Space::None && space != facts.space && space != ptx::Space::Generic) { ++group; continue; }
            if (group->second.size() > 1) mergeGroup(body, group->second, static_cast<int>(facts.bytes));
            group = groups.erase(group);
        }
    };
    for (std::size_t i = 0; i < body.size(); ++i) {
        const Facts &facts = m_facts[i];
        if (facts.effect == Effect::Ordered) { flush(ptx::Space::None); continue; }
        if (facts.effect == Effect::Store) { flush(facts.space); continue; }
        const bool scalar = facts.effect == Effect::Load && (facts.bytes == 2 || facts.bytes == 4 || facts.bytes == 8) && isReg(body[i].operands[0]);
        if (scalar && (facts.space == ptx::Space::Shared || facts.space == ptx::Space::Global) && addressOf(body[i]) != nullptr) {
            const ptx::SourcePlace place = m_module.visiblePlace(body[i].place);
            const Operand &base = *addressOf(body[i]);
            const Key key{isReg(base) ? base.index : noBlock, body[i].fullName(), body[i].predicate, body[i].predicateNegated, m_module.fileName(place.file), place.line,
                          isReg(base) ? std::string{} : std::to_string(base.index) + base.symbol};
            groups[key].push_back({i, body[i].operands[1].offset});
        }
        // a new value of a base or a guard ends what was gathered with the old one
        for (auto group = groups.begin(); group != groups.end();) {
            const bool stale = std::ranges::any_of(facts.writes, [&](std::uint32_t r) {
                return r == std::get<0>(group->first) || static_cast<std::int32_t>(r) == std::get<2>(group->first);
            });
            if (!stale) { ++group; continue; }
            if (group->second.size() > 1) mergeGroup(body, group->second, static_cast<int>(m_facts[group->second.front().at].bytes));
            group = groups.erase(group);
        }
    }
    flush(ptx::Space::None);
    std::erase_if(body, [](const Instruction &i) { return i.opcode.empty(); });
}

} // namespace

void mergeLoads(Graph &graph, const ptx::Module &module) { Merger(graph, module).run(); }

} // namespace kernelskill::simulator::lowering
