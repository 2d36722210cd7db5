// SPDX-License-Identifier: Apache-2.0
// Clocks, temperature and reasons for throttling while samples run, from NVIDIA's management library when it is there.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace kernelskill::cuda {

class Telemetry
{
public:
    // Without the library, or where it refuses, nothing is recorded and toJson() says so.
    explicit Telemetry(const std::string &uuid);

    // To be called while a sample's kernels run.
    void sample(int index);
    // {"clock_mhz": {"lowest", "median", "highest", "maximum"}, "temperature_c", "throttled": [{"sample", "reasons"}]}
    void addTo(nlohmann::json &evidence) const;
    // Names in a set of the library's throttle reasons that slow a kernel down.
    [[nodiscard]] static std::vector<std::string> reasonNames(unsigned long long reasons);

private:
    struct Library;
    const Library *m_library = nullptr;
    void *m_device = nullptr;
    std::string m_missing;
    unsigned m_maximum_mhz = 0, m_hottest_c = 0;
    std::vector<unsigned> m_clocks_mhz;
    std::map<int, unsigned long long> m_throttled;
};

} // namespace kernelskill::cuda
