// SPDX-License-Identifier: Apache-2.0
// Serves a candidate's requests on the simulated device, and keeps what its calls did.
#pragma once

#include "engine/device.h"
#include "runtime/wire.h"
#include "timing/gpu_model.h"
#include "timing/sampling.h"
#include "worker/launch_record.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace kernelskill::simulator {

enum class ServeMode {
    Outside, // no call is active: device work is remembered as out of place
    Check,   // every block, every check
    Pilot,   // a few blocks of each launch, to learn what they cost
    Sample,  // windows of blocks, timed by the model
    Full,    // every block, timed by the model
    Program, // a whole program: every block, every check, and timed by the model
};

class DeviceServer
{
public:
    DeviceServer(Device &device, const GpuModel &gpu);
    ~DeviceServer();
    DeviceServer(const DeviceServer &) = delete;
    DeviceServer &operator=(const DeviceServer &) = delete;

    // Adds the kernels of a module's text. The error says what the engine could not read.
    [[nodiscard]] std::expected<void, DeviceError> load(std::string_view ptx);

    // Answers one request (see CandidateProcess::Handler). Never throws; anything malformed is cudaErrorInvalidValue.
    std::int32_t handle(wire::Kind kind, wire::Reader &request, wire::Writer &reply);

    void begin(ServeMode mode); // a call starts: its record is empty
    CallRecord end();           // a call ended: back to Outside
    // What a program has allocated by now and not freed, one finding for each place of its that allocates. Memory of
    // pools, memory shared with the host and variables are not meant.
    [[nodiscard]] std::vector<Finding> leaks() const;
    // Device work that arrived while no call was active.
    [[nodiscard]] std::uint64_t outsideWork() const { return m_outsideWork; }
    // How many devices share the memory that a candidate may have; see lacksRoom().
    void shareMemory(int devices) { m_sharers = devices; }
    // An allocation was refused that would have had room if this device had all of it.
    [[nodiscard]] bool lacksRoom() const { return m_lacksRoom; }
    // After a fatal finding a CUDA context is lost, and so is the rest of this process's work.
    [[nodiscard]] bool isPoisoned() const { return m_stickyError != 0; }

    // Memory of the checker's own, which the candidate may use but not release.
    [[nodiscard]] std::uint64_t allocate(std::size_t bytes, const std::string &name);
    void release(std::uint64_t address);

    // What another session learnt about the cost of blocks, so that it need not be learnt again.
    void adoptCosts(const DeviceServer &other) { m_blockCosts = other.m_blockCosts; }
    // Of the launches of the call that ended last, in Pilot mode: what the time model wants to know before it samples.
    [[nodiscard]] double leastResidentShare() const { return m_leastResidentShare; }

    std::uint64_t checkLaunchBudget = 400'000'000; // warp instructions of one launch in Check mode
    std::uint64_t checkBlockBudget = 40'000'000;
    double sampleBudget = 320e6; // of one launch's slices: thread instructions, and what looking up their sectors costs
    double fullBudget = 4e9;     // thread instructions of a launch that must run all blocks
    double repeatBudget = 500e6; // of a call's further launches of shapes that ran, together

private:
    using LaunchKey = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                                 std::uint32_t, std::uint32_t, std::uint32_t>;

    std::int32_t answer(wire::Kind kind, wire::Reader &request, wire::Writer &reply);
    bool copyOnDevice(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    [[nodiscard]] static LaunchKey keyOf(const LaunchRequest &request);
    std::int32_t allocateFor(wire::Reader &request, wire::Writer &reply);
    std::int32_t allocateShared(wire::Reader &request, wire::Writer &reply);
    std::int32_t releaseFor(wire::Reader &request);
    std::int32_t reset();
    [[nodiscard]] bool isShared(std::uint64_t address) const;
    [[nodiscard]] bool hasRoom(std::uint64_t bytes);
    std::int32_t upload(wire::Reader &request);
    std::int32_t download(wire::Reader &request, wire::Writer &reply);
    std::int32_t copy(wire::Reader &request);
    std::int32_t fill(wire::Reader &request);
    std::int32_t describeKernel(wire::Reader &request, wire::Writer &reply);
    std::int32_t describeGlobal(wire::Reader &request, wire::Writer &reply);
    std::int32_t occupancyOf(wire::Reader &request, wire::Writer &reply);
    std::int32_t raiseSharedLimit(wire::Reader &request);
    std::int32_t launch(wire::Reader &request, wire::Writer &reply);
    std::int32_t validate(const LaunchRequest &request, const KernelInfo &kernel);
    // All blocks, when there is a chance that they end.
    std::expected<LaunchReport, DeviceError> launchWhole(const LaunchRequest &request, const KernelInfo &kernel);
    std::int32_t run(LaunchRequest &request, const KernelInfo &kernel);
    // Thread instructions of one block, from a few that run on their own.
    std::int32_t learnBlockCost(const LaunchRequest &request, const KernelInfo &kernel, double &cost);
    // A later launch of as many blocks as an earlier one that ran in part runs the same blocks: they work on what those wrote.
    [[nodiscard]] SamplePlan planFor(const SampleRequest &sample);
    std::int32_t runModelled(LaunchRequest &request, const KernelInfo &kernel);
    std::int32_t runForProgram(LaunchRequest &request, const KernelInfo &kernel);
    std::int32_t repeat(LaunchRequest &request, const KernelInfo &kernel, LaunchRecord &record);
    std::int32_t note(const std::expected<LaunchReport, DeviceError> &report, const KernelInfo &kernel);
    void addFinding(std::string kind, const std::string &kernel, std::string message);
    void addCopy(CopyRecord::Kind kind, std::uint64_t bytes);
    void addToProgram(const CopyRecord &record);
    [[nodiscard]] wire::DeviceFacts facts() const;

    struct Allocation
    {
        std::uint64_t bytes = 0;
        bool ours = false;
        void *shared = nullptr; // memory that the candidate's process maps as well
        bool pooled = false;    // see wire::allocationPooled
    };
    void unmap(const Allocation &allocation) const;

    Device &m_device;
    const GpuModel &m_gpu;
    std::map<std::uint64_t, Allocation> m_allocations;                // by address
    std::set<std::string, std::less<>> m_communicating;               // kernels that must not be sampled
    std::map<std::string, std::uint32_t, std::less<>> m_sharedLimits; // dynamic shared bytes a kernel may ask for
    std::map<LaunchKey, double> m_blockCosts;                         // thread instructions a block
    std::map<std::uint64_t, SamplePlan> m_plans;                      // of this call's launches that run in part, by blocks
    std::map<LaunchKey, std::size_t> m_known;                         // launches of this call: index of their record
    double m_repeatInstructions = 0;                                  // of this call, see repeatBudget
    ServeMode m_mode = ServeMode::Outside;
    CallRecord m_call;
    std::int32_t m_stickyError = 0;
    std::uint64_t m_outsideWork = 0;
    double m_leastResidentShare = 1;
    int m_sharers = 1;
    bool m_lacksRoom = false;
};

} // namespace kernelskill::simulator
