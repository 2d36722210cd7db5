// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>

#include <memory>
#include <string>
#include <vector>

namespace kernelskill::profiling {

// Counters of every launch (range profiler, a range a kernel, one pass a call).
std::unique_ptr<Part> countersPart(std::vector<std::string> names);

// CUPTI's side that needs no GPU: which counters exist, how they are scheduled, and raw data turned into values.
class CounterHost
{
public:
    CounterHost(CUpti_ProfilerType type, Record &record);
    ~CounterHost();
    CounterHost(const CounterHost &) = delete;
    CounterHost &operator=(const CounterHost &) = delete;

    // Leaves out what the chip does not have, adding it to the record's unknown counters (the notation: profile_abi.h).
    void schedule(const std::vector<std::string> &wishes, Record &record);
    [[nodiscard]] std::vector<std::uint8_t> &config() { return m_config; }
    [[nodiscard]] std::vector<const char *> &names() { return m_pointers; }
    [[nodiscard]] std::size_t passes();
    [[nodiscard]] std::vector<double> values(const std::vector<std::uint8_t> &data, std::size_t range);

private:
    bool isKnown(const std::string &name, Record &record);
    CUpti_Profiler_Host_Object *make(Record &record);
    void destroy(CUpti_Profiler_Host_Object *object);

    CUpti_ProfilerType m_type;
    std::vector<std::uint8_t> m_availability;
    CUpti_Profiler_Host_Object *m_host = nullptr;
    std::vector<std::string> m_names;
    std::vector<const char *> m_pointers;
    std::vector<std::uint8_t> m_config;
};

} // namespace kernelskill::profiling
