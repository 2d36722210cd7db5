// SPDX-License-Identifier: Apache-2.0
// The passes of the lowering, in the order they run (see README.md).
#pragma once

#include "engine/lowering/graph.h"

namespace kernelskill::simulator::lowering {

void simplify(Graph &graph);
void convertBranches(Graph &graph);
void mergeLoads(Graph &graph, const ptx::Module &module);
void coalesceMoves(Graph &graph);
void orderBlocks(Graph &graph);
// Two registers the assembler keeps: the stack pointer, and one for what it cannot place otherwise.
inline constexpr int reservedRegisters = 2;
[[nodiscard]] int mostLive(const Graph &graph, std::uint32_t block, const LiveSets &live); // in 32-bit registers
[[nodiscard]] int schedulingLimit(const Graph &graph);
[[nodiscard]] int registersOf(const ptx::Function &function);
void scheduleBlocks(Graph &graph, int registerLimit);

// Greatest power of two known to divide each register's value, as an exponent of at most 16.
[[nodiscard]] std::vector<std::uint8_t> alignmentOf(const Graph &graph, const ptx::Module &module);

} // namespace kernelskill::simulator::lowering
