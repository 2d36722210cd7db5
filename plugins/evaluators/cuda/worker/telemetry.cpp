// SPDX-License-Identifier: Apache-2.0
#include "telemetry.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

namespace kernelskill::cuda {

namespace {

constexpr unsigned clockOfMultiprocessors = 1, temperatureOfGpu = 0; // enumerators of the library's interface
struct Reason
{
    unsigned long long bit;
    const char *name;
};
// Idle (1), the application's own clock setting (2) and display (256) slow nothing down that we measure.
constexpr Reason reasons[] = {{0x4, "power cap"},         {0x8, "hardware slowdown"}, {0x10, "sync boost"},
                              {0x20, "software thermal"}, {0x40, "hardware thermal"}, {0x80, "power brake"}};

} // namespace

struct Telemetry::Library
{
    int (*init)() = nullptr;
    int (*deviceByUuid)(const char *, void **) = nullptr;
    int (*clock)(void *, unsigned, unsigned *) = nullptr;
    int (*maximumClock)(void *, unsigned, unsigned *) = nullptr;
    int (*temperature)(void *, unsigned, unsigned *) = nullptr;
    int (*throttleReasons)(void *, unsigned long long *) = nullptr;

    static const Library *load()
    {
        static Library library;
        static const bool loaded = [] {
            const char *name = std::getenv("KERNELSKILL_LIBNVML");
            void *file = dlopen(name && *name ? name : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
            if (!file) return false;
            const auto find = [&](auto &target, const char *symbol) {
                target = reinterpret_cast<std::remove_reference_t<decltype(target)>>(dlsym(file, symbol));
                return target != nullptr;
            };
            return find(library.init, "nvmlInit_v2") && find(library.deviceByUuid, "nvmlDeviceGetHandleByUUID") &&
                   find(library.clock, "nvmlDeviceGetClockInfo") &&
                   find(library.maximumClock, "nvmlDeviceGetMaxClockInfo") &&
                   find(library.temperature, "nvmlDeviceGetTemperature") &&
                   find(library.throttleReasons, "nvmlDeviceGetCurrentClocksThrottleReasons") && library.init() == 0;
        }();
        return loaded ? &library : nullptr;
    }
};

Telemetry::Telemetry(const std::string &uuid) : m_library(Library::load())
{
    if (!m_library || m_library->deviceByUuid(uuid.c_str(), &m_device) != 0) {
        m_library = nullptr;
        m_missing = "NVIDIA's management library (libnvidia-ml.so.1) gives no figures here";
        return;
    }
    m_library->maximumClock(m_device, clockOfMultiprocessors, &m_maximum_mhz);
}

void Telemetry::sample(int index)
{
    if (!m_library) return;
    unsigned clock_mhz = 0, temperature_c = 0;
    unsigned long long now = 0;
    if (m_library->clock(m_device, clockOfMultiprocessors, &clock_mhz) == 0) m_clocks_mhz.push_back(clock_mhz);
    if (m_library->temperature(m_device, temperatureOfGpu, &temperature_c) == 0)
        m_hottest_c = std::max(m_hottest_c, temperature_c);
    if (m_library->throttleReasons(m_device, &now) == 0 && !reasonNames(now).empty()) m_throttled[index] |= now;
}

std::vector<std::string> Telemetry::reasonNames(unsigned long long set)
{
    std::vector<std::string> names;
    for (const Reason &reason : reasons)
        if (set & reason.bit) names.push_back(reason.name);
    return names;
}

void Telemetry::addTo(nlohmann::json &evidence) const
{
    if (!m_library) {
        evidence["clock_mhz"] = nullptr;
        evidence["telemetry"] = m_missing;
        return;
    }
    std::vector<unsigned> sorted = m_clocks_mhz;
    std::sort(sorted.begin(), sorted.end());
    nlohmann::json clocks{{"maximum", m_maximum_mhz}};
    if (!sorted.empty()) {
        clocks["lowest"] = sorted.front();
        clocks["median"] = sorted[sorted.size() / 2];
        clocks["highest"] = sorted.back();
    }
    evidence["clock_mhz"] = clocks;
    evidence["temperature_c"] = m_hottest_c;
    evidence["throttled"] = nlohmann::json::array();
    for (const auto &[index, set] : m_throttled)
        evidence["throttled"].push_back({{"sample", index}, {"reasons", reasonNames(set)}});
}

} // namespace kernelskill::cuda
