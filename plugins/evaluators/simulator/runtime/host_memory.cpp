// SPDX-License-Identifier: Apache-2.0
// Memory that the host and the device both reach under one address: pinned and managed. The worker makes it and passes
// a descriptor; it is mapped here at the address the device knows it by.
#include "memory_table.h"
#include "state.h"
#include "stream.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;

namespace {

constexpr std::size_t pageBytes = 4096;

std::size_t wholePages(std::size_t bytes)
{
    return (bytes + pageBytes - 1) / pageBytes * pageBytes;
}

cudaError_t allocateShared(void **pointer, size_t bytes, cudaMemoryType type, unsigned flags)
{
    if (!pointer) return record(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return type == cudaMemoryTypeManaged ? record(cudaErrorInvalidValue) : cudaSuccess;
    wire::Writer message;
    message.value(static_cast<std::uint64_t>(bytes));
    Reply reply = Channel::instance().request(wire::Kind::AllocateShared, message);
    if (reply.error != cudaSuccess) return State::instance().record(reply.error);
    const auto address = wire::Reader(reply.payload).value<std::uint64_t>();
    auto *const wanted = reinterpret_cast<void *>(address);
    const void *mapped = ::mmap(wanted, wholePages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                                reply.descriptor, 0);
    if (reply.descriptor >= 0) ::close(reply.descriptor);
    if (mapped != wanted) {
        wire::Writer release;
        release.value(address);
        (void)Channel::instance().request(wire::Kind::Release, release);
        return record(cudaErrorMemoryAllocation);
    }
    MemoryTable::instance().add({address, bytes, type, flags});
    *pointer = wanted;
    return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    if ((flags & ~7u) != 0) return record(cudaErrorInvalidValue);
    return allocateShared(pointer, bytes, cudaMemoryTypeHost, flags);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return record(cudaErrorInvalidValue);
    return allocateShared(pointer, bytes, cudaMemoryTypeManaged, flags);
}

cudaError_t cudaFreeHost(void *pointer)
{
    if (!pointer) return cudaSuccess;
    const auto range = MemoryTable::instance().startingAt(pointer);
    if (!range || range->registered || range->type == cudaMemoryTypeDevice) return record(cudaErrorInvalidValue);
    wire::Writer message;
    message.value(range->address);
    const cudaError_t error = simpleRequest(wire::Kind::Release, message);
    ::munmap(pointer, wholePages(range->bytes));
    MemoryTable::instance().remove(range->address);
    return error;
}

// Copies to and from registered memory are what they were; kernels do not reach it, because it is this process's own.
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    if (!pointer || bytes == 0) return record(cudaErrorInvalidValue);
    if (MemoryTable::instance().find(pointer)) return record(cudaErrorHostMemoryAlreadyRegistered);
    MemoryTable::instance().add({addressOf(pointer), bytes, cudaMemoryTypeHost, flags, true});
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer)
{
    const auto range = MemoryTable::instance().startingAt(pointer);
    if (!range || !range->registered) return record(cudaErrorHostMemoryNotRegistered);
    MemoryTable::instance().remove(range->address);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    if (!device || flags != 0) return record(cudaErrorInvalidValue);
    *device = nullptr;
    const auto range = MemoryTable::instance().find(host);
    if (!range || range->type == cudaMemoryTypeDevice) return record(cudaErrorInvalidValue);
    if (range->registered) return record(cudaErrorNotSupported);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer)
{
    const auto range = MemoryTable::instance().find(pointer);
    if (!range || range->type != cudaMemoryTypeHost) return record(cudaErrorInvalidValue);
    *flags = range->flags;
    return cudaSuccess;
}

// Managed memory is one memory here: nothing moves.
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t, int device, cudaStream_t stream)
{
    if (!isStream(stream)) return record(cudaErrorInvalidResourceHandle);
    if (device != 0 && device != cudaCpuDeviceId) return record(cudaErrorInvalidDevice);
    const auto range = MemoryTable::instance().find(pointer);
    return record(range && range->type == cudaMemoryTypeManaged ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t, cudaMemoryAdvise, int device)
{
    if (device != 0 && device != cudaCpuDeviceId) return record(cudaErrorInvalidDevice);
    const auto range = MemoryTable::instance().find(pointer);
    return record(range && range->type == cudaMemoryTypeManaged ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize, cudaMemRangeAttribute attribute, const void *pointer,
                                     size_t)
{
    const auto range = MemoryTable::instance().find(pointer);
    if (!data || dataSize < sizeof(int) || !range || range->type != cudaMemoryTypeManaged)
        return record(cudaErrorInvalidValue);
    std::memset(data, 0, dataSize);
    *static_cast<int *>(data) = attribute == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
    return cudaSuccess;
}

} // extern "C"
