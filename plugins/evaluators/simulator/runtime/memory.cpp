// SPDX-License-Identifier: Apache-2.0
// Device memory: allocation, copies and fills in a row, pools.
#include "memory_table.h"
#include "state.h"
#include "stream.h"
#include "work.h"

#include <algorithm>
#include <cstring>

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;

struct CUmemPoolHandle_st
{
    unsigned long long releaseThreshold = 0;
    bool isDefault = false;
};

namespace {

CUmemPoolHandle_st defaultPool{0, true};
CUmemPoolHandle_st *currentPool = &defaultPool;

// Where the program asked for memory, while a wrapper of kernelskill/allocation_places.h calls on its behalf.
thread_local const char *placeFile = nullptr;
thread_local int placeLine = 0;

// Addresses of the process's own memory that is no device's: pinned and managed memory both sides reach.
bool isOnlyOnDevice(const void *pointer)
{
    if (const auto range = MemoryTable::instance().find(pointer)) return range->type == cudaMemoryTypeDevice;
    return false;
}

// Of a pointer that this process did not allocate: a buffer of the task's, a device variable, or plain host memory.
bool isDevice(const void *pointer)
{
    if (const auto range = MemoryTable::instance().find(pointer)) return range->type != cudaMemoryTypeHost;
    wire::Writer query;
    query.value(addressOf(pointer));
    const Reply reply = Channel::instance().request(wire::Kind::Classify, query);
    return reply.error == cudaSuccess && wire::Reader(reply.payload).value<std::uint32_t>() == 1;
}

cudaMemcpyKind resolve(cudaMemcpyKind kind, const void *to, const void *from)
{
    if (kind != cudaMemcpyDefault) return kind;
    const bool toDevice = isDevice(to), fromDevice = isDevice(from);
    if (toDevice) return fromDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return fromDevice ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

cudaError_t upload(std::uint64_t to, const char *from, std::uint64_t bytes)
{
    for (std::uint64_t done = 0; done < bytes; done += wire::copyChunk) {
        const std::uint64_t part = std::min(bytes - done, wire::copyChunk);
        wire::Writer message;
        message.value(to + done);
        message.append(from + done, part);
        if (const auto error = Channel::instance().request(wire::Kind::Upload, message).error; error != 0)
            return static_cast<cudaError_t>(error);
    }
    return cudaSuccess;
}

cudaError_t download(char *to, std::uint64_t from, std::uint64_t bytes)
{
    for (std::uint64_t done = 0; done < bytes; done += wire::copyChunk) {
        const std::uint64_t part = std::min(bytes - done, wire::copyChunk);
        wire::Writer message;
        message.value(from + done);
        message.value(part);
        const Reply reply = Channel::instance().request(wire::Kind::Download, message);
        if (reply.error != cudaSuccess) return static_cast<cudaError_t>(reply.error);
        if (reply.payload.size() != part) return cudaErrorUnknown;
        std::memcpy(to + done, reply.payload.data(), part);
    }
    return cudaSuccess;
}

cudaError_t sendCopy(void *to, const void *from, std::uint64_t bytes)
{
    wire::Writer message;
    message.value(addressOf(to));
    message.value(addressOf(from));
    message.value(bytes);
    return static_cast<cudaError_t>(Channel::instance().request(wire::Kind::Copy, message).error);
}

} // namespace

namespace kernelskill::simulator::runtime {

cudaError_t copyLinear(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind)
{
    if (bytes == 0) return cudaSuccess;
    if (!to || !from) return cudaErrorInvalidValue;
    switch (resolve(kind, to, from)) {
    case cudaMemcpyHostToHost:
        if (isOnlyOnDevice(to) || isOnlyOnDevice(from)) return cudaErrorInvalidValue;
        std::memmove(to, from, bytes);
        return cudaSuccess;
    case cudaMemcpyHostToDevice:
        if (isOnlyOnDevice(from)) return cudaErrorInvalidValue;
        return upload(addressOf(to), static_cast<const char *>(from), bytes);
    case cudaMemcpyDeviceToHost:
        if (isOnlyOnDevice(to)) return cudaErrorInvalidValue;
        return download(static_cast<char *>(to), addressOf(from), bytes);
    case cudaMemcpyDeviceToDevice:
        return sendCopy(to, from, bytes);
    default:
        return cudaErrorInvalidMemcpyDirection;
    }
}

cudaError_t allocateDevice(void **pointer, std::size_t bytes, std::uint32_t flags)
{
    if (!pointer) return record(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    wire::Writer message;
    message.value(static_cast<std::uint64_t>(bytes));
    message.value(flags);
    message.text(placeFile ? std::string(placeFile) + ':' + std::to_string(placeLine) : std::string());
    const Reply reply = Channel::instance().request(wire::Kind::Allocate, message);
    if (reply.error == cudaSuccess) {
        const auto address = wire::Reader(reply.payload).value<std::uint64_t>();
        *pointer = reinterpret_cast<void *>(address);
        MemoryTable::instance().add({address, bytes, cudaMemoryTypeDevice});
    }
    return State::instance().record(reply.error);
}

CopyWork linearCopy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind)
{
    CopyWork work{};
    work.parameters.srcPtr = {const_cast<void *>(from), bytes, bytes, 1};
    work.parameters.dstPtr = {to, bytes, bytes, 1};
    work.parameters.extent = {bytes, 1, 1};
    work.parameters.kind = kind;
    return work;
}

} // namespace kernelskill::simulator::runtime

extern "C" {

void __kernelskillAllocationPlace(const char *file, int line)
{
    placeFile = file;
    placeLine = line;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return allocateDevice(pointer, bytes, 0);
}

cudaError_t cudaFree(void *pointer)
{
    State::instance().flushPrinted();
    if (!pointer) return cudaSuccess;
    if (const auto range = MemoryTable::instance().find(pointer)) {
        if (range->type == cudaMemoryTypeManaged) return cudaFreeHost(pointer);
        if (range->type == cudaMemoryTypeHost) return record(cudaErrorInvalidValue);
    }
    wire::Writer message;
    message.value(addressOf(pointer));
    const cudaError_t error = simpleRequest(wire::Kind::Release, message);
    if (error == cudaSuccess) MemoryTable::instance().remove(addressOf(pointer));
    return error;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (const cudaError_t error = refuseInAnyCapture(); error != cudaSuccess) return record(error);
    State::instance().flushPrinted();
    return record(copyLinear(to, from, bytes, kind));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    return submit(stream, linearCopy(to, from, bytes, kind));
}

cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes)
{
    if (toDevice != 0 || fromDevice != 0) return record(cudaErrorInvalidDevice);
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice, size_t bytes,
                                cudaStream_t stream)
{
    if (toDevice != 0 || fromDevice != 0) return record(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    return cudaMemsetAsync(pointer, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
    return submit(stream, FillWork{{pointer, bytes, static_cast<unsigned>(value & 0xff), 1, bytes, 1}});
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
    if (!attributes) return record(cudaErrorInvalidValue);
    auto *const plain = const_cast<void *>(pointer);
    const auto range = MemoryTable::instance().find(pointer);
    if (range && range->registered)
        *attributes = {cudaMemoryTypeHost, 0, nullptr, plain};
    else if (range && range->type != cudaMemoryTypeDevice)
        *attributes = {range->type, 0, plain, plain};
    else if (range || isDevice(pointer))
        *attributes = {cudaMemoryTypeDevice, 0, plain, nullptr};
    else
        *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, plain};
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    *free = State::instance().device().freeBytes;
    *total = State::instance().device().memoryBytes;
    for (const auto &[address, range] : MemoryTable::instance().all()) {
        if (range.type != cudaMemoryTypeHost) *free -= std::min<size_t>(*free, range.bytes);
    }
    return cudaSuccess;
}

// --- stream order: work runs in the order it is issued, so memory may come and go at once
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    if (!isStream(stream)) return record(cudaErrorInvalidResourceHandle);
    if (const cudaError_t error = allocateDevice(pointer, bytes, wire::allocationPooled); error != cudaSuccess)
        return error;
    return ownStream(stream) && ownStream(stream)->capture ? submit(stream, MemoryWork{true}) : cudaSuccess;
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    if (!isStream(stream)) return record(cudaErrorInvalidResourceHandle);
    // A graph may run again, so what it frees stays until the process ends.
    if (ownStream(stream) && ownStream(stream)->capture) return submit(stream, MemoryWork{false});
    return cudaFree(pointer);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return pool ? cudaMallocAsync(pointer, bytes, stream) : record(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    if (device != 0) return record(cudaErrorInvalidDevice);
    *pool = &defaultPool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    if (device != 0) return record(cudaErrorInvalidDevice);
    *pool = currentPool;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    if (device != 0 || !pool) return record(device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    currentPool = pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties)
{
    if (!pool || !properties) return record(cudaErrorInvalidValue);
    // Handles are for other processes, which there are none of.
    if (properties->handleTypes != cudaMemHandleTypeNone) return record(cudaErrorNotSupported);
    *pool = new CUmemPoolHandle_st;
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    if (!pool || pool->isDefault) return record(cudaErrorInvalidValue);
    if (currentPool == pool) currentPool = &defaultPool;
    delete pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t)
{
    return record(pool ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
    if (!pool || !value) return record(cudaErrorInvalidValue);
    if (attribute == cudaMemPoolAttrReleaseThreshold)
        pool->releaseThreshold = *static_cast<unsigned long long *>(value);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
    if (!pool || !value) return record(cudaErrorInvalidValue);
    if (attribute == cudaMemPoolReuseFollowEventDependencies || attribute == cudaMemPoolReuseAllowOpportunistic ||
        attribute == cudaMemPoolReuseAllowInternalDependencies) {
        *static_cast<int *>(value) = 1;
        return cudaSuccess;
    }
    unsigned long long used = 0;
    for (const auto &[address, range] : MemoryTable::instance().all())
        used += range.type == cudaMemoryTypeDevice ? range.bytes : 0;
    *static_cast<unsigned long long *>(value) =
        attribute == cudaMemPoolAttrReleaseThreshold ? pool->releaseThreshold : used;
    return cudaSuccess;
}

} // extern "C"
