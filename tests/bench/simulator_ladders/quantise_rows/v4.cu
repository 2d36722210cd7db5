// SPDX-License-Identifier: Apache-2.0
// The row stays in registers between the passes, all of its reads are on their way at once, and shuffles with a single
// barrier replace the tree; longer rows are read twice.
#include <cuda_runtime.h>

#include <math.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int vectors = 4; // float4 a thread

struct Bounds
{
    float from, to;
};

__device__ Bounds both(Bounds a, Bounds b)
{
    return {fminf(a.from, b.from), fmaxf(a.to, b.to)};
}

__device__ Bounds boundsOf(float4 v)
{
    return {fminf(fminf(v.x, v.y), fminf(v.z, v.w)), fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w))};
}

// Of all threads, on all threads.
__device__ Bounds blockBounds(Bounds own)
{
    __shared__ Bounds part[warps];
    for (int step = 16; step > 0; step /= 2)
        own = both(own, {__shfl_xor_sync(~0u, own.from, step), __shfl_xor_sync(~0u, own.to, step)});
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
    own = part[0];
#pragma unroll
    for (int w = 1; w < warps; ++w)
        own = both(own, part[w]);
    return own;
}

__device__ unsigned char byteOf(float value, float from, float inverse)
{
    return (unsigned char)(int(rintf((value - from) * inverse)));
}

__device__ uchar4 bytesOf(float4 v, float from, float inverse)
{
    return make_uchar4(byteOf(v.x, from, inverse), byteOf(v.y, from, inverse), byteOf(v.z, from, inverse),
                       byteOf(v.w, from, inverse));
}

__device__ float finish(Bounds all, float *scale, float *low)
{
    const float step = (all.to - all.from) / 255.0f;
    if (threadIdx.x == 0) {
        scale[blockIdx.x] = step;
        low[blockIdx.x] = all.from;
    }
    return step > 0.0f ? 1.0f / step : 0.0f;
}

__global__ void __launch_bounds__(threads)
    quantiseVector(const float4 *__restrict__ x, uchar4 *__restrict__ q, float *__restrict__ scale,
                   float *__restrict__ low, int quads)
{
    const float4 *row = x + size_t(blockIdx.x) * quads;
    uchar4 *out = q + size_t(blockIdx.x) * quads;
    float4 v[vectors];
#pragma unroll
    for (int i = 0; i < vectors; ++i)
        if (int(threadIdx.x) + i * threads < quads)
            v[i] = row[threadIdx.x + i * threads];
    Bounds own{INFINITY, -INFINITY};
#pragma unroll
    for (int i = 0; i < vectors; ++i)
        if (int(threadIdx.x) + i * threads < quads)
            own = both(own, boundsOf(v[i]));
    const Bounds all = blockBounds(own);
    const float inverse = finish(all, scale, low);
#pragma unroll
    for (int i = 0; i < vectors; ++i)
        if (int(threadIdx.x) + i * threads < quads)
            out[threadIdx.x + i * threads] = bytesOf(v[i], all.from, inverse);
}

__global__ void __launch_bounds__(threads)
    quantise(const float *__restrict__ x, unsigned char *__restrict__ q, float *__restrict__ scale,
             float *__restrict__ low, int cols)
{
    const float *row = x + size_t(blockIdx.x) * cols;
    Bounds own{INFINITY, -INFINITY};
    for (int c = threadIdx.x; c < cols; c += threads)
        own = both(own, {row[c], row[c]});
    const Bounds all = blockBounds(own);
    const float inverse = finish(all, scale, low);
    for (int c = threadIdx.x; c < cols; c += threads)
        q[size_t(blockIdx.x) * cols + c] = byteOf(row[c], all.from, inverse);
}

extern "C" void solve(const float *x, unsigned char *q, float *scale, float *low, int rows, int cols,
                      cudaStream_t stream)
{
    if (cols % 4 == 0 && cols <= 4 * vectors * threads)
        quantiseVector<<<rows, threads, 0, stream>>>(reinterpret_cast<const float4 *>(x),
                                                     reinterpret_cast<uchar4 *>(q), scale, low, cols / 4);
    else
        quantise<<<rows, threads, 0, stream>>>(x, q, scale, low, cols);
}
