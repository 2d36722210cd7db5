// SPDX-License-Identifier: Apache-2.0
// A piece of device memory that one process made and others map by a file descriptor. The addresses after its end are
// reserved and stay unmapped, so that a step beyond it is a fault and not somebody else's data.
#pragma once

#include "driver.h"

#include <string>

namespace kernelskill::cuda {

class Slab
{
public:
    Slab() = default;
    ~Slab() { release(); }
    Slab(const Slab &) = delete;
    Slab &operator=(const Slab &) = delete;
    Slab(Slab &&other) noexcept;
    Slab &operator=(Slab &&other) noexcept;

    // At least `bytes`, rounded up to what the device maps in one piece. Both need a current context.
    [[nodiscard]] bool create(const Driver &driver, int device, std::uint64_t bytes, std::string &error);
    // The same memory in another process; the descriptor stays the caller's.
    [[nodiscard]] bool map(const Driver &driver, int device, int descriptor, std::uint64_t bytes, bool writable,
                           std::string &error);
    // A descriptor to hand on, −1 with `error`. The caller closes it.
    [[nodiscard]] int share(std::string &error) const;
    void release();

    [[nodiscard]] DevicePointer address() const { return m_address; }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }

private:
    bool mapHandle(int device, int access, std::string &error);
    const Driver *m_driver = nullptr;
    MemoryHandle m_handle = 0;
    bool m_hasHandle = false, m_mapped = false;
    DevicePointer m_address = 0;
    std::uint64_t m_bytes = 0, m_reserved = 0;
};

} // namespace kernelskill::cuda
