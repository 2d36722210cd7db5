// SPDX-License-Identifier: Apache-2.0
// Texture and surface functions as plain loads and arithmetic, by the formulas of the programming guide's appendix on
// texture fetching: weights of linear filtering have eight fractional bits.
#pragma once

#include "texture_descriptor.h"

namespace kernelskill_texture {

template <class T> struct Vector
{
    using Channel = T;
    static constexpr int channels = 1;
};
#define KS_VECTOR(name, type)                                                                                          \
    template <> struct Vector<name##1>                                                                                 \
    {                                                                                                                  \
        using Channel = type;                                                                                          \
        static constexpr int channels = 1;                                                                             \
    };                                                                                                                 \
    template <> struct Vector<name##2>                                                                                 \
    {                                                                                                                  \
        using Channel = type;                                                                                          \
        static constexpr int channels = 2;                                                                             \
    };                                                                                                                 \
    template <> struct Vector<name##4>                                                                                 \
    {                                                                                                                  \
        using Channel = type;                                                                                          \
        static constexpr int channels = 4;                                                                             \
    };
KS_VECTOR(char, signed char)
KS_VECTOR(uchar, unsigned char)
KS_VECTOR(short, short)
KS_VECTOR(ushort, unsigned short)
KS_VECTOR(int, int)
KS_VECTOR(uint, unsigned int)
KS_VECTOR(float, float)
#undef KS_VECTOR

static __device__ __forceinline__ const Descriptor &descriptor(unsigned long long object)
{
    return *reinterpret_cast<const Descriptor *>(object);
}

// Where a coordinate outside falls; -1 for the border.
static __device__ __forceinline__ int placed(int i, int size, int mode)
{
    if (i >= 0 && i < size) return i;
    if (mode == cudaAddressModeBorder) return -1;
    if (mode == cudaAddressModeClamp) return i < 0 ? 0 : size - 1;
    const int period = mode == cudaAddressModeMirror ? 2 * size : size;
    int at = i % period;
    if (at < 0) at += period;
    return at < size ? at : period - 1 - at;
}

// One channel as it is stored, as a float or an integer.
template <class Value> static __device__ __forceinline__ Value channel(const Descriptor &d, int x, int y, int z, int c)
{
    if (x < 0 || y < 0 || z < 0) return static_cast<Value>(d.border[c]);
    if (c >= d.channels) return Value(0);
    const char *texel = reinterpret_cast<const char *>(d.data) + z * d.sliceBytes + y * d.rowBytes +
                        static_cast<size_t>(x) * static_cast<size_t>(d.channels * (d.bits / 8)) +
                        static_cast<size_t>(c * (d.bits / 8));
    const bool isSigned = d.kind == cudaChannelFormatKindSigned;
    if (d.bits == 8) {
        const float one = d.isNormalizedFloat ? (isSigned ? 127.0f : 255.0f) : 0.0f;
        const int value =
            isSigned ? *reinterpret_cast<const signed char *>(texel) : *reinterpret_cast<const unsigned char *>(texel);
        return one != 0 ? static_cast<Value>(fmaxf(static_cast<float>(value) / one, -1.0f)) : static_cast<Value>(value);
    }
    if (d.bits == 16) {
        const float one = d.isNormalizedFloat ? (isSigned ? 32767.0f : 65535.0f) : 0.0f;
        const int value =
            isSigned ? *reinterpret_cast<const short *>(texel) : *reinterpret_cast<const unsigned short *>(texel);
        return one != 0 ? static_cast<Value>(fmaxf(static_cast<float>(value) / one, -1.0f)) : static_cast<Value>(value);
    }
    if (d.kind == cudaChannelFormatKindFloat) return static_cast<Value>(*reinterpret_cast<const float *>(texel));
    if (isSigned) return static_cast<Value>(*reinterpret_cast<const int *>(texel));
    return static_cast<Value>(*reinterpret_cast<const unsigned int *>(texel));
}

template <class T> static __device__ __forceinline__ T texelAt(const Descriptor &d, int x, int y, int z)
{
    using Channel = typename Vector<T>::Channel;
    T result;
    auto *parts = reinterpret_cast<Channel *>(&result);
#pragma unroll
    for (int c = 0; c < Vector<T>::channels; ++c)
        parts[c] = channel<Channel>(d, x, y, z, c);
    return result;
}

struct Axis
{
    int low, high;
    float weight; // of high
};
static __device__ __forceinline__ Axis axis(const Descriptor &d, float x, int size, int mode)
{
    if (d.hasNormalizedCoordinates) {
        // Wrap and mirror are of the fraction, so that large coordinates stay exact.
        if (mode == cudaAddressModeWrap) x -= floorf(x);
        x *= static_cast<float>(size);
    } else if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror) {
        mode = cudaAddressModeClamp;
    }
    if (!d.isLinear) {
        const int at = placed(static_cast<int>(floorf(x)), size, mode);
        return {at, at, 0};
    }
    const float shifted = x - 0.5f, below = floorf(shifted);
    const float weight = rintf((shifted - below) * 256.0f) / 256.0f;
    const int low = static_cast<int>(below);
    return {placed(low, size, mode), placed(low + 1, size, mode), weight};
}

template <class T> static __device__ __forceinline__ T sample(const Descriptor &d, Axis x, Axis y, Axis z)
{
    if (!d.isLinear) return texelAt<T>(d, x.low, y.low, z.low);
    using Channel = typename Vector<T>::Channel;
    T result;
    auto *parts = reinterpret_cast<Channel *>(&result);
#pragma unroll
    for (int c = 0; c < Vector<T>::channels; ++c) {
        const auto row = [&](int yy, int zz) {
            const float low = channel<float>(d, x.low, yy, zz, c);
            return x.weight == 0 ? low : (1.0f - x.weight) * low + x.weight * channel<float>(d, x.high, yy, zz, c);
        };
        const auto slice = [&](int zz) {
            const float low = row(y.low, zz);
            return y.weight == 0 ? low : (1.0f - y.weight) * low + y.weight * row(y.high, zz);
        };
        const float low = slice(z.low);
        parts[c] = static_cast<Channel>(z.weight == 0 ? low : (1.0f - z.weight) * low + z.weight * slice(z.high));
    }
    return result;
}
static __device__ __forceinline__ Axis whole(int at, int size)
{
    const int in = at < 0 ? 0 : at < size ? at : size - 1;
    return {in, in, 0};
}

} // namespace kernelskill_texture

#define KS_TEXTURE template <class T> static __device__ __forceinline__ T
KS_TEXTURE tex1Dfetch(cudaTextureObject_t object, int x)
{
    const auto &d = kernelskill_texture::descriptor(object);
    return kernelskill_texture::texelAt<T>(d, x >= 0 && x < d.width ? x : -1, 0, 0);
}
KS_TEXTURE tex1D(cudaTextureObject_t object, float x)
{
    const auto &d = kernelskill_texture::descriptor(object);
    return kernelskill_texture::sample<T>(d, kernelskill_texture::axis(d, x, d.width, d.address[0]), {0, 0, 0},
                                          {0, 0, 0});
}
KS_TEXTURE tex2D(cudaTextureObject_t object, float x, float y)
{
    const auto &d = kernelskill_texture::descriptor(object);
    return kernelskill_texture::sample<T>(d, kernelskill_texture::axis(d, x, d.width, d.address[0]),
                                          kernelskill_texture::axis(d, y, d.height, d.address[1]), {0, 0, 0});
}
KS_TEXTURE tex3D(cudaTextureObject_t object, float x, float y, float z)
{
    const auto &d = kernelskill_texture::descriptor(object);
    return kernelskill_texture::sample<T>(d, kernelskill_texture::axis(d, x, d.width, d.address[0]),
                                          kernelskill_texture::axis(d, y, d.height, d.address[1]),
                                          kernelskill_texture::axis(d, z, d.depth, d.address[2]));
}
KS_TEXTURE tex1DLayered(cudaTextureObject_t object, float x, int layer)
{
    const auto &d = kernelskill_texture::descriptor(object);
    return kernelskill_texture::sample<T>(d, kernelskill_texture::axis(d, x, d.width, d.address[0]), {0, 0, 0},
                                          kernelskill_texture::whole(layer, d.depth));
}
KS_TEXTURE tex2DLayered(cudaTextureObject_t object, float x, float y, int layer)
{
    const auto &d = kernelskill_texture::descriptor(object);
    return kernelskill_texture::sample<T>(d, kernelskill_texture::axis(d, x, d.width, d.address[0]),
                                          kernelskill_texture::axis(d, y, d.height, d.address[1]),
                                          kernelskill_texture::whole(layer, d.depth));
}
#undef KS_TEXTURE

// The older form, with the result behind a pointer.
#define KS_FORM(name, parameters, arguments)                                                                           \
    template <class T> static __device__ __forceinline__ void name parameters                                          \
    {                                                                                                                  \
        *result = name<T> arguments;                                                                                   \
    }
KS_FORM(tex1Dfetch, (T * result, cudaTextureObject_t object, int x), (object, x))
KS_FORM(tex1D, (T * result, cudaTextureObject_t object, float x), (object, x))
KS_FORM(tex2D, (T * result, cudaTextureObject_t object, float x, float y), (object, x, y))
KS_FORM(tex3D, (T * result, cudaTextureObject_t object, float x, float y, float z), (object, x, y, z))
#undef KS_FORM

// --- surfaces: x in bytes; outside, a read gives zero and a write does nothing
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
namespace kernelskill_texture {
template <class T> static __device__ __forceinline__ T *surfaceAt(cudaSurfaceObject_t object, int x, int y, int z)
{
    const Descriptor &d = descriptor(object);
    const bool inside = x >= 0 && x + static_cast<int>(sizeof(T)) <= d.width * d.channels * (d.bits / 8) && y >= 0 &&
                        y < d.height && z >= 0 && z < d.depth;
    return inside ? reinterpret_cast<T *>(d.data + z * d.sliceBytes + y * d.rowBytes + static_cast<unsigned>(x))
                  : nullptr;
}
} // namespace kernelskill_texture
#define KS_SURFACE(suffix, parameters, place)                                                                          \
    template <class T>                                                                                                 \
    static __device__ __forceinline__ T surf##suffix##read(cudaSurfaceObject_t object, parameters,                     \
                                                           cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)             \
    {                                                                                                                  \
        const T *from = kernelskill_texture::surfaceAt<T>(object, place);                                              \
        return from ? *from : T{};                                                                                     \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    static __device__ __forceinline__ void surf##suffix##read(T *result, cudaSurfaceObject_t object, parameters,       \
                                                              cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)          \
    {                                                                                                                  \
        const T *from = kernelskill_texture::surfaceAt<T>(object, place);                                              \
        *result = from ? *from : T{};                                                                                  \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    static __device__ __forceinline__ void surf##suffix##write(T value, cudaSurfaceObject_t object, parameters,        \
                                                               cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)         \
    {                                                                                                                  \
        T *to = kernelskill_texture::surfaceAt<T>(object, place);                                                      \
        if (to) *to = value;                                                                                           \
    }
#define KS_COMMA ,
KS_SURFACE(1D, int x, x KS_COMMA 0 KS_COMMA 0)
KS_SURFACE(2D, int x KS_COMMA int y, x KS_COMMA y KS_COMMA 0)
KS_SURFACE(3D, int x KS_COMMA int y KS_COMMA int z, x KS_COMMA y KS_COMMA z)
KS_SURFACE(2DLayered, int x KS_COMMA int y KS_COMMA int layer, x KS_COMMA y KS_COMMA layer)
#undef KS_SURFACE
#undef KS_COMMA
