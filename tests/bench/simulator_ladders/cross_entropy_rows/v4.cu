// SPDX-License-Identifier: Apache-2.0
// The row stays in registers, all of its reads on their way at once: the greatest by half2 instructions, then one fast
// exponential an element and no scaling; other rows are read twice.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <math.h>

constexpr int threads = 512;
constexpr int warps = threads / 32;
constexpr int vectors = 8; // reads a thread

struct __align__(16) Eight
{
    __half2 part[4];
};

__device__ float blockMost(float own)
{
    __shared__ float part[warps];
    for (int step = 16; step > 0; step /= 2)
        own = fmaxf(own, __shfl_xor_sync(~0u, own, step));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < warps; ++w)
        own = fmaxf(own, part[w]);
    return own;
}

// Holds on thread 0.
__device__ float blockSum(float own)
{
    __shared__ float part[warps];
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_xor_sync(~0u, own, step);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < warps; ++w)
            own += part[w];
    return own;
}

__global__ void __launch_bounds__(threads, 2)
    crossEntropyVector(const __half *__restrict__ x, const int *__restrict__ targets, float *__restrict__ loss,
                       int cols)
{
    const __half *row = x + size_t(blockIdx.x) * cols;
    const int many = cols / 8;
    Eight v[vectors];
    const __half2 nothing = __float2half2_rn(-INFINITY);
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
        v[i] = {nothing, nothing, nothing, nothing};
        if (int(threadIdx.x) + i * threads < many)
            v[i] = reinterpret_cast<const Eight *>(row)[threadIdx.x + i * threads];
    }
    __half2 greatest = nothing;
#pragma unroll
    for (int i = 0; i < vectors; ++i)
        greatest = __hmax2(greatest, __hmax2(__hmax2(v[i].part[0], v[i].part[1]), __hmax2(v[i].part[2], v[i].part[3])));
    const float most = blockMost(fmaxf(__low2float(greatest), __high2float(greatest)));
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < vectors; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 two = __half22float2(v[i].part[j]);
            sum += __expf(two.x - most) + __expf(two.y - most);
        }
    sum = blockSum(sum);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = logf(sum) + most - __half2float(row[targets[blockIdx.x] % cols]);
}

__global__ void __launch_bounds__(threads)
    crossEntropy(const __half *__restrict__ x, const int *__restrict__ targets, float *__restrict__ loss, int cols)
{
    const __half *row = x + size_t(blockIdx.x) * cols;
    float most = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += threads)
        most = fmaxf(most, __half2float(row[c]));
    most = blockMost(most);
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += threads)
        sum += __expf(__half2float(row[c]) - most);
    sum = blockSum(sum);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = logf(sum) + most - __half2float(row[targets[blockIdx.x] % cols]);
}

extern "C" void solve(const __half *x, const int *targets, float *loss, int rows, int cols, cudaStream_t stream)
{
    if (cols % 8 == 0 && cols <= 8 * vectors * threads)
        crossEntropyVector<<<rows, threads, 0, stream>>>(x, targets, loss, cols);
    else
        crossEntropy<<<rows, threads, 0, stream>>>(x, targets, loss, cols);
}
