// SPDX-License-Identifier: Apache-2.0
// What the host does when the supervisor says so. Everything here shares its process with a program nobody trusts: it
// measures, but decides nothing.
#pragma once

#include "device.h"
#include "link.h"
#include "slab.h"

#include "profiler/library_calls.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kernelskill::cuda {

class HostSession
{
public:
    explicit HostSession(Link &link) : m_link(link) {}
    // Serves requests until the supervisor hangs up.
    int run();

private:
    using Json = nlohmann::json;
    struct Call
    {
        std::vector<std::vector<std::byte>> values;
        std::vector<void *> slots;
    };
    struct Counts // as counter.cpp has them, in the candidate's library
    {
        std::uint64_t launches, toHost, toDevice;
        int launchError;
    };

    void handle(const Json &request);
    void reply(Json object);
    void fail(Status status, const std::string &text, bool blamesMachine = false);
    [[nodiscard]] bool check(Status status, const char *what);
    void load(const Json &request);
    [[nodiscard]] bool prepareDevice(const std::string &tools);
    void map(const Json &request);
    void call(const Json &request);
    void row(const Json &request);
    void mark(const Json &request);
    void profile(const Json &request);
    void state();
    [[nodiscard]] bool readCall(const Json &slots, Call &call);
    [[nodiscard]] DevicePointer addressOf(const Json &slot) const;
    void flush();

    Link &m_link;
    int m_number = 0;
    const Driver *m_driver = nullptr;
    DeviceFacts m_device;
    std::map<int, Slab> m_slabs;
    void (*m_entry)(void **, void *) = nullptr;
    const Counts *m_counts = nullptr;
    std::optional<ProfilingCalls> m_profiler;
    std::string m_profilerProblem;
    void *m_stream = nullptr, *m_begin = nullptr, *m_end = nullptr, *m_read = nullptr;
    DevicePointer m_flushed = 0;
    std::uint64_t m_flushedBytes = 0;
};

} // namespace kernelskill::cuda
