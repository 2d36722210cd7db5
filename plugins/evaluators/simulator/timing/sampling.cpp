// SPDX-License-Identifier: Apache-2.0
#include "timing/sampling.h"

#include <algorithm>
#include <cmath>

namespace kernelskill::simulator {
namespace {

constexpr std::uint64_t windowCount = 3;
// Fewer blocks in a window say nothing about what neighbours share, whatever the budget.
constexpr std::uint64_t fewestPerWindow = 4;

// Whole rows of blocks where a row fits; else whole SM-loads of blocks where one fits.
std::uint64_t roundedWindow(std::uint64_t blocks, const Dim3 &grid, std::uint64_t resident)
{
    const bool hasRows = grid.y > 1 || grid.z > 1;
    const std::uint64_t unit = hasRows && grid.x <= blocks ? grid.x : resident;
    return unit > 0 && blocks >= unit ? blocks / unit * unit : blocks;
}

} // namespace

SamplePlan plan(const SampleRequest &request, const GpuModel &gpu)
{
    SamplePlan result;
    const std::uint64_t total = request.grid.count();
    const std::uint64_t resident = static_cast<std::uint64_t>(std::max(request.occupancy.residentBlocks, 1));
    const std::uint64_t coResident = resident * static_cast<std::uint64_t>(gpu.smCount);
    const auto all = [&] {
        result.windows.clear();
        result.blocks = total;
        // All blocks run, one after the other: each wave of them would have had the whole L2.
        result.residentShare = 1;
        return result;
    };

    constexpr double assumedInstructionsPerThread = 100;
    const double perBlock = request.threadInstructionsPerBlock > 0
                                ? request.threadInstructionsPerBlock
                                : assumedInstructionsPerThread * static_cast<double>(request.block.count());
    const double affordable = std::floor(request.threadInstructionBudget / std::max(perBlock, 1.0));
    if (request.blocksCommunicate || affordable >= static_cast<double>(total) || total <= windowCount * fewestPerWindow)
        return all();

    // No more than a wave in one window: what follows it would only repeat it.
    const std::uint64_t wanted = static_cast<std::uint64_t>(std::max(affordable, 0.0)) / windowCount;
    const std::uint64_t size = roundedWindow(std::clamp(wanted, fewestPerWindow, coResident), request.grid, resident);
    if (size * windowCount >= total) return all();

    const std::uint64_t last = total - size;
    std::uint64_t middle = last / 2;
    if (request.grid.x <= size && request.grid.x > 0)
        middle = middle / request.grid.x * request.grid.x; // begin at a row's start
    result.windows = {{0, size}, {std::max(middle, size), size}, {last, size}};
    result.blocks = size * windowCount;
    result.residentShare = std::min(1.0, static_cast<double>(size) / static_cast<double>(std::min(coResident, total)));
    return result;
}

std::vector<BlockWindow> pilot(const Dim3 &grid)
{
    const std::uint64_t total = grid.count();
    if (total <= 4) return {};
    return {{0, 1}, {total / 2, 1}};
}

} // namespace kernelskill::simulator
