// SPDX-License-Identifier: Apache-2.0
// Which blocks of a large grid to run so that the time of all of them can be modelled.
//
// How a worker uses it, for the timing size only (correctness runs every block, at the check size):
//   1. Never sample a kernel whose blocks wait for one another (grid-wide barrier, look-back): mark it, the plan then
//      asks for every block. Never sample a launch whose output a later launch's control flow reads, for the same
//      reason: unwritten data would steer it.
//   2. Know the cost of a block. Either from the check size, or run a pilot: `pilot()` names a first and a middle
//   block;
//      its report's Σ threadInstructions / blocks goes into threadInstructionsPerBlock.
//   3. `plan()` gives slices of the grid, each for LaunchRequest::windows of a launch of its own, and the share of the
//      device one slice stands for. Make the Device with GpuModel::executionModel(plan.residentShare) so that the slice
//      finds the part of L2 it would have had: co-resident blocks share L2 in proportion.
//      A Device that serves several launches takes the smallest share among them.
//   4. `model()` scales the counters of the blocks that ran (report.counters.blocks) to report.blocksTotal.
//
// What makes the sample fair. A slice is what a few neighbouring multiprocessors do in their first rounds: neighbouring
// blocks, since they share lines, tiles and rows in L2, and the blocks that follow on the same multiprocessor, a device's
// width further on, which find its L1 as their predecessors left it. Slices lie at the start, the middle and the end of
// the grid in equal parts, so that work that grows or falls linearly with the block (triangular loops) averages out right,
// and the ragged last blocks are seen. Where the budget takes it, a slice is some multiprocessors with all their rounds: L1 as
// a kernel's first blocks find it is empty, and full of their predecessors' data for all others.
// What a sample cannot tell: sharing between blocks further apart than a slice is missed, so DRAM bytes of kernels
// with reuse across the grid come out high; the time model cuts the excess (fetchesAtMost in work.cpp), but for what a block
// itself fetches again.
#pragma once

#include "timing/gpu_model.h"
#include "timing/occupancy.h"

#include <cstdint>
#include <vector>

namespace kernelskill::simulator {

struct SampleRequest
{
    Dim3 grid, block;
    double threadInstructionsPerBlock = 0; // 0: unknown, taken as 100 a thread
    double threadInstructionBudget = 2e9;  // for all slices together
    int residentBlocks = 1;                // of one multiprocessor
    bool blocksCommunicate = false;
};

using SampleSlice = std::vector<BlockWindow>; // ascending, not overlapping

struct SamplePlan
{
    std::vector<SampleSlice> slices; // not overlapping; empty: run all blocks
    std::uint64_t blocks = 0;        // that will run
    double residentShare = 1;        // of the blocks the device holds at a time, in one slice: scales L2
    [[nodiscard]] bool runsAll() const { return slices.empty(); }
};

[[nodiscard]] SamplePlan plan(const SampleRequest &request, const GpuModel &gpu);

// The order in which to start a slice's blocks so that those which a multiprocessor holds at a time run side by side and
// share its L1, as many multiprocessors together as the host's memory takes, and one follows another as soon as there is room.
struct StartOrder
{
    std::vector<BlockWindow> windows;
    std::uint32_t concurrentBlocks = 1;
    std::uint64_t sharingL1 = 1; // blocks of one multiprocessor that do run side by side
};

// An empty slice means the whole grid.
[[nodiscard]] StartOrder startOrder(const SampleSlice &slice, std::uint64_t gridBlocks, const Occupancy &occupancy,
                                    const GpuModel &gpu);

// The first and a middle block, to learn what a block costs. Empty for grids of at most four blocks: run them all.
[[nodiscard]] std::vector<BlockWindow> pilot(const Dim3 &grid);

} // namespace kernelskill::simulator
