// SPDX-License-Identifier: Apache-2.0
// Launches: what may begin, which blocks run, and what the time model makes of them.
#include "device_server.h"

#include "timing/occupancy.h"
#include "timing/sampling.h"
#include "worker/report_merge.h"

#include <algorithm>
#include <format>
#include <numeric>
#include <optional>

namespace kernelskill::simulator {

namespace {

constexpr std::int32_t success = 0, invalidValue = 1, invalidConfiguration = 9, invalidDeviceFunction = 98,
                       illegalAddress = 700, outOfResources = 701, launchTimeout = 702, assertFailed = 710,
                       illegalInstruction = 715, misaligned = 716, launchFailure = 719, cooperativeTooLarge = 720;
constexpr std::uint32_t sharedWithoutAsking = 48 * 1024;

std::int32_t errorOf(const Finding &finding)
{
    if (finding.kind == "out_of_bounds") return illegalAddress;
    if (finding.kind == "misaligned") return misaligned;
    if (finding.kind == "assert") return assertFailed;
    if (finding.kind == "endless_loop") return launchTimeout;
    if (finding.kind == "unsupported_instruction") return illegalInstruction;
    return launchFailure;
}

std::uint64_t threadInstructions(const LaunchReport &report)
{
    const auto &all = report.counters.threadInstructions;
    return std::accumulate(all.begin(), all.end(), std::uint64_t(0));
}

KernelResources resourcesOf(const LaunchRequest &request, const KernelInfo &kernel)
{
    KernelResources resources = kernel.resources;
    resources.dynamicSharedBytes = static_cast<int>(request.dynamicSharedBytes);
    return resources;
}

// Blocks that wait for one another run in the order of their numbers, as many side by side as fit the host's own caches.
std::uint32_t concurrentBlocks(const Occupancy &occupancy)
{
    constexpr int mostWarps = 256;
    return static_cast<std::uint32_t>(std::clamp(mostWarps / std::max(occupancy.warpsPerBlock, 1), 1, 32));
}

// Which blocks of a slice run side by side and share an L1. Those that work one another's data off, or share out what there is to
// do, run in the order of their numbers: as many as there are where the device holds all of them, for so many share the work.
void arrange(LaunchRequest &request, const SampleSlice &slice, const Occupancy &held, bool inOrder, const GpuModel &gpu)
{
    const std::uint64_t blocks = request.grid.count(), sms = static_cast<std::uint64_t>(gpu.smCount);
    const std::size_t l1OfBlock = gpu.l1BytesOfBlock(held, blocks);
    request.firstWaveBlocks = static_cast<std::uint64_t>(held.residentBlocks) * sms;
    if (!inOrder) {
        StartOrder order = startOrder(slice, blocks, held, gpu);
        request.windows = std::move(order.windows);
        request.concurrentBlocks = order.concurrentBlocks;
        request.blocksPerSm = static_cast<std::uint32_t>(order.sharingL1);
        request.l1Bytes = l1OfBlock * order.sharingL1;
    } else if (blocks <= request.firstWaveBlocks) {
        request.concurrentBlocks = static_cast<std::uint32_t>(blocks);
        request.l1Bytes = l1OfBlock * ((blocks + sms - 1) / sms);
    } else {
        request.concurrentBlocks = concurrentBlocks(held);
        request.l1Bytes = l1OfBlock;
    }
}

// What a block costs the host, in thread instructions: a sector takes as long as a few of them, one that L1 does not have
// as a few dozen.
double hostCost(const LaunchReport &report)
{
    constexpr double hitCost = 8, missCost = 32;
    const LaunchCounters &c = report.counters;
    const std::uint64_t sectors = c.globalLoad.sectors + c.globalStore.sectors + c.globalAtomic.sectors + c.local.sectors;
    const std::uint64_t hits = c.globalLoad.l1HitSectors + c.local.l1HitSectors;
    return static_cast<double>(threadInstructions(report)) + hitCost * static_cast<double>(hits) +
           missCost * static_cast<double>(sectors - hits);
}

std::string text(const Dim3 &d)
{
    return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
}

// A launch that cannot end within its budget, because every warp executes one instruction at least: nobody should wait
// for the budget to be used up.
std::optional<Finding> hopeless(const LaunchRequest &request, const KernelInfo &kernel)
{
    // In floating point: a grid may have more blocks than 64 bits hold warps.
    const double blocks =
        static_cast<double>(request.grid.x) * static_cast<double>(request.grid.y) * static_cast<double>(request.grid.z);
    const double warps = blocks * static_cast<double>((request.block.count() + 31) / 32);
    const double budget = static_cast<double>(request.limits.warpInstructionBudget);
    if (warps <= budget) return std::nullopt;
    Finding finding;
    finding.kind = "endless_loop";
    finding.kernel = kernel.demangled;
    finding.fatal = true;
    finding.message = std::format("a grid of {} blocks of {} threads has {:.3g} warps: the simulator runs {:.3g} warp "
                                  "instructions of one launch at most, so use fewer blocks",
                                  text(request.grid), text(request.block), warps, budget);
    return finding;
}

} // namespace

std::int32_t DeviceServer::launch(wire::Reader &request, wire::Writer &reply)
{
    LaunchRequest launch;
    launch.kernel = request.text();
    std::uint32_t size[6];
    for (std::uint32_t &n : size)
        n = request.value<std::uint32_t>();
    launch.grid = {size[0], size[1], size[2]};
    launch.block = {size[3], size[4], size[5]};
    launch.dynamicSharedBytes = request.value<std::uint32_t>();
    const auto flags = request.value<std::uint32_t>();
    const auto count = request.value<std::uint32_t>();
    if (!request.ok() || count > 4096) return invalidValue;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto block = request.block();
        launch.arguments.emplace_back(block.begin(), block.end());
    }
    if (!request.ok()) return invalidValue;
    const auto kernel = m_device.kernel(launch.kernel);
    if (!kernel) return invalidDeviceFunction;
    if (const std::int32_t error = validate(launch, *kernel); error != success) return error;
    if (flags >> 8 != 0) launch.cluster = {flags >> 8 & 0xff, flags >> 16 & 0xff, flags >> 24};
    if (flags & wire::launchCooperative) {
        const Occupancy held = occupancy(resourcesOf(launch, *kernel), launch.block.count(), m_gpu);
        if (launch.grid.count() > std::uint64_t(held.residentBlocks) * std::uint64_t(m_gpu.smCount)) {
            addFinding("illegal_launch", kernel->demangled,
                       "a cooperative launch of more blocks than the device holds at a time");
            return cooperativeTooLarge;
        }
        m_communicating.insert(launch.kernel);
    }
    ++m_call.launchCount;
    if (m_mode == ServeMode::Program) {
        const std::int32_t error = runForProgram(launch, *kernel);
        reply.text(m_device.takeOutput());
        return error;
    }
    const bool timed = m_mode == ServeMode::Pilot || m_mode == ServeMode::Sample || m_mode == ServeMode::Full;
    return timed ? runModelled(launch, *kernel) : run(launch, *kernel);
}

std::int32_t DeviceServer::validate(const LaunchRequest &request, const KernelInfo &kernel)
{
    const Dim3 &g = request.grid, &b = request.block;
    const auto refuse = [&](std::int32_t error, const std::string &why) {
        addFinding("illegal_launch", kernel.demangled, why);
        return error;
    };
    if (g.count() == 0 || g.y > 65535 || g.z > 65535 || g.x > 0x7fffffffu)
        return refuse(invalidConfiguration, "a grid of " + text(g) + " blocks cannot be launched");
    if (b.x == 0 || b.y == 0 || b.z == 0 || b.x > 1024 || b.y > 1024 || b.z > 64 || b.count() > 1024)
        return refuse(invalidConfiguration, "a block of " + text(b) + " threads cannot be launched: 1024 is the most");
    if (b.count() > std::uint64_t(kernel.maxThreadsPerBlock))
        return refuse(outOfResources, "a block of " + text(b) + " threads exceeds the kernel's launch bounds of " +
                                          std::to_string(kernel.maxThreadsPerBlock));
    const auto limit = m_sharedLimits.find(request.kernel);
    const std::uint32_t allowed =
        std::max(limit == m_sharedLimits.end() ? 0u : limit->second,
                 sharedWithoutAsking -
                     std::min(sharedWithoutAsking, static_cast<std::uint32_t>(kernel.resources.staticSharedBytes)));
    if (request.dynamicSharedBytes > allowed)
        return refuse(invalidValue, "the launch asks for " + std::to_string(request.dynamicSharedBytes) +
                                        " bytes of dynamic shared memory and may have " + std::to_string(allowed) +
                                        " (cudaFuncSetAttribute raises the limit)");
    // An estimate is no reason to refuse what a compiler might well fit.
    if (kernel.resources.registersMeasured &&
        b.count() * std::uint64_t(kernel.resources.registersPerThread) > std::uint64_t(m_gpu.registersPerSm))
        return refuse(outOfResources,
                      "a block of " + text(b) + " threads needs more registers than a multiprocessor has");
    return success;
}

std::int32_t DeviceServer::note(const std::expected<LaunchReport, DeviceError> &report, const KernelInfo &kernel)
{
    if (!report) {
        addFinding("illegal_launch", kernel.demangled, report.error().message);
        return invalidValue;
    }
    add(m_call.findings, report->findings);
    for (const Finding &finding : report->findings) {
        if (finding.fatal) {
            m_stickyError = errorOf(finding);
            m_call.failed = true;
            break;
        }
    }
    return success; // a kernel's fault shows at the next request, as an asynchronous one does
}

std::expected<LaunchReport, DeviceError> DeviceServer::launchWhole(const LaunchRequest &request,
                                                                   const KernelInfo &kernel)
{
    const std::optional<Finding> finding = hopeless(request, kernel);
    if (!finding) return m_device.launch(request);
    LaunchReport report;
    report.kernel = kernel.demangled;
    report.grid = request.grid;
    report.block = request.block;
    report.findings.push_back(*finding);
    return report;
}

std::int32_t DeviceServer::run(LaunchRequest &request, const KernelInfo &kernel)
{
    request.limits.warpInstructionBudget = checkLaunchBudget;
    request.limits.blockInstructionBudget = checkBlockBudget;
    const auto report = launchWhole(request, kernel);
    const std::int32_t error = note(report, kernel);
    if (report && m_mode == ServeMode::Check) {
        LaunchRecord record;
        record.report = *report;
        record.report.findings.clear();
        m_call.launches.push_back(std::move(record));
    }
    return error;
}

namespace {

// As many registers as the block can have, where the estimate says more: it does run.
void capRegisters(KernelResources &resources, std::uint64_t threads, const GpuModel &gpu)
{
    if (resources.registersMeasured || threads == 0) return;
    const std::uint64_t warps = (threads + 31) / 32;
    const auto most = static_cast<int>(static_cast<std::uint64_t>(gpu.registersPerSm) / (warps * 32) / 8 * 8);
    resources.registersPerThread = std::min(resources.registersPerThread, most);
}

} // namespace

DeviceServer::LaunchKey DeviceServer::keyOf(const LaunchRequest &request)
{
    return {request.kernel,  request.grid.x,  request.grid.y,  request.grid.z,
            request.block.x, request.block.y, request.block.z, request.dynamicSharedBytes,
            static_cast<std::uint32_t>(request.cluster.count())};
}

std::int32_t DeviceServer::runForProgram(LaunchRequest &request, const KernelInfo &kernel)
{
    request.limits.warpInstructionBudget = checkLaunchBudget;
    request.limits.blockInstructionBudget = checkBlockBudget;
    const Occupancy held = occupancy(resourcesOf(request, kernel), request.block.count(), m_gpu);
    request.l1Bytes = m_gpu.l1BytesOfBlock(held, request.grid.count());
    auto report = launchWhole(request, kernel);
    if (const std::int32_t error = note(report, kernel); error != success || !report) return error;
    report->findings.clear();
    capRegisters(report->resources, request.block.count(), m_gpu);
    LaunchRecord record;
    record.modelled = model(*report, m_gpu);
    record.programTime_us = record.modelled.time_us;
    record.report = std::move(*report);
    m_call.elapsed_us += record.programTime_us;
    const LaunchKey key = keyOf(request);
    const auto [known, isNew] = m_known.try_emplace(key, m_call.launches.size());
    if (isNew) {
        m_call.launches.push_back(std::move(record));
        return success;
    }
    LaunchRecord &same = m_call.launches[known->second];
    const int repeats = same.repeats + 1;
    const double sum = same.programTime_us + record.programTime_us;
    if (record.modelled.time_us > same.modelled.time_us) same = std::move(record);
    same.repeats = repeats;
    same.programTime_us = sum;
    return success;
}

std::int32_t DeviceServer::learnBlockCost(const LaunchRequest &request, const KernelInfo &kernel, double &cost)
{
    LaunchRequest few = request;
    few.windows = pilot(request.grid);
    const auto report = m_device.launch(few);
    if (const std::int32_t error = note(report, kernel); error != success || m_call.failed) return error;
    cost = hostCost(*report) / static_cast<double>(std::max<std::uint64_t>(report->counters.blocks, 1));
    return success;
}

// The costs are known, but it may work on other data: where the first one ran whole and the budget lasts, this one is
// run for what it writes.
std::int32_t DeviceServer::repeat(LaunchRequest &request, const KernelInfo &kernel, LaunchRecord &record)
{
    ++record.repeats;
    const auto cost = static_cast<double>(threadInstructions(record.report));
    if (m_mode == ServeMode::Pilot || record.sampled || m_repeatInstructions + cost > repeatBudget) {
        ++record.skipped;
        return success;
    }
    m_repeatInstructions += cost;
    request.checks = false;
    request.limits.warpInstructionBudget = static_cast<std::uint64_t>(fullBudget / 32 * 2);
    request.limits.blockInstructionBudget = request.limits.warpInstructionBudget;
    return note(m_device.launch(request), kernel);
}

SamplePlan DeviceServer::planFor(const SampleRequest &sample)
{
    const SamplePlan own = plan(sample, m_gpu);
    if (sample.blocksCommunicate) return own;
    constexpr double mostOverrun = 4; // of the budget, for the sake of right values
    const auto earlier = m_plans.find(sample.grid.count());
    const double perBlock = std::max(sample.threadInstructionsPerBlock, 1.0);
    if (earlier != m_plans.end() && static_cast<double>(earlier->second.blocks) * perBlock <= mostOverrun * sampleBudget)
        return earlier->second;
    if (!own.runsAll()) m_plans[sample.grid.count()] = own;
    return own;
}

std::int32_t DeviceServer::runModelled(LaunchRequest &request, const KernelInfo &kernel)
{
    const LaunchKey key = keyOf(request);
    // A further launch of one shape in one call costs what the first did.
    if (const auto known = m_known.find(key);
        known != m_known.end() && m_mode != ServeMode::Full && !m_communicating.contains(request.kernel)) {
        return repeat(request, kernel, m_call.launches[known->second]);
    }
    request.checks = false;
    request.limits.warpInstructionBudget = static_cast<std::uint64_t>(fullBudget / 32 * 2);
    request.limits.blockInstructionBudget = request.limits.warpInstructionBudget;

    KernelResources resources = resourcesOf(request, kernel);
    capRegisters(resources, request.block.count(), m_gpu);
    const Occupancy held = occupancy(resources, request.block.count(), m_gpu);
    SampleRequest sample;
    sample.grid = request.grid;
    sample.block = request.block;
    sample.residentBlocks = held.residentBlocks;
    sample.blocksCommunicate = m_mode == ServeMode::Full || m_communicating.contains(request.kernel);
    sample.threadInstructionBudget = sampleBudget;

    if (!m_blockCosts.contains(key) && !sample.blocksCommunicate) {
        if (const std::int32_t error = learnBlockCost(request, kernel, m_blockCosts[key]);
            error != success || m_call.failed)
            return error;
    }
    sample.threadInstructionsPerBlock = m_blockCosts.contains(key) ? m_blockCosts[key] : 0;
    const SamplePlan chosen = planFor(sample);
    m_leastResidentShare = std::min(m_leastResidentShare, chosen.residentShare);

    LaunchRecord record;
    record.sampled = !chosen.runsAll();
    if (m_mode == ServeMode::Pilot && (record.sampled || sample.blocksCommunicate)) {
        m_known[key] = m_call.launches.size();
        m_call.launches.push_back(std::move(record));
        return success;
    }
    const bool inOrder = m_communicating.contains(request.kernel);
    std::vector<SampleSlice> slices = chosen.slices;
    if (slices.empty()) slices.push_back({}); // one run of all blocks
    m_device.cleanCaches(); // model() adds what a launch leaves
    for (const SampleSlice &slice : slices) {
        arrange(request, slice, held, inOrder, m_gpu);
        request.warmL1 = &slice != &slices.front();
        auto report = m_device.launch(request);
        if (const std::int32_t error = note(report, kernel); error != success || m_call.failed) return error;
        capRegisters(report->resources, request.block.count(), m_gpu);
        if (record.report.mangled.empty())
            record.report = *report;
        else
            add(record.report, *report);
        if (slices.size() > 1) record.windowTimes_us.push_back(model(*report, m_gpu).time_us);
    }
    record.modelled = model(record.report, m_gpu);
    // What the blocks that did not run would have driven out of L2 must not be found there by the next launch.
    const auto touched = static_cast<double>(record.report.loadedAllocationBytes + record.report.storedAllocationBytes);
    if (record.sampled && touched > m_gpu.l2Bytes) m_device.flushCaches();
    m_known[key] = m_call.launches.size();
    m_call.launches.push_back(std::move(record));
    return success;
}

} // namespace kernelskill::simulator
