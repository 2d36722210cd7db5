// SPDX-License-Identifier: Apache-2.0
#include "timing/occupancy.h"

#include <algorithm>

namespace kernelskill::simulator {
namespace {

int roundUp(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

int blocksByRegisters(int registersPerThread, int warpsPerBlock, const GpuModel &gpu)
{
    constexpr int registerFiles = 4;
    if (registersPerThread <= 0) return gpu.maxBlocksPerSm;
    const int perWarp = roundUp(registersPerThread * 32, gpu.registerAllocationUnit);
    const int warps = gpu.registersPerSm / registerFiles / perWarp * registerFiles;
    return warps / warpsPerBlock;
}

int blocksByShared(int allocated, const GpuModel &gpu)
{
    return allocated <= 0 ? gpu.maxBlocksPerSm : gpu.sharedBytesPerSm / allocated;
}

} // namespace

std::string_view name(OccupancyLimiter limiter)
{
    switch (limiter) {
    case OccupancyLimiter::Registers:
        return "registers";
    case OccupancyLimiter::SharedMemory:
        return "shared memory";
    case OccupancyLimiter::Warps:
        return "warps";
    case OccupancyLimiter::Blocks:
        return "blocks";
    case OccupancyLimiter::Launch:
        return "launch";
    }
    return "launch";
}

Occupancy occupancy(const KernelResources &resources, std::uint64_t threadsPerBlock, const GpuModel &gpu)
{
    Occupancy result;
    const std::uint64_t threads = std::max<std::uint64_t>(threadsPerBlock, 1);
    result.warpsPerBlock = static_cast<int>(std::min<std::uint64_t>((threads + 31) / 32, 1 << 20));
    const int requested = resources.staticSharedBytes + resources.dynamicSharedBytes;
    result.sharedBytesPerBlock = roundUp(requested + gpu.sharedReservedBytesPerBlock, gpu.sharedAllocationUnit);

    result.registerBlocks = blocksByRegisters(resources.registersPerThread, result.warpsPerBlock, gpu);
    result.sharedBlocks = requested > gpu.sharedBytesPerBlock ? 0 : blocksByShared(result.sharedBytesPerBlock, gpu);
    result.warpBlocks = gpu.maxWarpsPerSm / result.warpsPerBlock;
    result.blockBlocks = gpu.maxBlocksPerSm;

    result.residentBlocks =
        std::min({result.registerBlocks, result.sharedBlocks, result.warpBlocks, result.blockBlocks});
    result.residentWarps = result.residentBlocks * result.warpsPerBlock;
    result.theoretical = static_cast<double>(result.residentWarps) / gpu.maxWarpsPerSm;
    if (result.residentBlocks == 0)
        result.limiter = OccupancyLimiter::Launch;
    else if (result.residentWarps == gpu.maxWarpsPerSm)
        result.limiter = OccupancyLimiter::Warps;
    else if (result.residentBlocks == result.registerBlocks)
        result.limiter = OccupancyLimiter::Registers;
    else if (result.residentBlocks == result.warpBlocks)
        result.limiter = OccupancyLimiter::Warps;
    else if (result.residentBlocks == result.sharedBlocks)
        result.limiter = OccupancyLimiter::SharedMemory;
    else
        result.limiter = OccupancyLimiter::Blocks;
    return result;
}

} // namespace kernelskill::simulator
