// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects: descriptors in device memory, which the fetch functions read
// (include/kernelskill/texture_fetch.h).
#include "../include/kernelskill/texture_descriptor.h"
#include "../include/texture_types.h"
#include "array.h"
#include "memory_table.h"
#include "state.h"
#include "work.h"

#include <algorithm>
#include <map>

using namespace kernelskill::simulator;
using namespace kernelskill::simulator::runtime;
using kernelskill_texture::Descriptor;

namespace {

struct Object
{
    cudaResourceDesc resource;
    cudaTextureDesc texture;
};
struct Objects
{
    std::mutex mutex;
    std::map<unsigned long long, Object> all; // by the descriptor's address
    static Objects &instance()
    {
        static Objects &objects = *new Objects;
        return objects;
    }
};

void setFormat(Descriptor &descriptor, const cudaChannelFormatDesc &format)
{
    descriptor.channels = (format.x > 0) + (format.y > 0) + (format.z > 0) + (format.w > 0);
    descriptor.bits = format.x;
    descriptor.kind = format.f;
}

// False for what there is no description of.
bool setResource(Descriptor &descriptor, const cudaResourceDesc &resource)
{
    descriptor.width = descriptor.height = descriptor.depth = 1;
    if (resource.resType == cudaResourceTypeArray && resource.res.array.array) {
        const cudaArray &array = *resource.res.array.array;
        setFormat(descriptor, array.format);
        descriptor.data = addressOf(array.data);
        descriptor.width = static_cast<int>(array.extent.width);
        descriptor.height = static_cast<int>(std::max<std::size_t>(array.extent.height, 1));
        descriptor.depth = static_cast<int>(std::max<std::size_t>(array.extent.depth, 1));
        descriptor.rowBytes = array.pitch;
        descriptor.sliceBytes = array.pitch * static_cast<unsigned>(descriptor.height);
        return true;
    }
    if (resource.resType == cudaResourceTypeLinear) {
        const auto &linear = resource.res.linear;
        setFormat(descriptor, linear.desc);
        descriptor.data = addressOf(linear.devPtr);
        if (descriptor.bits == 0) return false;
        descriptor.width =
            static_cast<int>(linear.sizeInBytes / static_cast<unsigned>(descriptor.channels * descriptor.bits / 8));
        return true;
    }
    if (resource.resType == cudaResourceTypePitch2D) {
        const auto &pitched = resource.res.pitch2D;
        setFormat(descriptor, pitched.desc);
        descriptor.data = addressOf(pitched.devPtr);
        descriptor.width = static_cast<int>(pitched.width);
        descriptor.height = static_cast<int>(pitched.height);
        descriptor.rowBytes = pitched.pitchInBytes;
        return true;
    }
    return false;
}

cudaError_t create(unsigned long long *object, const cudaResourceDesc *resource, const cudaTextureDesc &texture)
{
    if (!object || !resource) return record(cudaErrorInvalidValue);
    Descriptor descriptor{};
    if (!setResource(descriptor, *resource)) return record(cudaErrorNotSupported);
    for (int i = 0; i < 3; ++i)
        descriptor.address[i] = texture.addressMode[i];
    descriptor.isLinear = texture.filterMode == cudaFilterModeLinear;
    descriptor.isNormalizedFloat = texture.readMode == cudaReadModeNormalizedFloat;
    descriptor.hasNormalizedCoordinates = texture.normalizedCoords;
    std::copy_n(texture.borderColor, 4, descriptor.border);
    if (descriptor.isLinear && descriptor.kind != cudaChannelFormatKindFloat && !descriptor.isNormalizedFloat)
        return record(cudaErrorInvalidFilterSetting);
    if (descriptor.isNormalizedFloat && descriptor.bits == 32 && descriptor.kind != cudaChannelFormatKindFloat)
        return record(cudaErrorInvalidNormSetting);
    void *memory = nullptr;
    if (const cudaError_t error = allocateDevice(&memory, sizeof descriptor, wire::allocationPooled);
        error != cudaSuccess)
        return error;
    if (const cudaError_t error = copyLinear(memory, &descriptor, sizeof descriptor, cudaMemcpyHostToDevice);
        error != cudaSuccess)
        return record(error);
    *object = addressOf(memory);
    const std::lock_guard lock(Objects::instance().mutex);
    Objects::instance().all[*object] = {*resource, texture};
    return cudaSuccess;
}

cudaError_t destroy(unsigned long long object)
{
    {
        const std::lock_guard lock(Objects::instance().mutex);
        if (Objects::instance().all.erase(object) == 0) return record(cudaErrorInvalidValue);
    }
    return cudaFree(reinterpret_cast<void *>(object));
}

} // namespace

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *texture, const cudaResourceViewDesc *view)
{
    if (!texture) return record(cudaErrorInvalidValue);
    return view ? record(cudaErrorNotSupported) : create(object, resource, *texture);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    return destroy(object);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t object)
{
    const std::lock_guard lock(Objects::instance().mutex);
    const auto found = Objects::instance().all.find(object);
    if (found == Objects::instance().all.end()) return record(cudaErrorInvalidValue);
    *resource = found->second.resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *texture, cudaTextureObject_t object)
{
    const std::lock_guard lock(Objects::instance().mutex);
    const auto found = Objects::instance().all.find(object);
    if (found == Objects::instance().all.end()) return record(cudaErrorInvalidValue);
    *texture = found->second.texture;
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource)
{
    if (resource && resource->resType != cudaResourceTypeArray) return record(cudaErrorInvalidValue);
    return create(object, resource, {});
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return destroy(object);
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_const_t array)
{
    if (!format || !array) return record(cudaErrorInvalidValue);
    *format = array->format;
    return cudaSuccess;
}

} // extern "C"
