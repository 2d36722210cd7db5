// SPDX-License-Identifier: Apache-2.0
// The row stays in registers, read and written 16 bytes at a time; other shapes take a general path.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int vectors = 4; // float4 a thread

template <bool largestOf> __device__ float blockReduce(float value, float *partial)
{
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_xor_sync(~0u, value, step);
        value = largestOf ? fmaxf(value, other) : value + other;
    }
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = partial[0];
    for (int w = 1; w < warps; ++w)
        value = largestOf ? fmaxf(value, partial[w]) : value + partial[w];
    return value;
}

__global__ void rowSoftmaxVector(const float4 *x, float4 *y, int quads)
{
    __shared__ float partialLargest[warps], partialSum[warps];
    const float4 *in = x + size_t(blockIdx.x) * quads;
    float4 *out = y + size_t(blockIdx.x) * quads;
    const float lowest = -__int_as_float(0x7f800000);

    float4 v[vectors];
    float largest = lowest;
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
        const int q = threadIdx.x + i * threads;
        v[i] = q < quads ? in[q] : make_float4(lowest, lowest, lowest, lowest);
        largest = fmaxf(largest, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    }
    largest = blockReduce<true>(largest, partialLargest);

    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
        v[i].x = __expf(v[i].x - largest);
        v[i].y = __expf(v[i].y - largest);
        v[i].z = __expf(v[i].z - largest);
        v[i].w = __expf(v[i].w - largest);
        sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
    }
    const float scale = 1.0f / blockReduce<false>(sum, partialSum);
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
        const int q = threadIdx.x + i * threads;
        if (q < quads)
            out[q] = make_float4(v[i].x * scale, v[i].y * scale, v[i].z * scale, v[i].w * scale);
    }
}

__global__ void rowSoftmaxGeneral(const float *x, float *y, int cols)
{
    __shared__ float partialLargest[warps], partialSum[warps];
    const float *in = x + size_t(blockIdx.x) * cols;
    float *out = y + size_t(blockIdx.x) * cols;
    float largest = in[0];
    for (int c = threadIdx.x; c < cols; c += threads)
        largest = fmaxf(largest, in[c]);
    largest = blockReduce<true>(largest, partialLargest);
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += threads)
        sum += __expf(in[c] - largest);
    const float scale = 1.0f / blockReduce<false>(sum, partialSum);
    for (int c = threadIdx.x; c < cols; c += threads)
        out[c] = __expf(in[c] - largest) * scale;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    if (cols % 4 == 0 && cols <= 4 * vectors * threads)
        rowSoftmaxVector<<<rows, threads, 0, stream>>>(reinterpret_cast<const float4 *>(x),
                                                       reinterpret_cast<float4 *>(y), cols / 4);
    else
        rowSoftmaxGeneral<<<rows, threads, 0, stream>>>(x, y, cols);
}
