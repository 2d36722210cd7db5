// SPDX-License-Identifier: Apache-2.0
// The row stays in registers as float4, so device memory is read once; other shapes take a general path.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int vectors = 2; // float4 a thread

__device__ float blockSum(float value, float *partial)
{
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(~0u, value, step);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0.0f;
    for (int w = 0; w < warps; ++w)
        value += partial[w];
    return value;
}

__global__ void layerNormVector(const float4 *x, const float4 *weight, const float4 *bias, float4 *y, int quads)
{
    __shared__ float partialSum[warps], partialSquares[warps];
    const float4 *in = x + size_t(blockIdx.x) * quads;
    float4 *out = y + size_t(blockIdx.x) * quads;
    float4 v[vectors];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
        const int q = threadIdx.x + i * threads;
        v[i] = q < quads ? in[q] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
    }
    const float mean = blockSum(sum, partialSum) / (4 * quads);
    float squares = 0.0f;
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
        v[i] = make_float4(v[i].x - mean, v[i].y - mean, v[i].z - mean, v[i].w - mean);
        if (threadIdx.x + i * threads < quads)
            squares += (v[i].x * v[i].x + v[i].y * v[i].y) + (v[i].z * v[i].z + v[i].w * v[i].w);
    }
    const float scale = rsqrtf(blockSum(squares, partialSquares) / (4 * quads) + 1e-5f);
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
        const int q = threadIdx.x + i * threads;
        if (q < quads) {
            const float4 w = weight[q];
            const float4 b = bias[q];
            out[q] = make_float4(v[i].x * scale * w.x + b.x, v[i].y * scale * w.y + b.y, v[i].z * scale * w.z + b.z,
                                 v[i].w * scale * w.w + b.w);
        }
    }
}

__global__ void layerNormGeneral(const float *x, const float *weight, const float *bias, float *y, int cols)
{
    __shared__ float partialSum[warps], partialSquares[warps];
    const float *in = x + size_t(blockIdx.x) * cols;
    float *out = y + size_t(blockIdx.x) * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += threads)
        sum += in[c];
    const float mean = blockSum(sum, partialSum) / cols;
    float squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += threads)
        squares += (in[c] - mean) * (in[c] - mean);
    const float scale = rsqrtf(blockSum(squares, partialSquares) / cols + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += threads)
        out[c] = (in[c] - mean) * scale * weight[c] + bias[c];
}

extern "C" void solve(const float *x, const float *weight, const float *bias, float *y, int rows, int cols,
                      cudaStream_t stream)
{
    if (cols % 4 == 0 && cols <= 4 * vectors * threads)
        layerNormVector<<<rows, threads, 0, stream>>>(
            reinterpret_cast<const float4 *>(x), reinterpret_cast<const float4 *>(weight),
            reinterpret_cast<const float4 *>(bias), reinterpret_cast<float4 *>(y), cols / 4);
    else
        layerNormGeneral<<<rows, threads, 0, stream>>>(x, weight, bias, y, cols);
}
