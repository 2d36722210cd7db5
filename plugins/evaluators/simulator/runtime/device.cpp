// SPDX-License-Identifier: Apache-2.0
// Errors and device facts.
#include "memory_table.h"
#include "state.h"
#include "stream.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;

namespace {

struct ErrorText
{
    cudaError_t code;
    const char *name, *text;
};

#define KS_ERROR(name, code, sentence) {name, #name, sentence},
constexpr ErrorText errorTexts[] = {KS_RUNTIME_ERRORS(KS_ERROR)};
#undef KS_ERROR

const ErrorText *errorText(cudaError_t error)
{
    for (const ErrorText &entry : errorTexts) {
        if (entry.code == error) return &entry;
    }
    return nullptr;
}

struct AttributeValue
{
    cudaDeviceAttr attribute;
    int value;
};

constexpr char busId[] = "0000:01:00.0";

// What the model has no part for: values a program sets come back as they were set.
struct Limits
{
    std::mutex mutex;
    size_t values[7] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
    unsigned flags = cudaDeviceMapHost;
    static Limits &instance()
    {
        static Limits &limits = *new Limits;
        return limits;
    }
};

} // namespace

extern "C" {

cudaError_t cudaGetLastError(void)
{
    return State::instance().takeLastError();
}

cudaError_t cudaPeekAtLastError(void)
{
    return State::instance().peekLastError();
}

const char *cudaGetErrorString(cudaError_t error)
{
    const ErrorText *entry = errorText(error);
    return entry ? entry->text : "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error)
{
    const ErrorText *entry = errorText(error);
    return entry ? entry->name : "unrecognized error code";
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return State::instance().record(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int)
{
    return cudaSetDevice(device);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!devices || devices[i] != 0) return State::instance().record(cudaErrorInvalidDevice);
    }
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    const std::lock_guard lock(Limits::instance().mutex);
    Limits::instance().flags = flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    const std::lock_guard lock(Limits::instance().mutex);
    *flags = Limits::instance().flags;
    return cudaSuccess;
}

// Frees what the process has allocated; a whole program gets a usable device back after a kernel's fault, too.
cudaError_t cudaDeviceReset(void)
{
    State::instance().flushPrinted();
    for (const auto &[address, range] : MemoryTable::instance().all()) {
        if (range.registered) continue;
        if (range.type == cudaMemoryTypeDevice)
            MemoryTable::instance().remove(address);
        else
            (void)cudaFreeHost(reinterpret_cast<void *>(address));
    }
    return simpleRequest(wire::Kind::Reset, {});
}

cudaError_t cudaDeviceSynchronize(void)
{
    if (const cudaError_t error = refuseInAnyCapture(); error != cudaSuccess) return State::instance().record(error);
    return synchronise();
}

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t cudaProfilerStart(void)
{
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit)
{
    if (!value || unsigned(limit) >= std::size(Limits::instance().values))
        return State::instance().record(cudaErrorUnsupportedLimit);
    const std::lock_guard lock(Limits::instance().mutex);
    *value = Limits::instance().values[limit];
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value)
{
    if (unsigned(limit) >= std::size(Limits::instance().values))
        return State::instance().record(cudaErrorUnsupportedLimit);
    const std::lock_guard lock(Limits::instance().mutex);
    Limits::instance().values[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    if (device != 0) return State::instance().record(cudaErrorInvalidDevice);
    if (!text || length <= 0) return State::instance().record(cudaErrorInvalidValue);
    std::snprintf(text, static_cast<std::size_t>(length), "%s", busId);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    if (!device || !text || std::strcmp(text, busId) != 0) return State::instance().record(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

// --- other devices and processes: there are none
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = 0;
    return State::instance().record(device == 0 && peer == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int)
{
    return State::instance().record(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return State::instance().record(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *)
{
    return State::instance().record(cudaErrorNotSupported);
}

cudaError_t cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned int)
{
    return State::instance().record(cudaErrorNotSupported);
}

cudaError_t cudaIpcCloseMemHandle(void *)
{
    return State::instance().record(cudaErrorNotSupported);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *, cudaEvent_t)
{
    return State::instance().record(cudaErrorNotSupported);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *, cudaIpcEventHandle_t)
{
    return State::instance().record(cudaErrorNotSupported);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    if (device != 0) return State::instance().record(cudaErrorInvalidDevice);
    const wire::DeviceFacts &facts = State::instance().device();
    *properties = {};
    std::memcpy(properties->name, facts.name, sizeof facts.name);
    properties->totalGlobalMem = facts.memoryBytes;
    properties->sharedMemPerBlock = static_cast<size_t>(facts.sharedPerBlock);
    properties->sharedMemPerBlockOptin = static_cast<size_t>(facts.sharedPerBlockOptIn);
    properties->sharedMemPerMultiprocessor = static_cast<size_t>(facts.sharedPerMultiprocessor);
    properties->reservedSharedMemPerBlock = 1024;
    properties->regsPerBlock = properties->regsPerMultiprocessor = facts.registersPerMultiprocessor;
    properties->warpSize = 32;
    properties->memPitch = 0x7fffffff;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
    properties->maxThreadsDim[2] = 64;
    properties->maxGridSize[0] = 0x7fffffff;
    properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
    properties->clockRate = facts.clock_khz;
    properties->totalConstMem = 65536;
    properties->major = facts.major;
    properties->minor = facts.minor;
    properties->multiProcessorCount = facts.multiprocessors;
    properties->concurrentKernels = properties->unifiedAddressing = properties->cooperativeLaunch = 1;
    properties->managedMemory = properties->concurrentManagedAccess = properties->memoryPoolsSupported = 1;
    properties->canMapHostMemory = properties->deviceOverlap = properties->streamPrioritiesSupported = 1;
    properties->globalL1CacheSupported = properties->localL1CacheSupported = properties->hostRegisterSupported = 1;
    properties->computePreemptionSupported = properties->canUseHostPointerForRegisteredMem = 1;
    properties->clusterLaunch = facts.major >= 9;
    properties->singleToDoublePrecisionPerfRatio = 2;
    properties->pciBusID = 1;
    properties->textureAlignment = properties->surfaceAlignment = 512;
    properties->texturePitchAlignment = 32;
    properties->maxTexture1D = properties->maxTexture2D[0] = 131072;
    properties->maxTexture2D[1] = 65536;
    properties->maxTexture1DLinear = 268435456;
    std::fill_n(properties->maxTexture3D, 3, 16384);
    properties->persistingL2CacheMaxSize = facts.l2Bytes / 2;
    properties->accessPolicyMaxWindowSize = 128 << 20;
    properties->asyncEngineCount = 3;
    properties->memoryClockRate = facts.memoryClock_khz;
    properties->memoryBusWidth = facts.memoryBusBits;
    properties->l2CacheSize = facts.l2Bytes;
    properties->maxThreadsPerMultiProcessor = facts.threadsPerMultiprocessor;
    properties->maxBlocksPerMultiProcessor = facts.blocksPerMultiprocessor;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    cudaDeviceProp p;
    if (const cudaError_t error = cudaGetDeviceProperties(&p, device); error != cudaSuccess) return error;
    const AttributeValue values[] = {
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
        {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(p.sharedMemPerBlock)},
        {cudaDevAttrTotalConstantMemory, static_cast<int>(p.totalConstMem)},
        {cudaDevAttrWarpSize, p.warpSize},
        {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
        {cudaDevAttrClockRate, p.clockRate},
        {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
        {cudaDevAttrMemoryClockRate, p.memoryClockRate},
        {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
        {cudaDevAttrL2CacheSize, p.l2CacheSize},
        {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {cudaDevAttrComputeCapabilityMajor, p.major},
        {cudaDevAttrComputeCapabilityMinor, p.minor},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, static_cast<int>(p.sharedMemPerMultiprocessor)},
        {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
        {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(p.sharedMemPerBlockOptin)},
        {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
        {cudaDevAttrReservedSharedMemoryPerBlock, static_cast<int>(p.reservedSharedMemPerBlock)},
        {cudaDevAttrMaxPitch, static_cast<int>(p.memPitch)},
        {cudaDevAttrTextureAlignment, static_cast<int>(p.textureAlignment)},
        {cudaDevAttrGpuOverlap, p.deviceOverlap},
        {cudaDevAttrKernelExecTimeout, p.kernelExecTimeoutEnabled},
        {cudaDevAttrIntegrated, p.integrated},
        {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
        {cudaDevAttrComputeMode, p.computeMode},
        {cudaDevAttrMaxTexture1DWidth, p.maxTexture1D},
        {cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]},
        {cudaDevAttrMaxTexture2DHeight, p.maxTexture2D[1]},
        {cudaDevAttrMaxTexture3DWidth, p.maxTexture3D[0]},
        {cudaDevAttrMaxTexture3DHeight, p.maxTexture3D[1]},
        {cudaDevAttrMaxTexture3DDepth, p.maxTexture3D[2]},
        {cudaDevAttrSurfaceAlignment, static_cast<int>(p.surfaceAlignment)},
        {cudaDevAttrConcurrentKernels, p.concurrentKernels},
        {cudaDevAttrEccEnabled, p.ECCEnabled},
        {cudaDevAttrPciBusId, p.pciBusID},
        {cudaDevAttrPciDeviceId, p.pciDeviceID},
        {cudaDevAttrPciDomainId, p.pciDomainID},
        {cudaDevAttrTccDriver, p.tccDriver},
        {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
        {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
        {cudaDevAttrTexturePitchAlignment, static_cast<int>(p.texturePitchAlignment)},
        {cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
        {cudaDevAttrGlobalL1CacheSupported, p.globalL1CacheSupported},
        {cudaDevAttrLocalL1CacheSupported, p.localL1CacheSupported},
        {cudaDevAttrManagedMemory, p.managedMemory},
        {cudaDevAttrIsMultiGpuBoard, p.isMultiGpuBoard},
        {cudaDevAttrMultiGpuBoardGroupID, p.multiGpuBoardGroupID},
        {cudaDevAttrHostNativeAtomicSupported, p.hostNativeAtomicSupported},
        {cudaDevAttrSingleToDoublePrecisionPerfRatio, p.singleToDoublePrecisionPerfRatio},
        {cudaDevAttrPageableMemoryAccess, p.pageableMemoryAccess},
        {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
        {cudaDevAttrComputePreemptionSupported, p.computePreemptionSupported},
        {cudaDevAttrCanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem},
        {cudaDevAttrCooperativeMultiDeviceLaunch, p.cooperativeMultiDeviceLaunch},
        {cudaDevAttrCanFlushRemoteWrites, 0},
        {cudaDevAttrHostRegisterSupported, p.hostRegisterSupported},
        {cudaDevAttrPageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables},
        {cudaDevAttrDirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost},
        {cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize},
        {cudaDevAttrMaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize},
        {cudaDevAttrSparseCudaArraySupported, p.sparseCudaArraySupported},
        {cudaDevAttrHostRegisterReadOnlySupported, p.hostRegisterReadOnlySupported},
        {cudaDevAttrTimelineSemaphoreInteropSupported, p.timelineSemaphoreInteropSupported},
        {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
        {cudaDevAttrGPUDirectRDMASupported, p.gpuDirectRDMASupported},
        {cudaDevAttrMemoryPoolSupportedHandleTypes, 0},
        {cudaDevAttrClusterLaunch, p.clusterLaunch},
    };
    for (const AttributeValue &entry : values) {
        if (entry.attribute == attribute) {
            *value = entry.value;
            return cudaSuccess;
        }
    }
    return State::instance().record(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *configuration)
{
    *configuration = cudaFuncCachePreferNone;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *configuration)
{
    *configuration = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig)
{
    return cudaSuccess;
}

} // extern "C"
