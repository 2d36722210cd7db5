// SPDX-License-Identifier: Apache-2.0
#include "timing/gpu_model.h"

#include "timing/occupancy.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <vector>

namespace kernelskill::simulator {
namespace {

using Json = nlohmann::json;

// Reads fields one by one and keeps the first complaint, so that the reader below states each field once.
class FieldReader
{
public:
    FieldReader(const Json &object, std::string prefix, std::string &error)
        : m_object(object), m_prefix(std::move(prefix)), m_error(error)
    {
    }

    void number(const char *key, double &target) const
    {
        if (const Json *value = find(key, "a number", [](const Json &v) { return v.is_number(); }))
            target = value->get<double>();
        if (m_error.empty() && target < 0) m_error = m_prefix + key + " is negative";
    }
    void number(const char *key, int &target) const
    {
        double value = 0;
        number(key, value);
        target = static_cast<int>(std::min(value, 2147483647.0));
    }
    void numbers(const char *key, std::vector<double> &target) const
    {
        const Json *value = find(key, "a list of numbers", [](const Json &v) {
            return v.is_array() && !v.empty() && std::ranges::all_of(v, [](const Json &one) { return one.is_number(); });
        });
        if (!value) return;
        target = value->get<std::vector<double>>();
        if (!std::ranges::is_sorted(target) || target.front() < 0) m_error = m_prefix + key + " is not ascending";
    }
    void text(const char *key, std::string &target) const
    {
        if (const Json *value = find(key, "a string", [](const Json &v) { return v.is_string(); }))
            target = value->get<std::string>();
    }
    template <typename Map> void table(const char *key, Map &target) const
    {
        const Json *value = find(key, "an object", [](const Json &v) { return v.is_object(); });
        if (!value) return;
        for (const auto &[name, entry] : value->items()) {
            if constexpr (std::is_same_v<typename Map::mapped_type, double>) {
                if (!entry.is_number()) {
                    m_error = m_prefix + key + "." + name + " is not a number";
                    return;
                }
                target[name] = entry.template get<double>();
            } else {
                if (!entry.is_string()) {
                    m_error = m_prefix + key + "." + name + " is not a string";
                    return;
                }
                target[name] = entry.template get<std::string>();
            }
        }
    }

private:
    template <typename Test> const Json *find(const char *key, const char *expected, Test test) const
    {
        if (!m_error.empty()) return nullptr;
        const auto found = m_object.find(key);
        if (found == m_object.end()) {
            m_error = m_prefix + key + " is missing";
            return nullptr;
        }
        if (!test(*found)) {
            m_error = m_prefix + key + " is not " + expected;
            return nullptr;
        }
        return &*found;
    }

    const Json &m_object;
    std::string m_prefix;
    std::string &m_error;
};

void readModel(const FieldReader &fields, ModelConstants &model)
{
    fields.number("overlap_exponent", model.overlapExponent);
    fields.number("serial_share", model.serialShare);
    fields.number("launch_gap_us", model.launchGap_us);
    fields.number("kernel_fixed_us", model.kernelFixed_us);
    fields.number("issue_efficiency", model.issueEfficiency);
    fields.number("pipe_efficiency", model.pipeEfficiency);
    fields.number("l1_wavefront_cycles", model.l1WavefrontCycles);
    fields.number("shared_wavefront_cycles", model.sharedWavefrontCycles);
    fields.number("dram_read_bonus", model.dramReadBonus);
    fields.number("l2_peak_factor", model.l2PeakFactor);
    fields.number("block_start_cycles", model.blockStartCycles);
    fields.number("block_latency_cycles", model.blockLatencyCycles);
    fields.number("inflight_bytes_per_sm", model.inflightBytesPerSm);
    fields.number("atomic_packet_cycles", model.atomicPacketCycles);
    fields.number("atomic_turn_cycles_integer", model.atomicTurnCyclesInteger);
    fields.number("atomic_turn_cycles_float", model.atomicTurnCyclesFloat);
    fields.number("atomic_slices", model.atomicSlices);
    fields.number("atomic_device_packet_cycles", model.atomicDevicePacketCycles);
    fields.number("atomic_device_lane_cycles", model.atomicDeviceLaneCycles);
    fields.number("l1_share", model.l1Share);
    fields.number("dirty_share", model.dirtyShare);
    fields.number("packet_sectors", model.packetSectors);
    fields.number("partial_store_sectors", model.partialStoreSectors);
    fields.number("latency_spread", model.latencySpread);
    fields.number("tensor_mma_efficiency", model.tensorMmaEfficiency);
    fields.number("straggler_share", model.stragglerShare);
}

void readHardware(const FieldReader &fields, GpuModel &gpu)
{
    fields.text("id", gpu.id);
    fields.text("name", gpu.name);
    fields.text("architecture", gpu.architecture);
    fields.number("smCount", gpu.smCount);
    fields.number("gpcCount", gpu.gpcCount);
    fields.number("clock_mhz", gpu.clock_mhz);
    fields.number("maxThreadsPerSm", gpu.maxThreadsPerSm);
    fields.number("maxBlocksPerSm", gpu.maxBlocksPerSm);
    fields.number("maxWarpsPerSm", gpu.maxWarpsPerSm);
    fields.number("registersPerSm", gpu.registersPerSm);
    fields.number("registerAllocationUnit", gpu.registerAllocationUnit);
    fields.number("sharedBytesPerSm", gpu.sharedBytesPerSm);
    fields.number("sharedBytesPerBlock", gpu.sharedBytesPerBlock);
    fields.number("sharedReservedBytesPerBlock", gpu.sharedReservedBytesPerBlock);
    fields.number("sharedAllocationUnit", gpu.sharedAllocationUnit);
    fields.number("l1BytesPerSm", gpu.l1BytesPerSm);
    fields.numbers("sharedCarveOuts_kib", gpu.sharedCarveOuts_kib);
    fields.number("l2Bytes", gpu.l2Bytes);
    fields.number("l2Parts", gpu.l2Parts);
    fields.number("dram_gb_s", gpu.dram_gb_s);
    fields.number("l2_gb_s", gpu.l2_gb_s);
    fields.number("dramPeak_gb_s", gpu.dramPeak_gb_s);
    fields.number("fp32_tflops", gpu.fp32_tflops);
    fields.number("fp64_tflops", gpu.fp64_tflops);
    fields.number("fp16Tensor_tflops", gpu.fp16Tensor_tflops);
    fields.number("tf32Tensor_tflops", gpu.tf32Tensor_tflops);
    fields.number("launch_us", gpu.launch_us);
    fields.table("latencies", gpu.latencies);
    fields.table("rates", gpu.rates);
    fields.table("provenance", gpu.provenance);
}

constexpr std::array neededLatencies{
    "alu", "fp64", "integer_multiply", "special", "convert",  "shared", "shuffle", "l1",
    "l2",  "dram", "branch",           "barrier", "constant", "tensor", "predicate", "special_register"};
constexpr std::array neededRates{"issue",   "fp32",    "fp64",         "fp16",     "integer", "integer_multiply",
                                 "special", "convert", "compare",      "move",     "branch",  "shuffle",
                                 "vote",    "tensor",  "shared_bytes", "l1_bytes", "l2_bytes"};

// The model divides by these: none may be zero.
std::string firstUnusable(const GpuModel &gpu)
{
    const std::vector<std::pair<const char *, double>> divisors{
        {"smCount", gpu.smCount},
        {"gpcCount", gpu.gpcCount},
        {"clock_mhz", gpu.clock_mhz},
        {"maxWarpsPerSm", gpu.maxWarpsPerSm},
        {"maxBlocksPerSm", gpu.maxBlocksPerSm},
        {"registersPerSm", gpu.registersPerSm},
        {"registerAllocationUnit", gpu.registerAllocationUnit},
        {"sharedAllocationUnit", gpu.sharedAllocationUnit},
        {"dram_gb_s", gpu.dram_gb_s},
        {"dramPeak_gb_s", gpu.dramPeak_gb_s},
        {"l2_gb_s", gpu.l2_gb_s},
        {"l2Bytes", gpu.l2Bytes},
        {"fp32_tflops", gpu.fp32_tflops},
        {"fp16Tensor_tflops", gpu.fp16Tensor_tflops},
        {"fp64_tflops", gpu.fp64_tflops},
        {"model.overlap_exponent", gpu.model.overlapExponent},
        {"model.issue_efficiency", gpu.model.issueEfficiency},
        {"model.pipe_efficiency", gpu.model.pipeEfficiency},
        {"model.inflight_bytes_per_sm", gpu.model.inflightBytesPerSm},
        {"model.l2_peak_factor", gpu.model.l2PeakFactor},
        {"model.atomic_slices", gpu.model.atomicSlices},
        {"model.tensor_mma_efficiency", gpu.model.tensorMmaEfficiency},
    };
    for (const auto &[field, value] : divisors) {
        if (value <= 0) return std::string(field) + " is 0";
    }
    for (const char *key : neededLatencies) {
        if (gpu.latency(key) <= 0) return std::string("latencies.") + key + " is missing";
    }
    for (const char *key : neededRates) {
        if (gpu.rate(key) <= 0) return std::string("rates.") + key + " is missing";
    }
    return {};
}

} // namespace

std::expected<GpuModel, std::string> GpuModel::read(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::unexpected("cannot read " + path.string());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return parse(text, path.filename().string());
}

std::expected<GpuModel, std::string> GpuModel::parse(std::string_view json, std::string_view source)
{
    const std::string where = std::string(source) + ": ";
    const Json document = Json::parse(json, nullptr, false);
    if (document.is_discarded() || !document.is_object()) return std::unexpected(where + "not a JSON object");
    GpuModel gpu;
    std::string error;
    readHardware(FieldReader(document, "", error), gpu);
    if (error.empty()) {
        const auto model = document.find("model");
        if (model == document.end() || !model->is_object())
            error = "model is missing";
        else
            readModel(FieldReader(*model, "model.", error), gpu.model);
    }
    if (error.empty()) error = firstUnusable(gpu);
    if (!error.empty()) return std::unexpected(where + error);
    return gpu;
}

double GpuModel::rate(std::string_view pipe) const
{
    const auto found = rates.find(pipe);
    return found == rates.end() ? 0 : found->second;
}

double GpuModel::latency(std::string_view what) const
{
    const auto found = latencies.find(what);
    return found == latencies.end() ? 0 : found->second;
}

double GpuModel::dramBytesPerCycle(double writeShare) const
{
    // dram_gb_s is measured on an even mix of reads and writes; reads alone reach dramReadBonus more.
    const double mixing = 2 * std::min(writeShare, 0.5);
    return dram_gb_s * 1e3 / clock_mhz * (1 + model.dramReadBonus * (1 - mixing));
}

double GpuModel::l2BytesPerCycle() const
{
    return l2_gb_s * 1e3 / clock_mhz;
}

std::string_view GpuModel::provenanceOf(std::string_view field) const
{
    if (const auto found = provenance.find(field); found != provenance.end()) return found->second;
    if (const auto dot = field.find('.'); dot != std::string_view::npos) return provenanceOf(field.substr(0, dot));
    return "assumed";
}

ExecutionModel GpuModel::executionModel(double simulatedShare) const
{
    const auto cycles = [this](std::string_view what) { return static_cast<int>(latency(what) + 0.5); };
    ExecutionModel execution;
    execution.aluLatency = cycles("alu");
    execution.fp64Latency = cycles("fp64");
    execution.integerMultiplyLatency = cycles("integer_multiply");
    execution.specialLatency = cycles("special");
    execution.convertLatency = cycles("convert");
    execution.sharedLatency = cycles("shared");
    execution.shuffleLatency = cycles("shuffle");
    execution.l1Latency = cycles("l1");
    execution.l2Latency = cycles("l2");
    execution.dramLatency = cycles("dram");
    execution.branchLatency = cycles("branch");
    execution.barrierLatency = cycles("barrier");
    execution.constantLatency = cycles("constant");
    execution.tensorLatency = cycles("tensor");
    execution.predicateLatency = cycles("predicate");
    execution.specialRegisterLatency = cycles("special_register");
    execution.latencySpread = model.latencySpread;
    execution.smCount = smCount;
    execution.gpcCount = gpcCount;
    execution.l2Parts = l2Parts;
    execution.l1Bytes = static_cast<std::size_t>(l1BytesPerSm);
    constexpr double smallestL2 = 256 * 1024;
    execution.l2Bytes = static_cast<std::size_t>(
        std::max(l2Bytes * std::clamp(simulatedShare, 0.0, 1.0), std::min(smallestL2, l2Bytes)));
    return execution;
}

std::size_t GpuModel::l1BytesOfBlock(const Occupancy &occupancy, std::uint64_t blocks) const
{
    // The driver sets 4 KiB a resident block aside, up to 32, whatever the kernel asks for (launch__shared_mem_config_size of
    // kernels without shared memory on an H200).
    const int asked = std::max(occupancy.sharedBytesPerBlock * occupancy.residentBlocks, std::min(4 * occupancy.residentBlocks, 32) * 1024);
    const int sharedBytes = std::min(asked, sharedBytesPerSm);
    const auto step = std::ranges::find_if(sharedCarveOuts_kib, [&](double kib) { return kib * 1024 >= sharedBytes; });
    const int carved = step == sharedCarveOuts_kib.end() ? sharedBytesPerSm : static_cast<int>(*step) * 1024;
    // A part of the array always stays with L1 as its streaming buffer.
    constexpr int leastBytes = 16 * 1024;
    const std::uint64_t onOneSm = (blocks + static_cast<std::uint64_t>(smCount) - 1) / static_cast<std::uint64_t>(smCount);
    const std::uint64_t sharing =
        std::clamp<std::uint64_t>(onOneSm, 1, static_cast<std::uint64_t>(std::max(occupancy.residentBlocks, 1)));
    // Rows that co-resident blocks read again and again find as much of themselves as in 0.92 of the array (tests/bench/simulator_ladders/h200.json, "l1_rows").
    const double kept = std::max(l1BytesPerSm - carved, leastBytes) * model.l1Share;
    return static_cast<std::size_t>(kept) / sharing;
}

} // namespace kernelskill::simulator
