// SPDX-License-Identifier: Apache-2.0
// The functions of NVIDIA's driver that supervisor and host use, found at run time: nothing of NVIDIA's is needed to
// build, and a machine without a GPU still starts the worker, which then says what is missing. Types and values as the
// driver's documented binary interface has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kernelskill::cuda {

using DevicePointer = std::uint64_t;
using MemoryHandle = std::uint64_t;
using Status = int; // 0 is success

enum : Status {
    outOfMemory = 2,
    noDevice = 100,
    illegalAddress = 700,
    outOfResources = 701,
    launchTimeout = 702,
    deviceAssert = 710,
    stackError = 714,
    illegalInstruction = 715,
    misalignedAddress = 716,
    invalidAddressSpace = 717,
    invalidProgramCounter = 718,
    launchFailed = 719,
};

enum class DeviceAttribute : int {
    Clock_kHz = 13,
    MultiprocessorCount = 16,
    MemoryClock_kHz = 36,
    MemoryBus_bits = 37,
    L2Bytes = 38,
    Major = 75,
    Minor = 76,
    VirtualMemory = 102,
    DescriptorHandles = 103,
};

struct MemoryLocation
{
    int type = 1; // a device
    int id = 0;
};
struct AllocationProperties
{
    int type = 1;        // pinned
    int handleTypes = 1; // a file descriptor
    MemoryLocation location;
    void *unused = nullptr;
    unsigned char flags[8] = {};
};
struct AccessDescription
{
    MemoryLocation location;
    int flags = 3;
};
inline constexpr int accessRead = 1, accessReadWrite = 3;
inline constexpr int limitPersistingL2 = 6;
inline constexpr unsigned waitGreaterOrEqual = 0;

struct DeviceUuid
{
    unsigned char bytes[16] = {};
};

class Driver
{
public:
    // The machine's driver, loaded and initialised once a process; null with `error`, one sentence and what to do about
    // it. KERNELSKILL_LIBCUDA names another library with the same functions.
    [[nodiscard]] static const Driver *load(std::string &error);
    // "an illegal memory access was encountered", the driver's own words.
    [[nodiscard]] std::string text(Status status) const;
    // False with `error` = "what: the driver's words" when the status is no success.
    [[nodiscard]] bool succeeded(Status status, const char *what, std::string &error) const;
    [[nodiscard]] const std::string &path() const { return m_path; }

    Status (*init)(unsigned) = nullptr;
    Status (*driverGetVersion)(int *) = nullptr;
    Status (*getErrorString)(Status, const char **) = nullptr;
    Status (*deviceGetCount)(int *) = nullptr;
    Status (*deviceGet)(int *, int) = nullptr;
    Status (*deviceGetName)(char *, int, int) = nullptr;
    Status (*deviceGetUuid)(DeviceUuid *, int) = nullptr;
    Status (*deviceGetAttribute)(int *, int, int) = nullptr;
    Status (*deviceTotalMem)(std::size_t *, int) = nullptr;
    Status (*primaryContextRetain)(void **, int) = nullptr;
    Status (*primaryContextRelease)(int) = nullptr;
    Status (*contextSetCurrent)(void *) = nullptr;
    Status (*contextSynchronize)() = nullptr;
    Status (*contextGetLimit)(std::size_t *, int) = nullptr;
    Status (*moduleLoadData)(void **, const void *) = nullptr;
    Status (*moduleGetFunction)(void **, void *, const char *) = nullptr;
    Status (*launchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                           void **, void **) = nullptr;
    Status (*memAlloc)(DevicePointer *, std::size_t) = nullptr;
    Status (*memFree)(DevicePointer) = nullptr;
    Status (*memGetInfo)(std::size_t *, std::size_t *) = nullptr;
    Status (*copyToDevice)(DevicePointer, const void *, std::size_t) = nullptr;
    Status (*copyToHost)(void *, DevicePointer, std::size_t) = nullptr;
    Status (*copyOnDevice)(DevicePointer, DevicePointer, std::size_t) = nullptr;
    Status (*setBytes)(DevicePointer, unsigned char, std::size_t) = nullptr;
    Status (*granularity)(std::size_t *, const AllocationProperties *, int) = nullptr;
    Status (*memCreate)(MemoryHandle *, std::size_t, const AllocationProperties *, unsigned long long) = nullptr;
    Status (*memRelease)(MemoryHandle) = nullptr;
    Status (*addressReserve)(DevicePointer *, std::size_t, std::size_t, DevicePointer, unsigned long long) = nullptr;
    Status (*addressFree)(DevicePointer, std::size_t) = nullptr;
    Status (*memMap)(DevicePointer, std::size_t, std::size_t, MemoryHandle, unsigned long long) = nullptr;
    Status (*memUnmap)(DevicePointer, std::size_t) = nullptr;
    Status (*memSetAccess)(DevicePointer, std::size_t, const AccessDescription *, std::size_t) = nullptr;
    Status (*exportHandle)(void *, MemoryHandle, int, unsigned long long) = nullptr;
    Status (*importHandle)(MemoryHandle *, void *, int) = nullptr;
    Status (*streamCreate)(void **, unsigned) = nullptr;
    Status (*streamSynchronize)(void *) = nullptr;
    Status (*streamWaitValue)(void *, DevicePointer, std::uint32_t, unsigned) = nullptr;
    Status (*eventCreate)(void **, unsigned) = nullptr;
    Status (*eventRecord)(void *, void *) = nullptr;
    Status (*eventSynchronize)(void *) = nullptr;
    Status (*eventElapsed)(float *, void *, void *) = nullptr;
    Status (*profilerStart)() = nullptr;
    Status (*profilerStop)() = nullptr;

private:
    bool resolve(void *library, std::string &error);
    std::string m_path;
};

} // namespace kernelskill::cuda
