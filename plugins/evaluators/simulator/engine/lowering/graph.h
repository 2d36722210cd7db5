// SPDX-License-Identifier: Apache-2.0
// A function as basic blocks, for the passes to rewrite, and back.
#pragma once

#include "engine/lowering/facts.h"
#include "engine/ptx/module.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kernelskill::simulator::lowering {

inline constexpr std::uint32_t noBlock = ~0u;

struct Block {
    enum class End : std::uint8_t {
        Jump,        // targets[0]
        Conditional, // targets[0] where the guard of `last` holds, else targets[1]
        Indexed,     // brx: targets are those of table `table`, and what follows when guarded
        Leave        // ret, exit, trap, or the end of the body
    };
    std::vector<ptx::Instruction> body; // without the instruction that ends it
    End end = End::Leave;
    ptx::Instruction last;              // branch or leave; of a jump only its place means something
    std::vector<std::uint32_t> targets;
    std::uint32_t table = 0;
    std::vector<std::uint32_t> predecessors; // made by connect()
    bool reachable = true;
    bool keptRolled = false;            // the source asks that a loop it begins is not unrolled
};

struct Graph {
    ptx::Function function; // all but its instructions
    std::vector<Block> blocks; // 0 is the entry
    std::vector<std::uint32_t> order; // reachable blocks as they will be laid out

    // Predecessors and reachability, after edges have changed; drops blocks that are not reachable from the order.
    void connect();
    // Empty blocks and jumps to a block nobody else enters disappear.
    void tidy();
};

[[nodiscard]] Graph graphOf(ptx::Function function);
[[nodiscard]] ptx::Function functionOf(Graph graph);

// Registers live at the beginning and the end of each block, as bit sets.
class LiveSets {
public:
    explicit LiveSets(const Graph &graph);
    // Registers made since the sets were are not live between blocks.
    [[nodiscard]] bool in(std::uint32_t block, std::uint32_t r) const { return r >> 6 < m_in[block].size() && (m_in[block][r >> 6] >> (r & 63) & 1); }
    [[nodiscard]] bool out(std::uint32_t block, std::uint32_t r) const { return r >> 6 < m_out[block].size() && (m_out[block][r >> 6] >> (r & 63) & 1); }
    [[nodiscard]] const std::vector<std::uint64_t> &outSet(std::uint32_t block) const { return m_out[block]; }
    [[nodiscard]] const std::vector<std::uint64_t> &inSet(std::uint32_t block) const { return m_in[block]; }

private:
    std::vector<std::vector<std::uint64_t>> m_in, m_out;
};

// The block every path from the entry to a block passes last; the entry's is itself, an unreachable one's noBlock.
[[nodiscard]] std::vector<std::uint32_t> immediateDominators(const Graph &graph);
[[nodiscard]] bool dominates(const std::vector<std::uint32_t> &dominators, std::uint32_t above, std::uint32_t below);

struct Loop {
    std::uint32_t header = 0;
    std::vector<std::uint32_t> blocks; // with the header
    std::uint32_t outer = noBlock;     // index into the loops
};
struct Loops {
    std::vector<Loop> loops;            // outer ones first
    std::vector<std::uint32_t> innermost; // of each block; noBlock: none
    bool irreducible = false;           // a cycle that is entered at several places
};
[[nodiscard]] Loops loopsOf(const Graph &graph);

} // namespace kernelskill::simulator::lowering
