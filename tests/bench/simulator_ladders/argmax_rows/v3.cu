// SPDX-License-Identifier: Apache-2.0
// 1024 threads a row and 16 bytes a read, four reads on their way; shuffles instead of the tree.
#include <cuda_runtime.h>

#include <math.h>

constexpr int threads = 1024;

struct Find
{
    float value;
    int index;
};

__device__ Find better(Find a, Find b)
{
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

__device__ Find warpBest(Find best)
{
    for (int step = 16; step > 0; step /= 2)
        best = better(best, {__shfl_xor_sync(~0u, best.value, step), __shfl_xor_sync(~0u, best.index, step)});
    return best;
}

// A thread sees its columns in ascending order, so the first of several stays.
__device__ void see(Find &best, float value, int index)
{
    if (value > best.value)
        best = {value, index};
}

__global__ void __launch_bounds__(threads)
    argmax(const float *__restrict__ x, int *__restrict__ index, float *__restrict__ value, int cols)
{
    __shared__ Find finds[32];
    const int t = threadIdx.x;
    const float *row = x + size_t(blockIdx.x) * cols;
    Find best{-INFINITY, cols};
    const int vectorEnd = cols % 4 == 0 ? cols : 0;
#pragma unroll 4
    for (int c = 4 * t; c < vectorEnd; c += 4 * threads) {
        const float4 v = *reinterpret_cast<const float4 *>(row + c);
        see(best, v.x, c);
        see(best, v.y, c + 1);
        see(best, v.z, c + 2);
        see(best, v.w, c + 3);
    }
    for (int c = vectorEnd + t; c < cols; c += threads)
        see(best, row[c], c);
    best = warpBest(best);
    if (t % 32 == 0)
        finds[t / 32] = best;
    __syncthreads();
    if (t < 32) {
        best = warpBest(finds[t]);
        if (t == 0) {
            index[blockIdx.x] = best.index;
            value[blockIdx.x] = best.value;
        }
    }
}

extern "C" void solve(const float *x, int *index, float *value, int rows, int cols, cudaStream_t stream)
{
    argmax<<<rows, threads, 0, stream>>>(x, index, value, cols);
}
