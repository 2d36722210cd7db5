// SPDX-License-Identifier: Apache-2.0
#include "occupancy.h"

#include <algorithm>

namespace kernelskill::cuda {

namespace {

constexpr int warpSize = 32, registerUnit = 256, registerFiles = 4, sharedUnit = 128;

int roundUp(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

} // namespace

std::optional<Occupancy> occupancy(const LaunchRow &launch, const DeviceLimits &device)
{
    const double threads = double(launch.block[0]) * launch.block[1] * launch.block[2];
    if (device.threadsPerSm <= 0 || device.blocksPerSm <= 0 || device.registersPerSm <= 0 || device.sharedPerSm <= 0 ||
        device.multiprocessors <= 0 || launch.registers < 0 || launch.staticShared < 0 || launch.dynamicShared < 0 ||
        threads < 1 || threads > device.threadsPerSm)
        return std::nullopt;
    const int warps = (int(threads) + warpSize - 1) / warpSize;
    const int warpSlots = device.threadsPerSm / warpSize;
    Occupancy result;
    result.byBlocks = device.blocksPerSm;
    result.byWarps = warpSlots / warps;
    const int perWarp = roundUp(std::max(launch.registers, 1) * warpSize, registerUnit);
    result.byRegisters = device.registersPerSm / registerFiles / perWarp * registerFiles / warps;
    const double requested = double(launch.staticShared) + launch.dynamicShared + device.sharedReservedPerBlock;
    if (requested > device.sharedPerSm) return std::nullopt;
    const int shared = roundUp(int(requested), sharedUnit);
    result.byShared = shared > 0 ? device.sharedPerSm / shared : device.blocksPerSm;
    result.residentBlocks = std::min({result.byRegisters, result.byShared, result.byWarps, result.byBlocks});
    result.theoretical_pct = 100.0 * result.residentBlocks * warps / warpSlots;
    const double blocks = double(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    if (result.residentBlocks > 0)
        result.wavesPerSm = blocks / (double(result.residentBlocks) * device.multiprocessors);
    return result;
}

} // namespace kernelskill::cuda
