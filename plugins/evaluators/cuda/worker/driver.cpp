// SPDX-License-Identifier: Apache-2.0
#include "driver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <link.h>

namespace kernelskill::cuda {

namespace {

constexpr const char *defaultLibrary = "libcuda.so.1";

std::string pathOf(void *library)
{
    link_map *map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map) return {};
    return map->l_name;
}

std::string initError(const Driver &driver, Status status)
{
    if (status == noDevice)
        return "There is no NVIDIA GPU on this machine. Run on a machine with one, or use the simulator.";
    return "The NVIDIA driver does not start: " + driver.text(status) +
           ". Check that nvidia-smi works for this user, and that /dev/nvidia* may be opened.";
}

} // namespace

bool Driver::resolve(void *library, std::string &error)
{
    const auto find = [&](auto &target, const char *name) {
        target = reinterpret_cast<std::remove_reference_t<decltype(target)>>(dlsym(library, name));
        if (!target && error.empty())
            error = std::string("The NVIDIA driver is too old: it has no ") + name +
                    ". Install a driver of version 550 or newer.";
    };
    find(init, "cuInit");
    find(driverGetVersion, "cuDriverGetVersion");
    find(getErrorString, "cuGetErrorString");
    find(deviceGetCount, "cuDeviceGetCount");
    find(deviceGet, "cuDeviceGet");
    find(deviceGetName, "cuDeviceGetName");
    find(deviceGetUuid, "cuDeviceGetUuid_v2");
    find(deviceGetAttribute, "cuDeviceGetAttribute");
    find(deviceTotalMem, "cuDeviceTotalMem_v2");
    find(primaryContextRetain, "cuDevicePrimaryCtxRetain");
    find(primaryContextRelease, "cuDevicePrimaryCtxRelease_v2");
    find(contextSetCurrent, "cuCtxSetCurrent");
    find(contextSynchronize, "cuCtxSynchronize");
    find(contextGetLimit, "cuCtxGetLimit");
    find(moduleLoadData, "cuModuleLoadData");
    find(moduleGetFunction, "cuModuleGetFunction");
    find(launchKernel, "cuLaunchKernel");
    find(memAlloc, "cuMemAlloc_v2");
    find(memFree, "cuMemFree_v2");
    find(memGetInfo, "cuMemGetInfo_v2");
    find(copyToDevice, "cuMemcpyHtoD_v2");
    find(copyToHost, "cuMemcpyDtoH_v2");
    find(copyOnDevice, "cuMemcpyDtoD_v2");
    find(setBytes, "cuMemsetD8_v2");
    find(granularity, "cuMemGetAllocationGranularity");
    find(memCreate, "cuMemCreate");
    find(memRelease, "cuMemRelease");
    find(addressReserve, "cuMemAddressReserve");
    find(addressFree, "cuMemAddressFree");
    find(memMap, "cuMemMap");
    find(memUnmap, "cuMemUnmap");
    find(memSetAccess, "cuMemSetAccess");
    find(exportHandle, "cuMemExportToShareableHandle");
    find(importHandle, "cuMemImportFromShareableHandle");
    find(streamCreate, "cuStreamCreate");
    find(streamSynchronize, "cuStreamSynchronize");
    find(streamWaitValue, "cuStreamWaitValue32_v2");
    find(eventCreate, "cuEventCreate");
    find(eventRecord, "cuEventRecord");
    find(eventSynchronize, "cuEventSynchronize");
    find(eventElapsed, "cuEventElapsedTime");
    find(profilerStart, "cuProfilerStart");
    find(profilerStop, "cuProfilerStop");
    return error.empty();
}

const Driver *Driver::load(std::string &error)
{
    static Driver driver;
    static std::string failure;
    static const bool loaded = [] {
        const char *name = std::getenv("KERNELSKILL_LIBCUDA");
        void *library = dlopen(name && *name ? name : defaultLibrary, RTLD_NOW | RTLD_GLOBAL);
        if (!library) {
            failure = "The NVIDIA driver is not installed: libcuda.so.1 cannot be loaded (" + std::string(dlerror()) +
                      "). Install the driver, or use the simulator.";
            return false;
        }
        driver.m_path = pathOf(library);
        if (!driver.resolve(library, failure)) return false;
        const Status status = driver.init(0);
        if (status != 0) failure = initError(driver, status);
        return status == 0;
    }();
    if (!loaded) error = failure;
    return loaded ? &driver : nullptr;
}

std::string Driver::text(Status status) const
{
    const char *words = nullptr;
    if (getErrorString) getErrorString(status, &words);
    return words ? words : "error " + std::to_string(status);
}

bool Driver::succeeded(Status status, const char *what, std::string &error) const
{
    if (status == 0) return true;
    error = std::string(what) + ": " + text(status);
    return false;
}

} // namespace kernelskill::cuda
