// SPDX-License-Identifier: Apache-2.0
// Everything a stage works with: the device and the supervisor's hands on it, memory it shares with hosts, the hosts.
#pragma once

#include "device_tools.h"
#include "host_process.h"
#include "request.h"
#include "result.h"
#include "slab.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kernelskill::cuda {

// A host and whose program it runs.
struct Side
{
    explicit Side(std::string whose) : name(std::move(whose)) {}
    std::string name; // "the candidate", "the baseline": begins sentences
    HostProcess process;
    nlohmann::json state = nlohmann::json::object(); // as the host told after loading
    std::set<int> mapped;
};

class Machine
{
public:
    Machine(const Driver &driver, const DeviceFacts &device) : driver(driver), device(device), tools(driver, device) {}

    const Driver &driver;
    const DeviceFacts &device;
    DeviceTools tools;

    // New memory of the supervisor's; its number, −1 with `error`.
    [[nodiscard]] int addSlab(std::uint64_t bytes, std::string &error);
    [[nodiscard]] const Slab &slab(int number) const { return m_slabs.at(number); }
    // Makes memory visible in a host. False with the result saying why.
    [[nodiscard]] bool share(int number, bool writable, Side &side, Result &result);
    // Takes it back from everybody.
    void removeSlab(int number, std::initializer_list<Side *> sides);

    // One request; false when it failed, with the status and a finding (or, for the baseline, trouble) in the result.
    [[nodiscard]] bool ask(Side &side, nlohmann::json request, nlohmann::json &reply, int limit_ms, Result &result,
                           int descriptor = -1);
    [[nodiscard]] bool await(Side &side, nlohmann::json &reply, int limit_ms, Result &result);
    // Starts several at once: most of the time of it is the driver's.
    [[nodiscard]] bool start(const std::vector<std::pair<Side *, HostCommand>> &hosts, int limit_ms, Result &result);
    void finish(Side &side, Result &result);

    // Ends the host and puts what went wrong into the result.
    void blame(Side &side, HostProcess::Outcome outcome, const nlohmann::json &reply, int limit_ms, Result &result);

private:
    std::map<int, Slab> m_slabs;
    int m_nextSlab = 0;
};

} // namespace kernelskill::cuda
