// SPDX-License-Identifier: Apache-2.0
// Errors, device facts, streams and events. Work runs in the order it is issued, so streams and events only keep order
// and the modelled clock.
#include "state.h"

#include <cstdlib>
#include <cstring>

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;

struct CUstream_st
{
    unsigned flags = 0;
};
struct CUevent_st
{
    double time_us = 0;
    bool recorded = false;
};

namespace {

struct ErrorText
{
    cudaError_t code;
    const char *name, *text;
};

constexpr ErrorText errorTexts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
};

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

double clock_us()
{
    return wire::Reader(Channel::instance().request(wire::Kind::Clock, {}).payload).value<double>();
}

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

cudaError_t cudaDeviceReset(void)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return simpleRequest(wire::Kind::Synchronise, {});
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
        {cudaDevAttrMemoryPoolsSupported, 1},
    };
    for (const AttributeValue &entry : values) {
        if (entry.attribute == attribute) {
            *value = entry.value;
            return cudaSuccess;
        }
    }
    return State::instance().record(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig)
{
    return cudaSuccess;
}

// --- streams and events
// --------------------------------------------------------------------------------------------------------
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int)
{
    *stream = new CUstream_st{flags};
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    if (stream != cudaStreamLegacy && stream != cudaStreamPerThread) delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaStreamQuery(cudaStream_t)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int)
{
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int)
{
    *event = new CUevent_st;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    if (!event) return State::instance().record(cudaErrorInvalidResourceHandle);
    event->time_us = clock_us();
    event->recorded = true;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaEventQuery(cudaEvent_t)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!start || !end || !start->recorded || !end->recorded)
        return State::instance().record(cudaErrorInvalidResourceHandle);
    *milliseconds = static_cast<float>((end->time_us - start->time_us) / 1000);
    return cudaSuccess;
}

} // extern "C"
