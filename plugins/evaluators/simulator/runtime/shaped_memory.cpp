// SPDX-License-Identifier: Apache-2.0
// Memory with a pitch, arrays, and copies and fills of rectangles and boxes.
#include "array.h"
#include "memory_table.h"
#include "state.h"
#include "stream.h"
#include "work.h"

#include <algorithm>
#include <vector>

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;

namespace {

constexpr std::size_t pitchBytes = 512;

// One side of a copy: where the box begins, and how far apart rows and slices are.
struct Side
{
    char *start = nullptr;
    std::size_t rowBytes = 0, sliceBytes = 0;
    bool isArray = false;
};

Side sideOf(cudaArray_t array, const cudaPitchedPtr &pointer, const cudaPos &position)
{
    Side side;
    if (array) {
        side.rowBytes = array->pitch;
        side.sliceBytes = array->pitch * std::max<std::size_t>(array->extent.height, 1);
        side.start = static_cast<char *>(array->data) + position.x * array->elementBytes;
        side.isArray = true;
    } else {
        side.rowBytes = pointer.pitch;
        side.sliceBytes = pointer.pitch * std::max<std::size_t>(pointer.ysize, 1);
        side.start = static_cast<char *>(pointer.ptr) + position.x;
    }
    side.start += position.y * side.rowBytes + position.z * side.sliceBytes;
    return side;
}

cudaError_t fillRow(char *to, unsigned value, std::size_t elementBytes, std::size_t elements)
{
    const unsigned low = value & 0xff;
    const bool same = elementBytes == 1 || (elementBytes == 2 && value == low * 0x101u) || value == low * 0x01010101u;
    if (same) {
        wire::Writer message;
        message.value(addressOf(to));
        message.value(static_cast<std::uint32_t>(low));
        message.value(static_cast<std::uint64_t>(elements * elementBytes));
        return static_cast<cudaError_t>(Channel::instance().request(wire::Kind::Fill, message).error);
    }
    std::vector<char> row(elements * elementBytes);
    for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = static_cast<char>(value >> (8 * (i % elementBytes)));
    return copyLinear(to, row.data(), row.size(), cudaMemcpyHostToDevice);
}

cudaMemcpy3DParms rectangle(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                            cudaMemcpyKind kind)
{
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = {const_cast<void *>(from), fromPitch, width, height};
    parameters.dstPtr = {to, toPitch, width, height};
    parameters.extent = {width, height, 1};
    parameters.kind = kind;
    return parameters;
}

// Widths in bytes, as the two-dimensional interface has them, to elements.
cudaError_t copyWithArray(cudaMemcpy3DParms &parameters, cudaArray_const_t array, cudaPos &position, size_t x, size_t y)
{
    if (!array) return record(cudaErrorInvalidResourceHandle);
    if (x % array->elementBytes != 0 || parameters.extent.width % array->elementBytes != 0)
        return record(cudaErrorInvalidValue);
    position = cudaPos{x / array->elementBytes, y, 0};
    parameters.extent.width /= array->elementBytes;
    return record(copyShaped(parameters));
}

} // namespace

namespace kernelskill::simulator::runtime {

cudaError_t copyShaped(const cudaMemcpy3DParms &p)
{
    const Side to = sideOf(p.dstArray, p.dstPtr, p.dstPos), from = sideOf(p.srcArray, p.srcPtr, p.srcPos);
    const std::size_t elementBytes = p.dstArray ? p.dstArray->elementBytes : p.srcArray ? p.srcArray->elementBytes : 1;
    const std::size_t width = p.extent.width * elementBytes;
    const std::size_t height = p.extent.height, depth = p.extent.depth;
    if (width == 0 || height == 0 || depth == 0) return cudaSuccess;
    if ((height > 1 || depth > 1) && (width > to.rowBytes || width > from.rowBytes)) return cudaErrorInvalidPitchValue;
    // Rows without gaps are one.
    const bool rowsJoin = width == to.rowBytes && width == from.rowBytes;
    const bool slicesJoin =
        rowsJoin && (depth == 1 || (to.sliceBytes == height * width && from.sliceBytes == height * width));
    if (slicesJoin) return copyLinear(to.start, from.start, width * height * depth, p.kind);
    for (std::size_t z = 0; z < depth; ++z) {
        for (std::size_t y = 0; y < (rowsJoin ? 1 : height); ++y) {
            const cudaError_t error = copyLinear(to.start + z * to.sliceBytes + y * to.rowBytes,
                                                 from.start + z * from.sliceBytes + y * from.rowBytes,
                                                 rowsJoin ? width * height : width, p.kind);
            if (error != cudaSuccess) return error;
        }
    }
    return cudaSuccess;
}

cudaError_t fillShaped(const FillWork &work)
{
    const cudaMemsetParams &p = work.parameters;
    if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4) return cudaErrorInvalidValue;
    if (p.width == 0 || p.height == 0) return cudaSuccess;
    const std::size_t rowBytes = p.width * p.elementSize;
    if (p.height > 1 && p.pitch < rowBytes) return cudaErrorInvalidPitchValue;
    const bool joins = p.height == 1 || p.pitch == rowBytes;
    for (std::size_t z = 0; z < work.depth; ++z) {
        for (std::size_t y = 0; y < (joins ? 1 : p.height); ++y) {
            const cudaError_t error = fillRow(static_cast<char *>(p.dst) + z * work.sliceBytes + y * p.pitch, p.value,
                                              p.elementSize, joins ? p.width * p.height : p.width);
            if (error != cudaSuccess) return error;
        }
    }
    return cudaSuccess;
}

} // namespace kernelskill::simulator::runtime

extern "C" {

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (!pitch) return record(cudaErrorInvalidValue);
    *pitch = (width + pitchBytes - 1) / pitchBytes * pitchBytes;
    return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent)
{
    if (!pointer) return record(cudaErrorInvalidValue);
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,
                              unsigned int flags)
{
    if (!array || !format || extent.width == 0) return record(cudaErrorInvalidValue);
    auto *const made = new cudaArray;
    made->format = *format;
    made->extent = extent;
    made->flags = flags;
    made->elementBytes = static_cast<std::size_t>(format->x + format->y + format->z + format->w) / 8;
    made->pitch = made->elementBytes * extent.width;
    const std::size_t rows = std::max<std::size_t>(extent.height, 1) * std::max<std::size_t>(extent.depth, 1);
    if (const cudaError_t error = cudaMalloc(&made->data, made->pitch * rows); error != cudaSuccess) {
        delete made;
        return error;
    }
    *array = made;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width, size_t height,
                            unsigned int flags)
{
    return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    if (!array) return cudaSuccess;
    const cudaError_t error = cudaFree(array->data);
    delete array;
    return error;
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned int *flags, cudaArray_t array)
{
    if (!array) return record(cudaErrorInvalidResourceHandle);
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}

// --- copies
cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                         cudaMemcpyKind kind)
{
    State::instance().flushPrinted();
    return record(copyShaped(rectangle(to, toPitch, from, fromPitch, width, height, kind)));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream)
{
    return submit(stream, CopyWork{rectangle(to, toPitch, from, fromPitch, width, height, kind)});
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters)
{
    State::instance().flushPrinted();
    return record(parameters ? copyShaped(*parameters) : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
    return parameters ? submit(stream, CopyWork{*parameters}) : record(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t fromPitch, size_t width,
                                size_t height, cudaMemcpyKind kind)
{
    cudaMemcpy3DParms parameters = rectangle(nullptr, 0, from, fromPitch, width, height, kind);
    parameters.dstArray = to;
    return copyWithArray(parameters, to, parameters.dstPos, x, y);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t toPitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind)
{
    cudaMemcpy3DParms parameters = rectangle(to, toPitch, nullptr, 0, width, height, kind);
    parameters.srcArray = const_cast<cudaArray_t>(from);
    return copyWithArray(parameters, from, parameters.srcPos, x, y);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (!to) return record(cudaErrorInvalidResourceHandle);
    return record(copyLinear(static_cast<char *>(to->data) + y * to->pitch + x, from, bytes, kind));
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind)
{
    if (!from) return record(cudaErrorInvalidResourceHandle);
    return record(copyLinear(to, static_cast<const char *>(from->data) + y * from->pitch + x, bytes, kind));
}

// --- fills
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    return submit(stream, FillWork{{pointer, pitch, static_cast<unsigned>(value & 0xff), 1, width, height}});
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(pointer, pitch, value, width, height, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream)
{
    FillWork work{{pointer.ptr, pointer.pitch, static_cast<unsigned>(value & 0xff), 1, extent.width, extent.height}};
    work.depth = extent.depth;
    work.sliceBytes = pointer.pitch * pointer.ysize;
    return submit(stream, work);
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent)
{
    return cudaMemset3DAsync(pointer, value, extent, nullptr);
}

} // extern "C"
