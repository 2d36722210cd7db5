// SPDX-License-Identifier: Apache-2.0
// A GPU as the time model sees it: the same resources/gpus/<id>.json that core's GpuSpec reads, without Qt.
#pragma once

#include "engine/device.h"
#include "engine/launch_report.h"

#include <cstddef>
#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kernelskill::simulator {

struct Occupancy; // timing/occupancy.h

// Constants of the time model that are fitted rather than read off a data sheet ("model" in the file; all required).
struct ModelConstants
{
    double overlapExponent = 0;         // p of the p-norm that joins the bounds; ∞ would be a plain maximum
    double serialShare = 0;             // of the bounds beside the largest, what a lone agent adds to it
    double launchGap_us = 0;            // between two kernels of one stream, beyond their own duration
    double kernelFixed_us = 0;          // duration of an empty kernel: front end, first instruction fetch, drain
    double issueEfficiency = 0;         // share of the issue slots a well-tuned kernel fills
    double pipeEfficiency = 0;          // the same of a pipe: operand bank conflicts, clock under power limit
    double l1WavefrontCycles = 0;       // cost of a global wavefront (one 128-byte line of a request) in L1
    double sharedWavefrontCycles = 0;   // cost of a shared-memory wavefront
    double dramReadBonus = 0;           // reads alone run this much faster than an even mix: no bus turnaround
    double l2PeakFactor = 0;            // profiler's L2 peak over the achievable bandwidth
    double blockStartCycles = 0;        // an SM's front end is busy this long with one block
    double blockLatencyCycles = 0;      // from a free slot to the first instruction of the next block
    double inflightBytesPerSm = 0;      // most bytes of L1 misses an SM keeps on the way
    double atomicPacketCycles = 0;       // a slice of L2 is busy with one sector of an atomic request
    double atomicTurnCyclesInteger = 0;  // and this much longer for each further lane that meets on a word
    double atomicTurnCyclesFloat = 0;
    double atomicSlices = 0;             // that work side by side when addresses spread
    double atomicDevicePacketCycles = 0; // a packet on its way to L2, of the whole device
    double atomicDeviceLaneCycles = 0;   // and each lane of it
    double l1Share = 1;                  // of the array beside shared memory that keeps data for a second use
    double dirtyShare = 0;               // of L2, that stays dirty when a kernel that wrote more ends
    double packetSectors = 0;            // sectors L2 could move in the time of a packet's own cost, see work.cpp
    double partialStoreSectors = 0;      // full sectors L2 could move in the time of one that is stored in part
    double latencySpread = 0;            // standard deviation of L2's and DRAM's latency over its mean
    double tensorMmaEfficiency = 0;     // share of the tensor peak that mma.sync reaches
    double stragglerShare = 0;          // how much of the longest block's excess shows at the end of many waves
};

// One bound of throughput per class: thread instructions a cycle of one SM. Look-ups by the names of rates in the file.
struct GpuModel
{
    std::string id, name, architecture;
    int smCount = 0;
    int gpcCount = 0; // groups of SMs that share a way to L2; the SMs are dealt out evenly
    double clock_mhz = 0;
    int maxThreadsPerSm = 0, maxBlocksPerSm = 0, maxWarpsPerSm = 0;
    int registersPerSm = 0, registerAllocationUnit = 0; // registers, allocated in this unit a warp
    int sharedBytesPerSm = 0, sharedBytesPerBlock = 0;
    int sharedReservedBytesPerBlock = 0, sharedAllocationUnit = 0;
    int l1BytesPerSm = 0; // shared memory and L1 together
    std::vector<double> sharedCarveOuts_kib; // what shared memory can take of it, ascending
    double l2Bytes = 0;
    int l2Parts = 1; // 2: split, each half next to half of the SMs
    double dram_gb_s = 0, l2_gb_s = 0, dramPeak_gb_s = 0;
    double fp32_tflops = 0, fp64_tflops = 0, fp16Tensor_tflops = 0, tf32Tensor_tflops = 0;
    double launch_us = 0; // host-inclusive
    std::map<std::string, double, std::less<>> latencies, rates;
    std::map<std::string, std::string, std::less<>> provenance;
    ModelConstants model;

    // Errors name the file and the field: "h200.json: rates.fp32 is missing".
    [[nodiscard]] static std::expected<GpuModel, std::string> read(const std::filesystem::path &path);
    [[nodiscard]] static std::expected<GpuModel, std::string> parse(std::string_view json, std::string_view source);

    [[nodiscard]] double rate(std::string_view pipe) const;    // 0 when the file has none
    [[nodiscard]] double latency(std::string_view what) const; // likewise
    [[nodiscard]] double cyclesPerMicrosecond() const { return clock_mhz; }
    [[nodiscard]] double dramBytesPerCycle(double writeShare) const; // whole device, of SM cycles
    [[nodiscard]] double l2BytesPerCycle() const;                    // whole device, of SM cycles
    // "measured", "datasheet" or "assumed"; a field "rates.fp32" falls back to the word for "rates".
    [[nodiscard]] std::string_view provenanceOf(std::string_view field) const;

    // What the executor needs. simulatedShare: of the co-resident blocks of the device, how large a part one window of a
    // sample runs (1: all); L2 shrinks with it, see sampling.h.
    [[nodiscard]] ExecutionModel executionModel(double simulatedShare = 1) const;
    // What one of the co-resident blocks of an SM has of its L1: shared memory takes its carve-out first, and blocks that
    // run side by side on a device but one after the other in the engine compete for the rest.
    [[nodiscard]] std::size_t l1BytesOfBlock(const Occupancy &occupancy, std::uint64_t blocks) const;
};

} // namespace kernelskill::simulator
