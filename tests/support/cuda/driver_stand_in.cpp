// SPDX-License-Identifier: Apache-2.0
// The driver's functions on host memory. Device pointers are addresses of the process; memory that is shared is a file
// in memory, mapped where the worker asks for it, with the access it asks for.
#include "driver_kernels.h"
#include "toolkit/include/cuda_runtime_api.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <vector>

using kernelskill::standin::Kernel;
using DevicePointer = std::uint64_t;
using Clock = std::chrono::steady_clock;

struct Work
{
    void (*function)(void **);
    void *argument;
};

struct StandInStream
{
    bool atOnce = false;
    const volatile std::uint32_t *gate = nullptr;
    std::vector<Work> waiting;

    void run()
    {
        while (gate && *gate == 0) {
            const timespec briefly{0, 50'000};
            nanosleep(&briefly, nullptr);
        }
        gate = nullptr;
        std::vector<Work> now;
        now.swap(waiting);
        for (Work &one : now)
            one.function(&one.argument);
    }
};

namespace {

constexpr std::size_t piece = 4096;
constexpr int invalidValue = 1;

std::vector<StandInStream *> streams;
std::atomic<int> deviceStatus{0};
std::atomic<float> eventScale{1};
std::atomic<std::size_t> persistingL2{0};

struct Event
{
    Clock::time_point time;
};

int protection(int flags)
{
    return flags == 3 ? PROT_READ | PROT_WRITE : flags == 1 ? PROT_READ : PROT_NONE;
}

void *address(DevicePointer pointer)
{
    return reinterpret_cast<void *>(pointer);
}

} // namespace

extern "C" {
int cuInit(unsigned)
{
    return 0;
}
int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}
int cuGetErrorString(int status, const char **text)
{
    *text = status == 700 ? "an illegal memory access was encountered" : "error of the stand-in";
    return 0;
}
int cuDeviceGetCount(int *count)
{
    *count = 1;
    return 0;
}
int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}
int cuDeviceGetName(char *name, int bytes, int)
{
    std::snprintf(name, std::size_t(bytes), "Stand-in");
    return 0;
}
// One a process that tests: they must not wait for each other.
int cuDeviceGetUuid_v2(unsigned char *uuid, int)
{
    std::memset(uuid, 0, 16);
    if (const char *number = std::getenv("KERNELSKILL_STAND_IN_DEVICE")) {
        const unsigned value = unsigned(std::atoi(number));
        std::memcpy(uuid, &value, sizeof value);
    }
    return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int)
{
    *value = attribute == 16                        ? 1
             : attribute == 13 || attribute == 36   ? 1'000'000
             : attribute == 37                      ? 64
             : attribute == 38                      ? 1 << 16
             : attribute == 75                      ? 9
             : attribute == 102 || attribute == 103 ? 1
                                                    : 0;
    return 0;
}
int cuDeviceTotalMem_v2(std::size_t *bytes, int)
{
    *bytes = std::size_t(64) << 20;
    return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int)
{
    *context = &deviceStatus;
    return 0;
}
int cuDevicePrimaryCtxRelease_v2(int)
{
    return 0;
}
int cuCtxSetCurrent(void *)
{
    return 0;
}
int cuCtxSynchronize()
{
    for (StandInStream *stream : streams)
        stream->run();
    return deviceStatus;
}
int cuCtxGetLimit(std::size_t *value, int)
{
    *value = persistingL2;
    return 0;
}
int cuModuleLoadData(void **module, const void *)
{
    *module = &deviceStatus;
    return 0;
}
int cuModuleGetFunction(void **function, void *, const char *name)
{
    *function = reinterpret_cast<void *>(kernelskill::standin::kernelNamed(name));
    return *function ? 0 : 500;
}
int cuLaunchKernel(void *function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                   void **arguments, void **)
{
    reinterpret_cast<Kernel>(function)(arguments);
    return 0;
}
int cuMemAlloc_v2(DevicePointer *pointer, std::size_t bytes)
{
    *pointer = reinterpret_cast<DevicePointer>(std::aligned_alloc(piece, (bytes + piece - 1) / piece * piece));
    return 0;
}
int cuMemFree_v2(DevicePointer pointer)
{
    std::free(address(pointer));
    return 0;
}
int cuMemGetInfo_v2(std::size_t *free, std::size_t *total)
{
    *free = *total = std::size_t(64) << 20;
    return 0;
}
int cuMemcpyHtoD_v2(DevicePointer target, const void *source, std::size_t bytes)
{
    std::memcpy(address(target), source, bytes);
    return 0;
}
int cuMemcpyDtoH_v2(void *target, DevicePointer source, std::size_t bytes)
{
    std::memcpy(target, address(source), bytes);
    return 0;
}
int cuMemcpyDtoD_v2(DevicePointer target, DevicePointer source, std::size_t bytes)
{
    std::memcpy(address(target), address(source), bytes);
    return 0;
}
int cuMemsetD8_v2(DevicePointer target, unsigned char value, std::size_t bytes)
{
    std::memset(address(target), value, bytes);
    return 0;
}
int cuMemGetAllocationGranularity(std::size_t *bytes, const void *, int)
{
    *bytes = piece;
    return 0;
}
int cuMemCreate(std::uint64_t *handle, std::size_t bytes, const void *, unsigned long long)
{
    const int file = memfd_create("device memory", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, off_t(bytes)) != 0) return 2;
    *handle = std::uint64_t(file);
    return 0;
}
int cuMemRelease(std::uint64_t handle)
{
    close(int(handle));
    return 0;
}
int cuMemAddressReserve(DevicePointer *pointer, std::size_t bytes, std::size_t, DevicePointer, unsigned long long)
{
    void *place = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *pointer = reinterpret_cast<DevicePointer>(place);
    return place == MAP_FAILED ? 2 : 0;
}
int cuMemAddressFree(DevicePointer pointer, std::size_t bytes)
{
    return munmap(address(pointer), bytes);
}
int cuMemMap(DevicePointer pointer, std::size_t bytes, std::size_t, std::uint64_t handle, unsigned long long)
{
    void *place = mmap(address(pointer), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, int(handle), 0);
    return place == MAP_FAILED ? invalidValue : 0;
}
int cuMemUnmap(DevicePointer pointer, std::size_t bytes)
{
    void *place =
        mmap(address(pointer), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    return place == MAP_FAILED ? invalidValue : 0;
}
int cuMemSetAccess(DevicePointer pointer, std::size_t bytes, const int *description, std::size_t)
{
    return mprotect(address(pointer), bytes, protection(description[2])); // after the location's type and number
}
int cuMemExportToShareableHandle(void *target, std::uint64_t handle, int, unsigned long long)
{
    const int copy = dup(int(handle));
    std::memcpy(target, &copy, sizeof copy);
    return copy < 0 ? invalidValue : 0;
}
int cuMemImportFromShareableHandle(std::uint64_t *handle, void *descriptor, int)
{
    const int copy = dup(int(reinterpret_cast<std::intptr_t>(descriptor)));
    *handle = std::uint64_t(copy);
    return copy < 0 ? invalidValue : 0;
}
int cuStreamCreate(void **stream, unsigned)
{
    auto *made = new StandInStream;
    streams.push_back(made);
    *stream = made;
    return 0;
}
int cuStreamSynchronize(void *stream)
{
    static_cast<StandInStream *>(stream)->run();
    return deviceStatus;
}
int cuStreamWaitValue32_v2(void *stream, DevicePointer pointer, std::uint32_t, unsigned)
{
    static_cast<StandInStream *>(stream)->gate = static_cast<const volatile std::uint32_t *>(address(pointer));
    return 0;
}
int cuEventCreate(void **event, unsigned)
{
    *event = new Event;
    return 0;
}
int cuEventRecord(void *event, void *stream)
{
    static_cast<StandInStream *>(stream)->run();
    static_cast<Event *>(event)->time = Clock::now();
    return deviceStatus;
}
int cuEventSynchronize(void *)
{
    return deviceStatus;
}
int cuProfilerStart()
{
    return 0;
}
int cuProfilerStop()
{
    return 0;
}
int cuEventElapsedTime(float *time_ms, void *begin, void *end)
{
    const auto between = static_cast<Event *>(end)->time - static_cast<Event *>(begin)->time;
    *time_ms = std::chrono::duration<float, std::milli>(between).count() * eventScale;
    return 0;
}

} // extern "C"

// The run time's, for candidates.
cudaError_t cudaLaunchKernel(const void *function, dim3, dim3, void **arguments, size_t, cudaStream_t stream)
{
    stream->waiting.push_back({reinterpret_cast<void (*)(void **)>(const_cast<void *>(function)), arguments[0]});
    if (stream->atOnce) stream->run();
    return cudaSuccess;
}
void standInRunAtOnce(cudaStream_t stream)
{
    stream->atOnce = true;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, const void *function, void **arguments)
{
    return cudaLaunchKernel(function, {}, {}, arguments, 0, configuration->stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3, dim3, void **arguments, size_t, cudaStream_t stream)
{
    return cudaLaunchKernel(function, {}, {}, arguments, 0, stream);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t)
{
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void *target, const void *source, size_t bytes, cudaMemcpyKind)
{
    cuCtxSynchronize();
    std::memcpy(target, source, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy(target, source, bytes, kind);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    void *made = nullptr;
    cuStreamCreate(&made, flags);
    *stream = static_cast<StandInStream *>(made);
    return cudaSuccess;
}
void standInSetPersistingL2(size_t bytes)
{
    persistingL2 = bytes;
}
void standInScaleEvents(float factor)
{
    eventScale = factor;
}
void standInFault(int status)
{
    deviceStatus = status;
}
