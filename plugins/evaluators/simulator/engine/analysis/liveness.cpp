// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/liveness.h"

#include "engine/analysis/operands.h"

#include <algorithm>
#include <set>

namespace kernelskill::simulator {
namespace {

struct Block {
    std::uint32_t first = 0, last = 0; // instructions [first, last)
    std::vector<std::uint32_t> successors;
    std::vector<std::uint64_t> liveIn, liveOut;
};

struct Bitset {
    static bool test(const std::vector<std::uint64_t> &set, std::uint32_t i) { return set[i >> 6] >> (i & 63) & 1; }
    static void set(std::vector<std::uint64_t> &set, std::uint32_t i) { set[i >> 6] |= std::uint64_t{1} << (i & 63); }
    static void reset(std::vector<std::uint64_t> &set, std::uint32_t i) { set[i >> 6] &= ~(std::uint64_t{1} << (i & 63)); }
};

bool endsBlock(const ptx::Instruction &i) {
    return i.opcode == "bra" || i.opcode == "brx" || i.opcode == "ret" || i.opcode == "exit" || i.opcode == "trap";
}

std::vector<Block> blocksOf(const ptx::Function &function) {
    const auto count = static_cast<std::uint32_t>(function.instructions.size());
    std::set<std::uint32_t> starts{0};
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto &instruction = function.instructions[i];
        if (!endsBlock(instruction)) continue;
        starts.insert(i + 1);
        if (instruction.opcode == "bra") starts.insert(instruction.operands.at(0).index);
        if (instruction.opcode == "brx")
            for (const auto target : function.branchTables[instruction.operands.at(1).index]) starts.insert(target);
    }
    std::vector<Block> blocks;
    std::vector<std::uint32_t> blockAt(count + 1, 0);
    for (auto at = starts.begin(); at != starts.end(); ++at) {
        if (*at >= count) break;
        const auto next = std::next(at);
        Block block;
        block.first = *at;
        block.last = next == starts.end() ? count : std::min(*next, count);
        for (std::uint32_t i = block.first; i < block.last; ++i) blockAt[i] = static_cast<std::uint32_t>(blocks.size());
        blocks.push_back(std::move(block));
    }
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        Block &block = blocks[b];
        const auto &last = function.instructions[block.last - 1];
        const auto link = [&](std::uint32_t target) { if (target < count) block.successors.push_back(blockAt[target]); };
        if (last.opcode == "bra") link(last.operands.at(0).index);
        if (last.opcode == "brx")
            for (const auto target : function.branchTables[last.operands.at(1).index]) link(target);
        if (!endsBlock(last) || last.predicate >= 0) link(block.last);
    }
    return blocks;
}

void solve(std::vector<Block> &blocks, const std::vector<RegisterUse> &uses, std::size_t words) {
    std::vector<std::vector<std::uint64_t>> gen(blocks.size()), kill(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        gen[b].assign(words, 0);
        kill[b].assign(words, 0);
        blocks[b].liveIn.assign(words, 0);
        blocks[b].liveOut.assign(words, 0);
        for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
            for (const auto r : uses[i].reads)
                if (!Bitset::test(kill[b], r)) Bitset::set(gen[b], r);
            for (const auto r : uses[i].writes) Bitset::set(kill[b], r);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = blocks.size(); b-- > 0;) {
            Block &block = blocks[b];
            for (const auto s : block.successors)
                for (std::size_t w = 0; w < words; ++w) block.liveOut[w] |= blocks[s].liveIn[w];
            for (std::size_t w = 0; w < words; ++w) {
                const std::uint64_t in = gen[b][w] | (block.liveOut[w] & ~kill[b][w]);
                changed = changed || in != block.liveIn[w];
                block.liveIn[w] = in;
            }
        }
    }
}

int rowsOf(ptx::Type type) { return ptx::typeBytes(type) == 16 ? 4 : ptx::typeBytes(type) == 8 ? 2 : 1; }

// Linear scan over the span from the first to the last place where a register is live. Freed rows are used again, first
// those of the same width.
void assignRows(const ptx::Function &function, const std::vector<std::uint32_t> &begin, const std::vector<std::uint32_t> &end, LivenessResult &result) {
    const std::size_t count = function.registers.size();
    result.row.assign(count, 0);
    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < count; ++r)
        if (begin[r] != ~0u && function.registers[r].type != ptx::Type::Pred) order.push_back(r);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t r) { return begin[r]; });
    std::set<std::pair<std::uint32_t, std::uint32_t>> active; // end, register
    std::vector<std::uint32_t> freeRows[5]; // by rows of a register: 1, 2 or 4
    for (const auto r : order) {
        while (!active.empty() && active.begin()->first < begin[r]) {
            const auto gone = active.begin()->second;
            freeRows[rowsOf(function.registers[gone].type)].push_back(result.row[gone]);
            active.erase(active.begin());
        }
        const int rows = rowsOf(function.registers[r].type);
        auto &pool = freeRows[rows];
        if (!pool.empty()) {
            result.row[r] = pool.back();
            pool.pop_back();
        } else {
            result.rows += rows > 1 ? result.rows & 1 : 0; // 256-byte alignment of wide rows is kept by even units
            result.row[r] = result.rows;
            result.rows += static_cast<std::uint32_t>(rows);
        }
        active.insert({end[r], r});
    }
}

} // namespace

LivenessResult analyseLiveness(const ptx::Function &function) {
    LivenessResult result;
    const std::size_t registers = function.registers.size();
    result.row.assign(registers, 0);
    if (function.instructions.empty()) return result;
    std::vector<RegisterUse> uses;
    uses.reserve(function.instructions.size());
    for (const auto &instruction : function.instructions) uses.push_back(registerUse(instruction));
    std::vector<Block> blocks = blocksOf(function);
    const std::size_t words = registers / 64 + 1;
    solve(blocks, uses, words);

    const auto width = [&](std::uint32_t r) {
        const auto type = function.registers[r].type;
        return type == ptx::Type::Pred ? 0 : rowsOf(type);
    };
    std::vector<std::uint32_t> begin(registers, ~0u), end(registers, 0);
    const auto cover = [&](std::uint32_t r, std::uint32_t at) {
        begin[r] = std::min(begin[r], at);
        end[r] = std::max(end[r], at);
    };
    for (const Block &block : blocks) {
        int live = 0;
        std::vector<std::uint64_t> now = block.liveOut;
        for (std::uint32_t r = 0; r < registers; ++r) {
            if (Bitset::test(now, r)) { live += width(r); cover(r, 2 * block.last); }
            if (Bitset::test(block.liveIn, r)) cover(r, 2 * block.first);
        }
        result.mostLive32 = std::max(result.mostLive32, live);
        for (std::uint32_t i = block.last; i-- > block.first;) {
            int written = 0;
            for (const auto r : uses[i].writes) {
                // all results of one instruction exist at once, and they must not share rows with what it still reads
                cover(r, 2 * i);
                cover(r, 2 * i + 1);
                if (Bitset::test(now, r)) { Bitset::reset(now, r); live -= width(r); written += width(r); }
            }
            result.mostLive32 = std::max(result.mostLive32, live + written);
            for (const auto r : uses[i].reads) {
                cover(r, 2 * i);
                if (!Bitset::test(now, r)) { Bitset::set(now, r); live += width(r); }
            }
            result.mostLive32 = std::max(result.mostLive32, live);
        }
    }
    assignRows(function, begin, end, result);
    return result;
}

} // namespace kernelskill::simulator
