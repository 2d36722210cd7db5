// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine, and the one a request names.
#pragma once

#include "driver.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace kernelskill::cuda {

struct DeviceFacts
{
    int ordinal = 0, handle = 0;
    std::string uuid; // "GPU-…", as nvidia-smi writes it
    std::string name;
    int major = 0, minor = 0;
    std::uint64_t memoryBytes = 0, l2Bytes = 0;
    int multiprocessors = 0;
    double clock_mhz = 0, memoryClock_mhz = 0; // at most; 0: not told
    int memoryBus_bits = 0;
    int driverVersion = 0; // 13000: CUDA 13.0
    std::string reason;    // why it cannot be used; empty when it can

    [[nodiscard]] std::string architecture() const; // "sm_90"
    [[nodiscard]] double dram_gb_s() const;         // the memory's own peak; 0: not told
    // What nvcc is told: "sm_90a". From compute capability 9.0 on, with the instructions of this very architecture.
    [[nodiscard]] std::string target() const;
    [[nodiscard]] nlohmann::json toJson() const;
};

[[nodiscard]] std::vector<DeviceFacts> listDevices(const Driver &driver);
// By index, by uuid, or the first usable one for "". False with `error`.
[[nodiscard]] bool findDevice(const Driver &driver, const std::string &wanted, DeviceFacts &device, std::string &error);
// Makes the device's primary context (the one the run time of candidates uses) current in this thread.
[[nodiscard]] bool enterContext(const Driver &driver, const DeviceFacts &device, std::string &error);

} // namespace kernelskill::cuda
