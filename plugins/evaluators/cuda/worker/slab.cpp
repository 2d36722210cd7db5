// SPDX-License-Identifier: Apache-2.0
#include "slab.h"

#include <algorithm>
#include <utility>

namespace kernelskill::cuda {

namespace {

constexpr int descriptorHandle = 1;
constexpr int minimumGranularity = 0;

AllocationProperties propertiesOn(int device)
{
    AllocationProperties properties;
    properties.location.id = device;
    return properties;
}

} // namespace

Slab::Slab(Slab &&other) noexcept
{
    *this = std::move(other);
}

Slab &Slab::operator=(Slab &&other) noexcept
{
    if (this == &other) return *this;
    release();
    m_driver = other.m_driver;
    m_handle = other.m_handle;
    m_hasHandle = std::exchange(other.m_hasHandle, false);
    m_mapped = std::exchange(other.m_mapped, false);
    m_address = std::exchange(other.m_address, 0);
    m_bytes = std::exchange(other.m_bytes, 0);
    m_reserved = std::exchange(other.m_reserved, 0);
    return *this;
}

bool Slab::create(const Driver &driver, int device, std::uint64_t bytes, std::string &error)
{
    release();
    m_driver = &driver;
    const AllocationProperties properties = propertiesOn(device);
    std::size_t piece = 0;
    if (!driver.succeeded(driver.granularity(&piece, &properties, minimumGranularity), "no granularity", error))
        return false;
    m_bytes = (std::max<std::uint64_t>(bytes, 1) + piece - 1) / piece * piece;
    if (!driver.succeeded(driver.memCreate(&m_handle, m_bytes, &properties, 0), "no device memory", error))
        return false;
    m_hasHandle = true;
    return mapHandle(device, accessReadWrite, error);
}

bool Slab::map(const Driver &driver, int device, int descriptor, std::uint64_t bytes, bool writable, std::string &error)
{
    release();
    m_driver = &driver;
    m_bytes = bytes;
    void *const handle = reinterpret_cast<void *>(std::intptr_t(descriptor));
    if (!driver.succeeded(driver.importHandle(&m_handle, handle, descriptorHandle), "shared memory is refused", error))
        return false;
    m_hasHandle = true;
    return mapHandle(device, writable ? accessReadWrite : accessRead, error);
}

bool Slab::mapHandle(int device, int access, std::string &error)
{
    const AllocationProperties properties = propertiesOn(device);
    std::size_t piece = 0;
    m_driver->granularity(&piece, &properties, minimumGranularity);
    const std::uint64_t reserve = m_bytes + piece;
    if (!m_driver->succeeded(m_driver->addressReserve(&m_address, reserve, 0, 0, 0), "no addresses", error))
        return false;
    m_reserved = reserve;
    if (!m_driver->succeeded(m_driver->memMap(m_address, m_bytes, 0, m_handle, 0), "memory cannot be mapped", error))
        return false;
    m_mapped = true;
    AccessDescription allowed;
    allowed.location.id = device;
    allowed.flags = access;
    return m_driver->succeeded(m_driver->memSetAccess(m_address, m_bytes, &allowed, 1), "no access to memory", error);
}

int Slab::share(std::string &error) const
{
    int descriptor = -1;
    return m_driver->succeeded(m_driver->exportHandle(&descriptor, m_handle, descriptorHandle, 0),
                               "memory cannot be shared", error)
               ? descriptor
               : -1;
}

void Slab::release()
{
    if (m_mapped) m_driver->memUnmap(m_address, m_bytes);
    if (m_reserved > 0) m_driver->addressFree(m_address, m_reserved);
    if (m_hasHandle) m_driver->memRelease(m_handle);
    m_mapped = m_hasHandle = false;
    m_reserved = m_bytes = m_address = 0;
}

} // namespace kernelskill::cuda
