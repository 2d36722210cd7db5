// SPDX-License-Identifier: Apache-2.0
// The passes of the lowering, in the order they run (see README.md).
#pragma once

#include "engine/lowering/graph.h"
#include "engine/lowering/machine_cost.h"

namespace kernelskill::simulator::lowering {

// Every instruction has the operands it needs.
[[nodiscard]] bool isWellFormed(const ptx::Function &function);
void inferSpaces(Graph &graph);
void markReadOnly(Graph &graph);
void simplify(Graph &graph);
void foldSums(Graph &graph); // chains of constant additions inside a block, into addresses too
void convertBranches(Graph &graph);
void foldSelections(Graph &graph);
void unrollLoops(Graph &graph);
void mergeLoads(Graph &graph, const ptx::Module &module);
void coalesceMoves(Graph &graph);
void orderBlocks(Graph &graph);
// Registers beyond what values need: the stack pointer, gaps left by aligned pairs and vectors, sums of addresses.
inline constexpr int reservedRegisters = 4;
// 32-bit registers each value takes; what the costs say of absorbed products is used when they are given.
[[nodiscard]] std::vector<std::uint8_t> widthsOf(const ptx::Function &function, const std::vector<MachineCost> &costs);
[[nodiscard]] int registersOf(const ptx::Function &function, const std::vector<MachineCost> &costs);
void scheduleBlocks(Graph &graph);

// Greatest power of two known to divide each register's value, as an exponent of at most 16.
[[nodiscard]] std::vector<std::uint8_t> alignmentOf(const Graph &graph, const ptx::Module &module);
// The same of a variable's address.
[[nodiscard]] int alignmentOfVariable(const ptx::Function &function, const ptx::Module &module, const ptx::Operand &operand);

} // namespace kernelskill::simulator::lowering
