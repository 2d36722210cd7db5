// SPDX-License-Identifier: Apache-2.0
#include "hand_made_reports.h"

#include <algorithm>
#include <cmath>

namespace kernelskill::simulator {
namespace {

constexpr double elements = 4096.0 * 4096.0;
constexpr double tensorBytes = elements * 4;

std::uint64_t count(double value)
{
    return static_cast<std::uint64_t>(std::llround(value));
}

void setInstructions(const KernelSketch &sketch, double warps, LaunchCounters &counters)
{
    const auto set = [&](InstructionClass c, double perWarp, double lanes = 32) {
        counters.warpInstructions[static_cast<std::size_t>(c)] = count(perWarp * warps);
        counters.threadInstructions[static_cast<std::size_t>(c)] = count(perWarp * warps * lanes);
    };
    set(InstructionClass::Fp32, sketch.fp32);
    set(InstructionClass::Integer, sketch.integer);
    set(InstructionClass::Special, sketch.special);
    set(InstructionClass::Shuffle, sketch.shuffles);
    set(InstructionClass::Branch, sketch.branches);
    set(InstructionClass::Barrier, sketch.barriers);
    set(InstructionClass::Tensor, sketch.tensor);
    set(InstructionClass::LoadGlobal, sketch.loads);
    set(InstructionClass::StoreGlobal, sketch.stores);
    set(InstructionClass::LoadShared, sketch.sharedLoads);
    set(InstructionClass::StoreShared, sketch.sharedStores);
    set(InstructionClass::AtomicGlobal, sketch.atomics, sketch.atomicLanes);
    for (std::size_t i = 0; i < instructionClassCount; ++i) {
        counters.activeLanes += counters.warpInstructions[i] * 32;
        counters.predicatedOnLanes += counters.threadInstructions[i];
    }
    counters.branches = count(sketch.branches * warps);
    counters.barriers = count(sketch.barriers * warps);
}

void setMemory(const KernelSketch &sketch, double warps, double share, LaunchCounters &counters)
{
    AccessCounters &load = counters.globalLoad;
    load.requests = count(sketch.loads * warps);
    load.sectors = count(sketch.loads * warps * sketch.loadSectors);
    load.bytes = count(sketch.loads * warps * sketch.loadBytes);
    load.wavefronts = count(sketch.loads * warps * sketch.loadWavefronts);
    load.l1HitSectors = count(static_cast<double>(load.sectors) * sketch.l1Hits);
    const double missed = static_cast<double>(load.sectors - load.l1HitSectors);
    load.l2HitSectors = count(missed * sketch.l2Hits);
    AccessCounters &store = counters.globalStore;
    store.requests = count(sketch.stores * warps);
    store.sectors = count(sketch.stores * warps * sketch.storeSectors);
    store.bytes = count(sketch.stores * warps * sketch.storeBytes);
    store.wavefronts = count(sketch.stores * warps * sketch.storeWavefronts);
    AccessCounters &atomic = counters.globalAtomic;
    atomic.requests = count(sketch.atomics * warps);
    atomic.sectors = count(sketch.atomics * warps * sketch.atomicSectors);
    atomic.bytes = count(sketch.atomics * warps * sketch.atomicLanes * 4);
    counters.atomicTurnsInteger = count(sketch.atomics * warps * sketch.atomicTurns);
    counters.atomicPieces = sketch.atomicPieces;
    counters.l2ReadSectors = count(missed);
    counters.l2WriteSectors = store.sectors + atomic.sectors;
    counters.dramReadBytes = count(sketch.dramReadBytes * share);
    counters.dramWriteBytes = count(sketch.dramWriteBytes * share);
    counters.sharedLoadRequests = count(sketch.sharedLoads * warps);
    counters.sharedLoadWavefronts = count(std::max(sketch.sharedLoadWavefronts, sketch.sharedLoads) * warps);
    counters.sharedStoreRequests = count(sketch.sharedStores * warps);
    counters.sharedStoreWavefronts = count(std::max(sketch.sharedStoreWavefronts, sketch.sharedStores) * warps);
    counters.sharedLoadConflicts = counters.sharedLoadWavefronts - counters.sharedLoadRequests;
    counters.sharedStoreConflicts = counters.sharedStoreWavefronts - counters.sharedStoreRequests;
}

} // namespace

LaunchReport report(const KernelSketch &sketch, std::uint64_t blocks)
{
    LaunchReport result;
    result.kernel = result.mangled = sketch.name;
    result.grid = {sketch.gridBlocks, 1, 1};
    result.block = {sketch.blockThreads, 1, 1};
    result.blocksTotal = sketch.gridBlocks;
    result.resources.registersPerThread = sketch.registers;
    result.resources.staticSharedBytes = sketch.sharedBytes;
    result.completed = true;
    result.blocksTogether = blocks;
    result.loadedAllocationBytes = sketch.loadedBytes;
    result.storedAllocationBytes = sketch.storedBytes;
    LaunchCounters &counters = result.counters;
    counters.blocks = blocks ? blocks : sketch.gridBlocks;
    const std::uint64_t warpsPerBlock = (sketch.blockThreads + 31) / 32;
    counters.warps = counters.blocks * warpsPerBlock;
    counters.threads = counters.blocks * sketch.blockThreads;
    const double share = static_cast<double>(counters.blocks) / sketch.gridBlocks;
    const double warps = static_cast<double>(counters.warps);
    setInstructions(sketch, warps, counters);
    setMemory(sketch, warps, share, counters);
    counters.fp32Flops = count(sketch.flops * share);
    counters.blockCriticalCycles = count(sketch.criticalCycles * static_cast<double>(counters.blocks));
    counters.longestBlockCycles = count(std::max(sketch.longestCycles, sketch.criticalCycles));
    const double waits = sketch.criticalCycles * warps;
    counters.stallCycles[static_cast<std::size_t>(StallReason::LongScoreboard)] =
        count(waits * sketch.longScoreboardShare);
    counters.stallCycles[static_cast<std::size_t>(StallReason::Wait)] = count(waits * (1 - sketch.longScoreboardShare));
    return result;
}

KernelSketch streamingCopy(bool vectorised)
{
    KernelSketch s;
    s.name = vectorised ? "copy float4" : "copy float";
    const double perThread = vectorised ? 4 : 1;
    s.blockThreads = 256;
    s.gridBlocks = static_cast<std::uint32_t>(elements / perThread / 256);
    s.registers = 16;
    s.integer = 10;
    s.branches = 2;
    s.loads = s.stores = 1;
    s.loadSectors = s.storeSectors = 4 * perThread;
    s.loadBytes = s.storeBytes = 128 * perThread;
    s.dramReadBytes = s.dramWriteBytes = tensorBytes;
    s.criticalCycles = 720;
    s.longScoreboardShare = 0.88;
    return s;
}

std::vector<KernelSketch> softmaxLadder()
{
    // One thread a row: three passes of loads, each lane in a row of its own; a sector serves eight steps out of L1.
    KernelSketch naive;
    naive.name = "softmax thread a row";
    naive.gridBlocks = 16;
    naive.fp32 = 4096 * 8;
    naive.integer = 4096 * 4;
    naive.special = 4096 * 2;
    naive.branches = 4096;
    naive.loads = 3 * 4096;
    naive.loadSectors = 32;
    naive.stores = 4096;
    naive.storeSectors = 32;
    naive.l1Hits = 0.875;
    naive.l2Hits = 0.3;
    naive.dramReadBytes = 2.1 * tensorBytes;
    naive.dramWriteBytes = tensorBytes;
    naive.criticalCycles = 4096 * 3 * 45.0;
    // One warp a row, three passes over memory.
    KernelSketch warp;
    warp.name = "softmax warp a row";
    warp.gridBlocks = 512;
    warp.fp32 = 128 * 8;
    warp.integer = 128 * 3;
    warp.special = 128 * 2;
    warp.shuffles = 10;
    warp.branches = 128;
    warp.loads = 3 * 128;
    warp.stores = 128;
    warp.l1Hits = 0.3;
    warp.l2Hits = 0.5;
    warp.dramReadBytes = warp.dramWriteBytes = tensorBytes;
    warp.criticalCycles = 128 * 120.0;
    // One block a row, the row kept in registers: read once, written once, float4.
    KernelSketch block;
    block.name = "softmax block a row, in registers";
    block.gridBlocks = 4096;
    block.registers = 40;
    block.fp32 = 16 * 6;
    block.integer = 30;
    block.special = 16;
    block.shuffles = 20;
    block.barriers = 4;
    block.loads = block.stores = 4;
    block.loadSectors = block.storeSectors = 16;
    block.loadBytes = block.storeBytes = 512;
    block.dramReadBytes = block.dramWriteBytes = tensorBytes;
    block.criticalCycles = 1700;
    return {naive, warp, block};
}

std::vector<KernelSketch> matmulLadder()
{
    constexpr double k = 1024, flops = 2 * k * k * k, matrixBytes = k * k * 4;
    KernelSketch scattered;
    scattered.name = "matmul lanes down a column";
    scattered.gridBlocks = 1024;
    scattered.blockThreads = 1024;
    scattered.fp32 = k;
    scattered.integer = k / 2;
    scattered.branches = k / 4;
    scattered.loads = 2 * k;
    scattered.loadSectors = 16.5; // 32 for one matrix, 1 for the other
    scattered.stores = 1;
    scattered.storeSectors = 32;
    scattered.l1Hits = 0.93;
    scattered.l2Hits = 0.99;
    scattered.dramReadBytes = 2 * matrixBytes;
    scattered.flops = flops;
    scattered.criticalCycles = k * 30;
    KernelSketch coalesced = scattered;
    coalesced.name = "matmul coalesced";
    coalesced.loadSectors = 2.5; // 4 and 1
    coalesced.storeSectors = 4;
    coalesced.l1Hits = 0.97;
    coalesced.criticalCycles = k * 24;
    // 32 × 32 tiles in shared memory; the compiler joins four broadcast loads into one.
    KernelSketch tiled = scattered;
    tiled.name = "matmul 32 × 32 tiles";
    tiled.sharedBytes = 8192;
    tiled.integer = k / 8;
    tiled.branches = k / 32;
    tiled.barriers = k / 16;
    tiled.loads = k / 16;
    tiled.loadSectors = 4;
    tiled.storeSectors = 4;
    tiled.l1Hits = 0;
    tiled.sharedLoads = k * 1.25;
    tiled.sharedStores = k / 16;
    tiled.criticalCycles = k / 32 * 700;
    // 64 × 64 tiles, 4 × 8 results a thread, 128 threads.
    KernelSketch blocked = tiled;
    blocked.name = "matmul 64 × 64, registers 4 × 8";
    blocked.gridBlocks = 256;
    blocked.blockThreads = 128;
    blocked.registers = 80;
    blocked.sharedBytes = 2 * 64 * 16 * 4;
    blocked.fp32 = k * 32;
    blocked.integer = k * 2;
    blocked.barriers = k / 8;
    blocked.loads = k / 16 * 4;
    blocked.loadSectors = 16;
    blocked.loadBytes = 512;
    blocked.sharedLoads = k * 3;
    blocked.sharedLoadWavefronts = k * 5;
    blocked.sharedStores = k / 16 * 4;
    blocked.stores = 8;
    blocked.storeSectors = 16;
    blocked.storeBytes = 512;
    blocked.criticalCycles = k * 45;
    return {scattered, coalesced, tiled, blocked};
}

std::vector<KernelSketch> transposeLadder()
{
    KernelSketch naive = streamingCopy(false);
    naive.name = "transpose naive";
    naive.storeSectors = 32;
    KernelSketch tiled = streamingCopy(false);
    tiled.name = "transpose 32 × 32 tile";
    tiled.gridBlocks = 16384;
    tiled.sharedBytes = 4096;
    tiled.integer = 30;
    tiled.loads = tiled.stores = 4;
    tiled.sharedStores = 4;
    tiled.sharedLoads = 4;
    tiled.sharedLoadWavefronts = 4 * 32;
    tiled.barriers = 1;
    tiled.criticalCycles = 950;
    KernelSketch padded = tiled;
    padded.name = "transpose 32 × 33 tile";
    padded.sharedBytes = 4224;
    padded.sharedLoadWavefronts = 4;
    padded.criticalCycles = 850;
    return {naive, tiled, padded};
}

} // namespace kernelskill::simulator
