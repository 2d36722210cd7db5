// SPDX-License-Identifier: Apache-2.0
// Allocation, copies, fills and device variables.
#include "state.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;

namespace {

std::uint64_t address(const void *pointer)
{
    return reinterpret_cast<std::uint64_t>(pointer);
}

bool isDevice(const void *pointer)
{
    wire::Writer query;
    query.value(address(pointer));
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
        if (const cudaError_t error = simpleRequest(wire::Kind::Upload, message); error != cudaSuccess) return error;
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
        if (reply.error != cudaSuccess || reply.payload.size() != part)
            return State::instance().record(reply.error != cudaSuccess ? reply.error : cudaErrorUnknown);
        std::memcpy(to + done, reply.payload.data(), part);
    }
    return cudaSuccess;
}

cudaError_t copy(void *to, const void *from, std::uint64_t bytes, cudaMemcpyKind kind)
{
    if (bytes == 0) return cudaSuccess;
    switch (resolve(kind, to, from)) {
    case cudaMemcpyHostToHost:
        std::memmove(to, from, bytes);
        return cudaSuccess;
    case cudaMemcpyHostToDevice:
        return upload(address(to), static_cast<const char *>(from), bytes);
    case cudaMemcpyDeviceToHost:
        return download(static_cast<char *>(to), address(from), bytes);
    case cudaMemcpyDeviceToDevice: {
        wire::Writer message;
        message.value(address(to));
        message.value(address(from));
        message.value(bytes);
        return simpleRequest(wire::Kind::Copy, message);
    }
    default:
        return State::instance().record(cudaErrorInvalidMemcpyDirection);
    }
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    if (!pointer) return State::instance().record(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    wire::Writer message;
    message.value(static_cast<std::uint64_t>(bytes));
    const Reply reply = Channel::instance().request(wire::Kind::Allocate, message);
    if (reply.error == cudaSuccess)
        *pointer = reinterpret_cast<void *>(wire::Reader(reply.payload).value<std::uint64_t>());
    return State::instance().record(reply.error);
}

cudaError_t cudaFree(void *pointer)
{
    if (!pointer) return cudaSuccess;
    wire::Writer message;
    message.value(address(pointer));
    return simpleRequest(wire::Kind::Release, message);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t)
{
    return cudaMalloc(pointer, bytes);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t)
{
    return cudaFree(pointer);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    *pointer = std::malloc(bytes);
    return State::instance().record(*pointer || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int)
{
    return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFreeHost(void *pointer)
{
    std::free(pointer);
    return cudaSuccess;
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return copy(to, from, bytes, kind);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
    return copy(to, from, bytes, kind);
}

cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                         cudaMemcpyKind kind)
{
    for (size_t row = 0; row < height; ++row) {
        const cudaError_t error = copy(static_cast<char *>(to) + row * toPitch,
                                       static_cast<const char *>(from) + row * fromPitch, width, kind);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy2D(to, toPitch, from, fromPitch, width, height, kind);
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    wire::Writer message;
    message.value(address(pointer));
    message.value(static_cast<std::uint32_t>(value & 0xff));
    message.value(static_cast<std::uint64_t>(bytes));
    return simpleRequest(wire::Kind::Fill, message);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t)
{
    return cudaMemset(pointer, value, bytes);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    const Variable *variable = State::instance().variable(symbol);
    if (!variable) return State::instance().record(cudaErrorInvalidSymbol);
    *pointer = reinterpret_cast<void *>(variable->address);
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    const Variable *variable = State::instance().variable(symbol);
    if (!variable) return State::instance().record(cudaErrorInvalidSymbol);
    *bytes = variable->bytes;
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
    const Variable *variable = State::instance().variable(symbol);
    if (!variable || offset + bytes > variable->bytes)
        return State::instance().record(variable ? cudaErrorInvalidValue : cudaErrorInvalidSymbol);
    return copy(reinterpret_cast<void *>(variable->address + offset), from, bytes, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
    const Variable *variable = State::instance().variable(symbol);
    if (!variable || offset + bytes > variable->bytes)
        return State::instance().record(variable ? cudaErrorInvalidValue : cudaErrorInvalidSymbol);
    return copy(to, reinterpret_cast<void *>(variable->address + offset), bytes, kind);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
    const bool device = isDevice(pointer);
    *attributes = {device ? 2 : 0, 0, device ? const_cast<void *>(pointer) : nullptr,
                   device ? nullptr : const_cast<void *>(pointer)};
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    *free = State::instance().device().freeBytes;
    *total = State::instance().device().memoryBytes;
    return cudaSuccess;
}

} // extern "C"
