// SPDX-License-Identifier: Apache-2.0
// What the supervisor itself does on the GPU: poison, guards, fresh inputs, comparisons. Runs in its own context, which
// no candidate can reach. The first failure is kept and ends everything after it: it is trouble of the surroundings.
#pragma once

#include "device.h"

#include "kit/dtypes.h"
#include "kit/seeds.h"

#include <optional>
#include <string>

namespace kernelskill::cuda {

struct DeviceComparison
{
    std::uint64_t mismatches = 0, first = 0; // index of the first mismatch
    double worstExcess = 0;                  // error over allowed error
};

class DeviceTools
{
public:
    DeviceTools(const Driver &driver, const DeviceFacts &device) : m_driver(driver), m_device(device) {}
    [[nodiscard]] bool load(const std::string &cubin);
    [[nodiscard]] const std::string &error() const { return m_error; }

    void poison(const kit::Dtype &dtype, kit::Seed seed, DevicePointer target, std::uint64_t count);
    void guard(kit::Seed seed, DevicePointer target, std::uint64_t bytes);
    // Offset of the first byte of a guard that was changed.
    [[nodiscard]] std::optional<std::uint64_t> brokenGuard(kit::Seed seed, DevicePointer target, std::uint64_t bytes);
    // target[i] = (one or the other)[(i + offset) mod count], 0 ≤ offset < count, as bits of the seed say.
    void blend(DevicePointer target, DevicePointer one, DevicePointer other, std::uint64_t count,
               std::size_t elementBytes, std::uint64_t offset, kit::Seed seed);
    [[nodiscard]] DeviceComparison compare(const kit::Dtype &dtype, DevicePointer actual, DevicePointer expected,
                                           std::uint64_t count, double absolute, double relative);
    // How many elements have the same bits.
    [[nodiscard]] std::uint64_t sameElements(const kit::Dtype &dtype, DevicePointer first, DevicePointer second,
                                             std::uint64_t count);
    [[nodiscard]] double rootMeanSquare(const kit::Dtype &dtype, DevicePointer source, std::uint64_t count);
    void upload(DevicePointer target, const void *source, std::uint64_t bytes);
    void download(void *target, DevicePointer source, std::uint64_t bytes);
    void copy(DevicePointer target, DevicePointer source, std::uint64_t bytes);
    void clear(DevicePointer target, std::uint64_t bytes);
    // Waits for all of the above.
    void settle();

private:
    void check(Status status, const char *what);
    void launch(void *function, std::uint64_t count, void **arguments);
    const Driver &m_driver;
    const DeviceFacts &m_device;
    void *m_poison = nullptr, *m_guard = nullptr, *m_checkGuard = nullptr, *m_blend = nullptr, *m_compare = nullptr,
         *m_squares = nullptr, *m_same = nullptr;
    DevicePointer m_scratch = 0;
    std::string m_error;
};

} // namespace kernelskill::cuda
