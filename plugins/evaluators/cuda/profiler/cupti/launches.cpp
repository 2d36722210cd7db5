// SPDX-License-Identifier: Apache-2.0
#include "launches.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace kernelskill::profiling {

namespace {

constexpr std::size_t bufferBytes = std::size_t(1) << 20;
constexpr std::size_t mostRecords = 100000;
constexpr CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                        CUPTI_ACTIVITY_KIND_MEMSET};

// CUPTI's callbacks carry no pointer of ours.
struct Collected
{
    std::mutex mutex;
    std::vector<Launch> launches;
};

Collected &collected()
{
    static Collected all;
    return all;
}

// What all kinds of activity have.
template <typename Activity> Launch timed(const Activity &activity)
{
    Launch launch;
    launch.graph = activity.graphId != 0;
    launch.correlation = activity.correlationId;
    launch.start_ns = activity.start;
    launch.end_ns = activity.end;
    return launch;
}

// Newer toolkits append to these records, so the form that CUDA 12.6 knows can be read with every one since.
void add(const CUpti_ActivityKernel9 &kernel)
{
    Launch launch = timed(kernel);
    launch.name = kernel.name ? kernel.name : "";
    const int grid[] = {kernel.gridX, kernel.gridY, kernel.gridZ},
              block[] = {kernel.blockX, kernel.blockY, kernel.blockZ};
    const std::uint32_t cluster[] = {kernel.clusterX, kernel.clusterY, kernel.clusterZ};
    for (int i = 0; i < 3; ++i) {
        launch.grid[i] = grid[i];
        launch.block[i] = block[i];
        launch.cluster[i] = int(cluster[i]);
    }
    launch.registers = kernel.registersPerThread;
    launch.staticShared = kernel.staticSharedMemory;
    launch.dynamicShared = kernel.dynamicSharedMemory;
    launch.localBytes = kernel.localMemoryPerThread;
    collected().launches.push_back(std::move(launch));
}

template <typename Activity> void addCopy(const Activity &copy, const char *kind, const std::string &name)
{
    Launch launch = timed(copy);
    launch.kind = kind;
    launch.name = name;
    launch.bytes = copy.bytes;
    collected().launches.push_back(std::move(launch));
}

const char *direction(unsigned kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
        return "host to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
        return "device to host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
        return "device to device";
    default:
        return "other";
    }
}

void CUPTIAPI bufferWanted(std::uint8_t **buffer, std::size_t *size, std::size_t *mostOfIt)
{
    *buffer = static_cast<std::uint8_t *>(std::aligned_alloc(8, bufferBytes));
    *size = *buffer ? bufferBytes : 0;
    *mostOfIt = 0;
}

void CUPTIAPI bufferFull(CUcontext, std::uint32_t, std::uint8_t *buffer, std::size_t, std::size_t valid)
{
    const std::lock_guard lock(collected().mutex);
    CUpti_Activity *record = nullptr;
    while (collected().launches.size() < mostRecords &&
           cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
            add(*reinterpret_cast<const CUpti_ActivityKernel9 *>(record));
        } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
            const auto &copy = *reinterpret_cast<const CUpti_ActivityMemcpy5 *>(record);
            addCopy(copy, "memcpy", std::string("copy ") + direction(copy.copyKind));
        } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
            addCopy(*reinterpret_cast<const CUpti_ActivityMemset4 *>(record), "memset", "memset");
        }
    }
    std::free(buffer);
}

bool sameLaunches(const std::vector<Launch> &a, const std::vector<Launch> &b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Launch &x, const Launch &y) {
        return x.name == y.name && x.kind == y.kind && std::equal(x.grid, x.grid + 3, y.grid);
    });
}

// Share of the time between first start and last end in which something ran.
double busyFraction(std::vector<Launch> launches)
{
    if (launches.empty()) return -1;
    std::sort(launches.begin(), launches.end(),
              [](const Launch &a, const Launch &b) { return a.start_ns < b.start_ns; });
    std::uint64_t busy = 0, until = launches.front().start_ns;
    for (const Launch &launch : launches) {
        const std::uint64_t from = std::max(until, launch.start_ns);
        if (launch.end_ns > from) busy += launch.end_ns - from;
        until = std::max(until, launch.end_ns);
    }
    const std::uint64_t span = until - launches.front().start_ns;
    return span > 0 ? double(busy) / double(span) : -1;
}

class LaunchesPart : public Part
{
public:
    void start(Record &record) override
    {
        m_wanted = std::max(1, record.options.launchCalls);
        check(cuptiActivityRegisterCallbacks(bufferWanted, bufferFull), "register the callbacks of activity records");
        for (const CUpti_ActivityKind kind : kinds)
            check(cuptiActivityEnable(kind), "enable activity records");
    }
    bool wantsCall() const override { return int(m_calls.size()) < m_wanted; }
    void callBegin() override
    {
        check(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "flush activity records");
        const std::lock_guard lock(collected().mutex);
        collected().launches.clear();
    }
    void callEnd() override
    {
        check(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "flush activity records");
        const std::lock_guard lock(collected().mutex);
        std::vector<Launch> launches = std::move(collected().launches);
        collected().launches.clear();
        // By the call that launched: with several streams the order of start changes from call to call.
        std::stable_sort(launches.begin(), launches.end(), [](const Launch &a, const Launch &b) {
            return std::pair(a.correlation, a.start_ns) < std::pair(b.correlation, b.start_ns);
        });
        m_calls.push_back(std::move(launches));
    }
    void finish(Record &record) override
    {
        for (const CUpti_ActivityKind kind : kinds)
            cuptiActivityDisable(kind);
        if (m_calls.empty()) return;
        record.launches = m_calls.back();
        std::vector<double> busy;
        bool same = true;
        for (const std::vector<Launch> &call : m_calls) {
            busy.push_back(busyFraction(call));
            if (!sameLaunches(call, record.launches)) {
                same = false;
                continue;
            }
            for (std::size_t i = 0; i < call.size(); ++i)
                record.launches[i].durations_ns.push_back(double(call[i].end_ns - call[i].start_ns));
        }
        std::sort(busy.begin(), busy.end());
        record.busyFraction = busy[busy.size() / 2];
        if (!same) record.problems.push_back({"launches", "launches_vary", "the launches differ from call to call"});
    }

private:
    int m_wanted = 1;
    std::vector<std::vector<Launch>> m_calls;
};

} // namespace

std::unique_ptr<Part> launchesPart()
{
    return std::make_unique<LaunchesPart>();
}

} // namespace kernelskill::profiling
