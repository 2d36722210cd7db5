// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/graph.h"

#include <algorithm>
#include <set>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;

namespace {

bool endsBlock(const Instruction &i) {
    if (i.opcode == "bra" || i.opcode == "brx") return true;
    return (i.opcode == "ret" || i.opcode == "exit" || i.opcode == "trap") && i.predicate < 0;
}

std::vector<std::uint32_t> startsOf(const ptx::Function &function) {
    const auto count = static_cast<std::uint32_t>(function.instructions.size());
    std::set<std::uint32_t> starts{0};
    for (std::uint32_t i = 0; i < count; ++i) {
        const Instruction &instruction = function.instructions[i];
        if (!endsBlock(instruction)) continue;
        starts.insert(i + 1);
        if (instruction.opcode == "bra") starts.insert(instruction.operands.at(0).index);
        if (instruction.opcode == "brx")
            for (const auto target : function.branchTables[instruction.operands.at(1).index]) starts.insert(target);
    }
    starts.insert(count);
    return {starts.begin(), starts.end()};
}

Instruction leaveAt(std::int32_t place) {
    Instruction leave;
    leave.opcode = "ret";
    leave.place = place;
    return leave;
}

Instruction branchTo(std::uint32_t block, const Instruction &from) {
    Instruction branch;
    branch.opcode = "bra";
    branch.place = from.place;
    branch.ptxLine = from.ptxLine;
    ptx::Operand label;
    label.kind = ptx::Operand::Kind::Label;
    label.index = block; // an instruction's index once the layout is known
    branch.operands.push_back(label);
    return branch;
}

void closeBlock(Graph &graph, Block &block, const std::vector<std::uint32_t> &blockAt, std::uint32_t next) {
    if (block.body.empty() || !endsBlock(block.body.back())) {
        block.end = Block::End::Jump;
        if (!block.body.empty()) block.last = branchTo(0, block.body.back());
        block.targets = {next};
        return;
    }
    block.last = std::move(block.body.back());
    block.body.pop_back();
    if (block.last.opcode == "brx") {
        block.end = Block::End::Indexed;
        block.table = block.last.operands.at(1).index;
        for (const auto target : graph.function.branchTables[block.table]) block.targets.push_back(blockAt[target]);
        if (block.last.predicate >= 0) block.targets.push_back(next);
    } else if (block.last.opcode == "bra") {
        const std::uint32_t target = blockAt[block.last.operands.at(0).index];
        const bool conditional = block.last.predicate >= 0 && target != next;
        block.end = conditional ? Block::End::Conditional : Block::End::Jump;
        block.targets = {target};
        if (conditional) block.targets.push_back(next);
    } else {
        block.end = Block::End::Leave;
    }
}

} // namespace

void Graph::connect() {
    for (Block &block : blocks) {
        block.predecessors.clear();
        block.reachable = false;
    }
    std::vector<std::uint32_t> work{0};
    blocks[0].reachable = true;
    while (!work.empty()) {
        const std::uint32_t at = work.back();
        work.pop_back();
        for (const auto target : blocks[at].targets)
            if (!blocks[target].reachable) {
                blocks[target].reachable = true;
                work.push_back(target);
            }
    }
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        if (!blocks[b].reachable) continue;
        for (const auto target : blocks[b].targets) {
            auto &predecessors = blocks[target].predecessors;
            if (std::ranges::find(predecessors, b) == predecessors.end()) predecessors.push_back(b);
        }
    }
    std::erase_if(order, [&](std::uint32_t b) { return !blocks[b].reachable; });
}

void Graph::tidy() {
    // an empty block is passed by; a chain of them ends, for a loop of nothing but jumps is left as it is
    const auto beyond = [&](std::uint32_t target) {
        for (std::size_t steps = 0; steps < blocks.size(); ++steps) {
            const Block &block = blocks[target];
            if (!block.body.empty() || block.end != Block::End::Jump || block.targets[0] == target) break;
            target = block.targets[0];
        }
        return target;
    };
    for (const auto b : order)
        for (auto &target : blocks[b].targets) target = beyond(target);
    for (const auto b : order)
        if (blocks[b].end == Block::End::Conditional && blocks[b].targets[0] == blocks[b].targets[1]) {
            blocks[b].end = Block::End::Jump;
            blocks[b].targets.resize(1);
        }
    connect();
    for (const auto b : order) {
        Block &block = blocks[b];
        while (block.reachable && block.end == Block::End::Jump) {
            const std::uint32_t next = block.targets[0];
            Block &follower = blocks[next];
            if (next == b || next == 0 || follower.predecessors.size() != 1) break;
            block.body.insert(block.body.end(), std::make_move_iterator(follower.body.begin()), std::make_move_iterator(follower.body.end()));
            block.end = follower.end;
            block.last = std::move(follower.last);
            block.targets = std::move(follower.targets);
            block.table = follower.table;
            block.keptRolled = block.keptRolled || follower.keptRolled;
            follower.body.clear();
            follower.targets.clear();
            follower.end = Block::End::Leave;
            follower.reachable = false;
            for (const auto target : block.targets) std::ranges::replace(blocks[target].predecessors, next, b);
        }
    }
    connect();
}

Graph graphOf(ptx::Function function) {
    Graph graph;
    const std::vector<std::uint32_t> starts = startsOf(function);
    std::vector<Instruction> code = std::move(function.instructions);
    function.instructions.clear();
    graph.function = std::move(function);
    std::vector<std::uint32_t> blockAt(code.size() + 1, 0);
    for (std::uint32_t s = 0; s < starts.size(); ++s) {
        const std::uint32_t end = s + 1 < starts.size() ? starts[s + 1] : static_cast<std::uint32_t>(code.size());
        for (std::uint32_t i = starts[s]; i < end; ++i) blockAt[i] = s;
        if (starts[s] == code.size()) blockAt[code.size()] = s;
    }
    graph.blocks.resize(starts.size());
    for (std::uint32_t s = 0; s < starts.size(); ++s) {
        Block &block = graph.blocks[s];
        graph.order.push_back(s);
        if (starts[s] == code.size()) { // the end of a body without ret
            block.last = leaveAt(code.empty() ? -1 : code.back().place);
            continue;
        }
        for (std::uint32_t i = starts[s]; i < starts[s + 1]; ++i) block.body.push_back(std::move(code[i]));
        closeBlock(graph, block, blockAt, s + 1);
    }
    for (const auto i : graph.function.keptRolled)
        if (i < code.size()) graph.blocks[blockAt[i]].keptRolled = true;
    graph.function.keptRolled.clear();
    graph.connect();
    return graph;
}

ptx::Function functionOf(Graph graph) {
    auto &code = graph.function.instructions;
    std::vector<std::uint32_t> startOf(graph.blocks.size(), 0);
    for (std::size_t at = 0; at < graph.order.size(); ++at) {
        Block &block = graph.blocks[graph.order[at]];
        const std::uint32_t next = at + 1 < graph.order.size() ? graph.order[at + 1] : noBlock;
        startOf[graph.order[at]] = static_cast<std::uint32_t>(code.size());
        for (auto &instruction : block.body) code.push_back(std::move(instruction));
        switch (block.end) {
        case Block::End::Jump:
            if (block.targets[0] != next) code.push_back(branchTo(block.targets[0], block.last));
            break;
        case Block::End::Conditional: {
            Instruction branch = block.last;
            const bool invert = block.targets[0] == next;
            branch.predicateNegated = block.last.predicateNegated != invert;
            branch.operands[0].index = invert ? block.targets[1] : block.targets[0];
            code.push_back(std::move(branch));
            if (!invert && block.targets[1] != next) code.push_back(branchTo(block.targets[1], block.last));
            break;
        }
        case Block::End::Indexed:
            code.push_back(block.last);
            if (block.last.predicate >= 0 && block.targets.back() != next) code.push_back(branchTo(block.targets.back(), block.last));
            break;
        case Block::End::Leave: code.push_back(block.last); break;
        }
    }
    for (auto &instruction : code)
        if (instruction.opcode == "bra") instruction.operands[0].index = startOf[instruction.operands[0].index];
    for (const auto b : graph.order) {
        const Block &block = graph.blocks[b];
        if (block.end != Block::End::Indexed) continue;
        auto &table = graph.function.branchTables[block.table];
        for (std::size_t i = 0; i < table.size(); ++i) table[i] = startOf[block.targets[i]];
    }
    return std::move(graph.function);
}

LiveSets::LiveSets(const Graph &graph) {
    const std::size_t words = graph.function.registers.size() / 64 + 1, count = graph.blocks.size();
    std::vector<std::vector<std::uint64_t>> gen(count), kill(count);
    m_in.assign(count, {});
    m_out.assign(count, {});
    const auto test = [](const std::vector<std::uint64_t> &set, std::uint32_t r) { return (set[r >> 6] >> (r & 63) & 1) != 0; };
    const auto put = [](std::vector<std::uint64_t> &set, std::uint32_t r) { set[r >> 6] |= std::uint64_t{1} << (r & 63); };
    for (const auto b : graph.order) {
        gen[b].assign(words, 0);
        kill[b].assign(words, 0);
        m_in[b].assign(words, 0);
        m_out[b].assign(words, 0);
        const auto add = [&](const Instruction &instruction) {
            const Facts facts = factsOf(graph.function, instruction);
            for (const auto r : facts.reads)
                if (!test(kill[b], r)) put(gen[b], r);
            for (const auto r : facts.writes) put(kill[b], r);
        };
        for (const auto &instruction : graph.blocks[b].body) add(instruction);
        if (graph.blocks[b].end != Block::End::Jump) add(graph.blocks[b].last);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t at = graph.order.size(); at-- > 0;) {
            const std::uint32_t b = graph.order[at];
            for (const auto s : graph.blocks[b].targets)
                for (std::size_t w = 0; w < words; ++w) m_out[b][w] |= m_in[s][w];
            for (std::size_t w = 0; w < words; ++w) {
                const std::uint64_t in = gen[b][w] | (m_out[b][w] & ~kill[b][w]);
                changed = changed || in != m_in[b][w];
                m_in[b][w] = in;
            }
        }
    }
}

namespace {

std::vector<std::uint32_t> reversePostOrder(const Graph &graph) {
    std::vector<std::uint32_t> order;
    std::vector<bool> seen(graph.blocks.size(), false);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
    seen[0] = true;
    while (!stack.empty()) {
        auto &[block, next] = stack.back();
        const auto &targets = graph.blocks[block].targets;
        if (next < targets.size()) {
            const std::uint32_t target = targets[next++];
            if (!seen[target]) {
                seen[target] = true;
                stack.emplace_back(target, 0);
            }
        } else {
            order.push_back(block);
            stack.pop_back();
        }
    }
    std::ranges::reverse(order);
    return order;
}

} // namespace

std::vector<std::uint32_t> immediateDominators(const Graph &graph) { // Cooper, Harvey and Kennedy's iteration
    const std::vector<std::uint32_t> order = reversePostOrder(graph);
    std::vector<std::uint32_t> number(graph.blocks.size(), noBlock), dominator(graph.blocks.size(), noBlock);
    for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    dominator[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto b : order) {
            if (b == 0) continue;
            std::uint32_t found = noBlock;
            for (const auto p : graph.blocks[b].predecessors) {
                if (dominator[p] == noBlock) continue;
                if (found == noBlock) { found = p; continue; }
                std::uint32_t left = p, right = found;
                while (left != right) {
                    while (number[left] > number[right]) left = dominator[left];
                    while (number[right] > number[left]) right = dominator[right];
                }
                found = left;
            }
            if (found != dominator[b]) {
                dominator[b] = found;
                changed = true;
            }
        }
    }
    return dominator;
}

bool dominates(const std::vector<std::uint32_t> &dominators, std::uint32_t above, std::uint32_t below) {
    for (std::uint32_t at = below;; at = dominators[at]) {
        if (at == above) return true;
        if (at == noBlock || dominators[at] == at) return false;
    }
}

Loops loopsOf(const Graph &graph) {
    Loops result;
    result.innermost.assign(graph.blocks.size(), noBlock);
    const std::vector<std::uint32_t> dominator = immediateDominators(graph), order = reversePostOrder(graph);
    std::vector<std::uint32_t> number(graph.blocks.size(), 0);
    for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    for (const auto header : order) { // headers of outer loops come first
        std::vector<std::uint32_t> work;
        for (const auto p : graph.blocks[header].predecessors) {
            if (number[p] < number[header]) continue;
            if (dominates(dominator, header, p)) work.push_back(p);
            else result.irreducible = true;
        }
        if (work.empty()) continue;
        Loop loop;
        loop.header = header;
        loop.outer = result.innermost[header];
        std::vector<bool> inside(graph.blocks.size(), false);
        inside[header] = true;
        loop.blocks.push_back(header);
        while (!work.empty()) {
            const std::uint32_t b = work.back();
            work.pop_back();
            if (inside[b]) continue;
            inside[b] = true;
            loop.blocks.push_back(b);
            for (const auto p : graph.blocks[b].predecessors) work.push_back(p);
        }
        const auto index = static_cast<std::uint32_t>(result.loops.size());
        for (const auto b : loop.blocks) result.innermost[b] = index;
        result.loops.push_back(std::move(loop));
    }
    return result;
}

} // namespace kernelskill::simulator::lowering
