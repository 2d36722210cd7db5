// SPDX-License-Identifier: Apache-2.0
// A simulated GPU: memory, modules of PTX, kernel launches. Free of Qt; one thread uses a Device at a time.
#pragma once

#include "launch_report.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kernelskill::simulator {

// Latencies in SM cycles and cache geometry the executor needs; filled from a device file (resources/gpus/*.json).
struct ExecutionModel {
    int aluLatency = 4, fp64Latency = 8, integerMultiplyLatency = 5, specialLatency = 18, convertLatency = 8;
    int sharedLatency = 29, shuffleLatency = 23, l1Latency = 38, l2Latency = 270, dramLatency = 640;
    int branchLatency = 8, barrierLatency = 20, constantLatency = 12, tensorLatency = 34;
    int predicateLatency = 13, specialRegisterLatency = 25; // from a comparison to a guard; of %tid and the like
    double latencySpread = 0; // standard deviation of an L2 or DRAM latency over its mean: slices lie near and far, rows of DRAM are open or not
    std::size_t l1Bytes = 192 * 1024; // per SM, what shared memory leaves
    std::size_t l2Bytes = 50 * 1024 * 1024;
    int l2Parts = 2; // of a split L2 each SM reads through the one next to it
    int smCount = 132;
    int gpcCount = 8;
    bool lowering = true; // execute and count what the assembler makes of PTX (engine/lowering) instead of PTX as written
};

struct LaunchLimits {
    std::uint64_t warpInstructionBudget = 2'000'000'000; // whole launch; beyond it: finding "endless_loop"
    std::uint64_t blockInstructionBudget = 200'000'000;  // warp instructions of one block
};

// Which blocks run. Empty: all. Otherwise contiguous windows of linear block ids [first, first + count).
struct BlockWindow { std::uint64_t first = 0, count = 0; };

struct LaunchRequest {
    std::string kernel;               // mangled name
    Dim3 grid, block;
    Dim3 cluster;                     // blocks that run together; (1, 1, 1): what the kernel itself asks for
    std::uint32_t dynamicSharedBytes = 0;
    std::vector<std::vector<std::byte>> arguments; // one a parameter, exact size
    std::vector<BlockWindow> windows;
    std::uint32_t concurrentBlocks = 1; // blocks of a window that run in turns, so that they compete for L2; 1: one after the other
    std::uint32_t blocksPerSm = 0;    // of them on one SM at most: the next one of an SM begins when it has room; 0: any number
    std::uint64_t firstWaveBlocks = 0; // of the grid that begin together; 0: nobody counts who reads a line with whom
    LaunchLimits limits;
    std::size_t l1Bytes = 0;          // of one SM, as this launch sees it; 0: the model's
    bool warmL1 = false;              // L1 as the launch before left it: a further slice of the same grid
    bool checks = true;               // out of bounds, uninitialised, races, …
};

struct ParameterInfo { std::size_t bytes = 0, alignment = 1, offset = 0; };
struct KernelInfo {
    std::string mangled, demangled;
    std::vector<ParameterInfo> parameters;
    KernelResources resources;
    int maxThreadsPerBlock = 1024;    // from .maxntid/.reqntid
    Dim3 cluster{1, 1, 1};            // from .reqnctapercluster
    std::optional<std::string> unsupported; // the first instruction that is not covered: a finding when a launch reaches it
};

// `origin` is what the caller said about where it was made (a source line of the host program).
struct LiveAllocation { std::uint64_t address = 0; std::size_t bytes = 0; std::string name, origin; };

struct DeviceError { std::string message; std::string file; int line = 0; };

class Device {
public:
    explicit Device(ExecutionModel model = {});
    ~Device();
    Device(Device &&) noexcept;
    Device &operator=(Device &&) noexcept;

    // Allocations are 256-byte aligned with unmapped gaps between them; name appears in findings ("x, 1024 bytes").
    [[nodiscard]] std::expected<std::uint64_t, DeviceError> allocate(std::size_t bytes, std::string name = {}, std::string origin = {});
    // Makes the caller's own memory, page-aligned, part of the device's, at an address below all others that a process can
    // map it at as well. It counts as written. The caller keeps it until after it is released.
    [[nodiscard]] std::expected<std::uint64_t, DeviceError> adopt(std::byte *data, std::size_t bytes, std::string name = {});
    [[nodiscard]] std::expected<void, DeviceError> release(std::uint64_t address);
    [[nodiscard]] std::expected<void, DeviceError> write(std::uint64_t address, std::span<const std::byte> bytes);
    [[nodiscard]] std::expected<void, DeviceError> read(std::uint64_t address, std::span<std::byte> bytes) const;
    [[nodiscard]] std::expected<void, DeviceError> fill(std::uint64_t address, std::byte value, std::size_t bytes);
    // Memory that kernels may read but whose change is an error afterwards is the caller's business (compare).
    // Marks a range as never written, so that reading it before a store is found.
    void markUninitialised(std::uint64_t address, std::size_t bytes);
    [[nodiscard]] std::size_t bytesInUse() const;
    // What allocate() gave and release() has not taken back, in the order of their making: at a program's end, its leaks.
    [[nodiscard]] std::vector<LiveAllocation> liveAllocations() const;

    // Parses PTX text. An instruction outside what is covered is not an error here but when a launch reaches it…
    // unless `strict`, which reports it at load. Returns the kernels of the module.
    [[nodiscard]] std::expected<std::vector<KernelInfo>, DeviceError> loadModule(std::string_view ptx);
    [[nodiscard]] std::optional<KernelInfo> kernel(std::string_view mangled) const;
    // Address and size of a __device__ or __constant__ variable.
    [[nodiscard]] std::optional<std::pair<std::uint64_t, std::size_t>> global(std::string_view name) const;

    // Runs to the end or to a fatal finding. An error is a launch that could not begin (no such kernel, bad sizes).
    [[nodiscard]] std::expected<LaunchReport, DeviceError> launch(const LaunchRequest &request);

    // What the kernels have printed since the last call (at most 1 MiB a launch).
    [[nodiscard]] std::string takeOutput();

    // Empties the modelled caches (as an L2 flush between timed samples would).
    void flushCaches();
    // Takes what earlier launches have left in L2 as written to DRAM: it stays there, and its way counts for them.
    void cleanCaches();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace kernelskill::simulator
