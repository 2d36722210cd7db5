// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies bring the whole group to shared memory at once, so it is read once, and all of it is under way
// together; larger or unaligned groups are read twice.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int threads = 512;
constexpr int warps = threads / 32;
constexpr int most = 3008; // float4: 47 of the 48 KiB, the sums take room too

__device__ float blockSum(float own)
{
    __shared__ float part[warps];
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_xor_sync(~0u, own, step);
    __syncthreads(); // nobody needs the last sums any more
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
    own = 0.0f;
#pragma unroll
    for (int w = 0; w < warps; ++w)
        own += part[w];
    return own;
}

__device__ float square(float value)
{
    return value * value;
}

// A thread reads only what it copied itself.
__global__ void __launch_bounds__(threads)
    normaliseVector(const float4 *__restrict__ x, const float *__restrict__ gamma, const float *__restrict__ beta,
                    float4 *__restrict__ y, int groups, int depth, int quads)
{
    extern __shared__ float4 group[];
    const int size = depth * quads;
    const float4 *in = x + size_t(blockIdx.x) * size;
    for (int i = threadIdx.x; i < size; i += threads)
        __pipeline_memcpy_async(&group[i], &in[i], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < size; i += threads)
        sum += group[i].x + group[i].y + (group[i].z + group[i].w);
    const float mean = blockSum(sum) / (4 * size);
    float squares = 0.0f;
    for (int i = threadIdx.x; i < size; i += threads) {
        const float4 v = group[i];
        squares += square(v.x - mean) + square(v.y - mean) + square(v.z - mean) + square(v.w - mean);
    }
    const float scale = rsqrtf(blockSum(squares) / (4 * size) + 1e-5f);
    for (int i = threadIdx.x; i < size; i += threads) {
        const int channel = blockIdx.x % groups * depth + i / quads;
        const float factor = scale * gamma[channel];
        const float summand = beta[channel] - mean * factor;
        const float4 v = group[i];
        y[size_t(blockIdx.x) * size + i] = make_float4(v.x * factor + summand, v.y * factor + summand,
                                                       v.z * factor + summand, v.w * factor + summand);
    }
}

__global__ void __launch_bounds__(threads)
    normalise(const float *__restrict__ x, const float *__restrict__ gamma, const float *__restrict__ beta,
              float *__restrict__ y, int groups, int depth, int pixels)
{
    const int size = depth * pixels;
    const float *in = x + size_t(blockIdx.x) * size;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < size; i += threads)
        sum += in[i];
    const float mean = blockSum(sum) / size;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < size; i += threads)
        squares += square(in[i] - mean);
    const float scale = rsqrtf(blockSum(squares) / size + 1e-5f);
    for (int i = threadIdx.x; i < size; i += threads) {
        const int channel = blockIdx.x % groups * depth + i / pixels;
        y[size_t(blockIdx.x) * size + i] = (in[i] - mean) * scale * gamma[channel] + beta[channel];
    }
}

extern "C" void solve(const float *x, const float *gamma, const float *beta, float *y, int batch, int groups, int depth,
                      int pixels, cudaStream_t stream)
{
    const int quads = pixels / 4;
    if (pixels % 4 == 0 && depth * quads <= most)
        normaliseVector<<<batch * groups, threads, depth * quads * sizeof(float4), stream>>>(
            reinterpret_cast<const float4 *>(x), gamma, beta, reinterpret_cast<float4 *>(y), groups, depth, quads);
    else
        normalise<<<batch * groups, threads, 0, stream>>>(x, gamma, beta, y, groups, depth, pixels);
}
