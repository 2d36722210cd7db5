// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace kernelskill::cuda {

namespace {

// GPU-8-4-4-4-12 hexadecimal digits.
std::string uuidText(const DeviceUuid &uuid)
{
    std::string text = "GPU";
    for (int i = 0; i < 16; ++i) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02x", uuid.bytes[i]);
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += digits;
    }
    return text;
}

int attribute(const Driver &driver, int device, DeviceAttribute which)
{
    int value = 0;
    driver.deviceGetAttribute(&value, int(which), device);
    return value;
}

std::string version(int number)
{
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

DeviceFacts factsOf(const Driver &driver, int ordinal)
{
    DeviceFacts facts;
    facts.ordinal = ordinal;
    driver.deviceGet(&facts.handle, ordinal);
    DeviceUuid uuid;
    driver.deviceGetUuid(&uuid, facts.handle);
    facts.uuid = uuidText(uuid);
    char name[256] = "";
    driver.deviceGetName(name, sizeof name, facts.handle);
    facts.name = name;
    facts.major = attribute(driver, facts.handle, DeviceAttribute::Major);
    facts.minor = attribute(driver, facts.handle, DeviceAttribute::Minor);
    facts.l2Bytes = std::uint64_t(attribute(driver, facts.handle, DeviceAttribute::L2Bytes));
    facts.multiprocessors = attribute(driver, facts.handle, DeviceAttribute::MultiprocessorCount);
    facts.clock_mhz = 1e-3 * attribute(driver, facts.handle, DeviceAttribute::Clock_kHz);
    facts.memoryClock_mhz = 1e-3 * attribute(driver, facts.handle, DeviceAttribute::MemoryClock_kHz);
    facts.memoryBus_bits = attribute(driver, facts.handle, DeviceAttribute::MemoryBus_bits);
    std::size_t bytes = 0;
    driver.deviceTotalMem(&bytes, facts.handle);
    facts.memoryBytes = bytes;
    driver.driverGetVersion(&facts.driverVersion);
    if (attribute(driver, facts.handle, DeviceAttribute::VirtualMemory) == 0 ||
        attribute(driver, facts.handle, DeviceAttribute::DescriptorHandles) == 0)
        facts.reason = "its memory cannot be shared between processes by descriptors, which keeps supervisor and "
                       "candidate apart";
    return facts;
}

} // namespace

std::string DeviceFacts::architecture() const
{
    return "sm_" + std::to_string(major * 10 + minor);
}

std::string DeviceFacts::target() const
{
    return architecture() + (major >= 9 ? "a" : "");
}

// Two transfers a clock.
double DeviceFacts::dram_gb_s() const
{
    return 2e-3 * memoryClock_mhz * memoryBus_bits / 8;
}

nlohmann::json DeviceFacts::toJson() const
{
    return {{"index", ordinal},
            {"uuid", uuid},
            {"name", name},
            {"architecture", architecture()},
            {"memory", memoryBytes},
            {"l2", l2Bytes},
            {"multiprocessors", multiprocessors},
            {"clock_mhz", clock_mhz},
            {"memory_clock_mhz", memoryClock_mhz},
            {"memory_bus_bits", memoryBus_bits},
            {"driver", version(driverVersion)},
            {"usable", reason.empty()},
            {"reason", reason}};
}

std::vector<DeviceFacts> listDevices(const Driver &driver)
{
    int count = 0;
    driver.deviceGetCount(&count);
    std::vector<DeviceFacts> devices;
    for (int i = 0; i < count; ++i)
        devices.push_back(factsOf(driver, i));
    return devices;
}

bool findDevice(const Driver &driver, const std::string &wanted, DeviceFacts &device, std::string &error)
{
    const std::vector<DeviceFacts> devices = listDevices(driver);
    if (devices.empty()) {
        error = "There is no NVIDIA GPU on this machine. Run on a machine with one, or use the simulator.";
        return false;
    }
    std::string known;
    for (const DeviceFacts &one : devices) {
        const bool named = wanted == one.uuid || wanted == std::to_string(one.ordinal);
        if (named ? !one.reason.empty() : (!wanted.empty() || !one.reason.empty())) {
            known += (known.empty() ? "" : ", ") + std::to_string(one.ordinal) + " (" + one.name +
                     (one.reason.empty() ? "" : ": " + one.reason) + ")";
            continue;
        }
        device = one;
        return true;
    }
    error = wanted.empty() ? "None of this machine's GPUs can be used: " + known + "."
                           : "There is no usable GPU \"" + wanted + "\" on this machine; there are: " + known + ".";
    return false;
}

bool enterContext(const Driver &driver, const DeviceFacts &device, std::string &error)
{
    void *context = nullptr;
    if (!driver.succeeded(driver.primaryContextRetain(&context, device.handle), "no context on the GPU", error))
        return false;
    return driver.succeeded(driver.contextSetCurrent(context), "the GPU's context cannot be used", error);
}

} // namespace kernelskill::cuda
