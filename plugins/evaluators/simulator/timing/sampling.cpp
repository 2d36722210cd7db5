// SPDX-License-Identifier: Apache-2.0
#include "timing/sampling.h"

#include <algorithm>
#include <cmath>

namespace kernelskill::simulator {
namespace {

constexpr std::uint64_t sliceCount = 3;
// Fewer neighbours say nothing about what neighbours share, whatever the budget.
constexpr std::uint64_t fewestNeighbours = 4;
// Beyond these, further rounds tell more: each slice begins with empty caches.
constexpr std::uint64_t manyNeighbours = 12;
// Rounds of a slice narrower than the device: what the first block of a multiprocessor fetches into its L1 is there for
// the further ones. As many as it holds at a time, if that is more.
constexpr std::uint64_t mostRounds = 8;
// Rounds that a multiprocessor goes through before the next ones begin, in times what it holds: a block finds L1 as those left
// it that ended at other times than it began.
constexpr std::uint64_t wavesInARow = 4;
// Side by side: mostly all of a slice, as on a device; of a whole grid, what fits the host's caches.
constexpr std::uint64_t mostWarps = 2048;

// Rounds of `width` neighbours, one a multiprocessor, as far apart as the device has multiprocessors.
SampleSlice slice(std::uint64_t first, std::uint64_t width, std::uint64_t rounds, std::uint64_t sms)
{
    SampleSlice result;
    if (width == sms) return {{first, width * rounds}};
    for (std::uint64_t round = 0; round < rounds; ++round)
        result.push_back({first + round * sms, width});
    return result;
}

// Multiprocessors of a slice that can run all their rounds.
std::uint64_t columnWidth(std::uint64_t total, std::uint64_t wanted, std::uint64_t sms)
{
    const std::uint64_t rounds = (total + sms - 1) / sms;
    return std::min(wanted / rounds, sms / sliceCount);
}

// Where a grid has few rounds, some multiprocessors with all of theirs tell more than a third of the rounds of more of them:
// L1 is full of what went before when a block begins, but for the first.
SamplePlan columns(std::uint64_t total, std::uint64_t width, std::uint64_t sms)
{
    SamplePlan result;
    for (std::uint64_t i = 0; i < sliceCount; ++i) {
        SampleSlice column;
        for (std::uint64_t first = (sms - width) * i / (sliceCount - 1); first < total; first += sms) {
            column.push_back({first, std::min(width, total - first)});
            result.blocks += column.back().count;
        }
        result.slices.push_back(std::move(column));
    }
    result.residentShare = static_cast<double>(width) / static_cast<double>(std::min(sms, total));
    return result;
}

// Of the blocks that the device holds at a time, those that a slice of so many rounds does.
double shareInFlight(std::uint64_t width, std::uint64_t rounds, std::uint64_t total, std::uint64_t resident, std::uint64_t sms)
{
    const std::uint64_t onDevice = std::min(total, sms * resident);
    return std::min(1.0, static_cast<double>(width * std::min(rounds, resident)) / static_cast<double>(onDevice));
}

} // namespace

SamplePlan plan(const SampleRequest &request, const GpuModel &gpu)
{
    SamplePlan result;
    const std::uint64_t total = request.grid.count();
    const auto sms = static_cast<std::uint64_t>(gpu.smCount);
    const auto all = [&] {
        result.slices.clear();
        result.blocks = total;
        // All blocks run: each wave of them has the whole L2.
        result.residentShare = 1;
        return result;
    };

    constexpr double assumedInstructionsPerThread = 100;
    const double perBlock = request.threadInstructionsPerBlock > 0
                                ? request.threadInstructionsPerBlock
                                : assumedInstructionsPerThread * static_cast<double>(request.block.count());
    const double affordable = std::floor(request.threadInstructionBudget / std::max(perBlock, 1.0));
    if (request.blocksCommunicate || affordable >= static_cast<double>(total) || total <= sliceCount * fewestNeighbours)
        return all();

    const std::uint64_t wanted =
        std::max(static_cast<std::uint64_t>(std::max(affordable, 0.0)) / sliceCount, fewestNeighbours);
    // Slices must not reach into one another.
    const std::uint64_t roundsOfGrid = std::max<std::uint64_t>(total / sliceCount / sms, 1);
    const std::uint64_t most = std::max<std::uint64_t>(mostRounds, static_cast<std::uint64_t>(std::max(request.residentBlocks, 1)));
    const std::uint64_t wanting = wanted >= most * sms ? wanted / sms : std::max(std::min(wanted / fewestNeighbours, most), std::min(wanted / manyNeighbours, 4 * most));
    const std::uint64_t rounds = std::clamp<std::uint64_t>(wanting, 1, roundsOfGrid);
    const std::uint64_t width = std::min({wanted / rounds, sms, total});
    const std::uint64_t span = (rounds - 1) * sms + width;
    if (span * sliceCount > total) return all();

    if (const std::uint64_t whole = columnWidth(total, wanted, sms); whole >= manyNeighbours)
        return columns(total, whole, sms);

    const std::uint64_t last = total - span;
    result.slices = {slice(0, width, rounds, sms), slice(last / 2, width, rounds, sms), slice(last, width, rounds, sms)};
    result.blocks = width * rounds * sliceCount;
    result.residentShare = shareInFlight(width, rounds, total, static_cast<std::uint64_t>(std::max(request.residentBlocks, 1)), sms);
    return result;
}

StartOrder startOrder(const SampleSlice &slice, std::uint64_t gridBlocks, const Occupancy &occupancy,
                      const GpuModel &gpu)
{
    const auto sms = static_cast<std::uint64_t>(gpu.smCount);
    SampleSlice rounds; // each of one block a multiprocessor
    for (const BlockWindow &window : slice.empty() ? SampleSlice{{0, gridBlocks}} : slice)
        for (std::uint64_t done = 0; done < window.count; done += sms)
            rounds.push_back({window.first + done, std::min(sms, window.count - done)});

    const auto resident = static_cast<std::uint64_t>(std::max(occupancy.residentBlocks, 1));
    const auto warps = static_cast<std::uint64_t>(std::max(occupancy.warpsPerBlock, 1));
    StartOrder order;
    order.sharingL1 = std::min<std::uint64_t>(resident, rounds.size());
    const std::uint64_t group = std::clamp<std::uint64_t>(mostWarps / (order.sharingL1 * warps), 1, sms);
    order.concurrentBlocks = static_cast<std::uint32_t>(group * order.sharingL1);
    const std::size_t step = order.sharingL1 * wavesInARow;
    for (std::size_t wave = 0; wave < rounds.size(); wave += step) {
        const std::size_t end = std::min<std::size_t>(rounds.size(), wave + step);
        for (std::uint64_t sm = 0; sm < rounds[wave].count; sm += group) {
            for (std::size_t round = wave; round < end; ++round)
                if (sm < rounds[round].count)
                    order.windows.push_back({rounds[round].first + sm, std::min(group, rounds[round].count - sm)});
        }
    }
    return order;
}

std::vector<BlockWindow> pilot(const Dim3 &grid)
{
    const std::uint64_t total = grid.count();
    if (total <= 4) return {};
    return {{0, 1}, {total / 2, 1}};
}

} // namespace kernelskill::simulator
