// SPDX-License-Identifier: Apache-2.0
// Warps scan by shuffles, then the block scans the warps' totals: three barriers a piece instead of twenty.
#include <cuda_runtime.h>

constexpr int threads = 1024;

__device__ float warpScan(float value)
{
    for (int step = 1; step < 32; step *= 2) {
        const float other = __shfl_up_sync(~0u, value, step);
        if (int(threadIdx.x % 32) >= step)
            value += other;
    }
    return value;
}

__global__ void prefixSum(const float *x, float *y, int cols)
{
    __shared__ float total[32];
    const float *in = x + size_t(blockIdx.x) * cols;
    float *out = y + size_t(blockIdx.x) * cols;
    const int t = threadIdx.x;
    const int warp = t / 32;
    float carry = 0.0f;
    for (int start = 0; start < cols; start += threads) {
        const int c = start + t;
        const float sum = warpScan(c < cols ? in[c] : 0.0f);
        if (t % 32 == 31)
            total[warp] = sum;
        __syncthreads();
        if (warp == 0)
            total[t] = warpScan(total[t]);
        __syncthreads();
        if (c < cols)
            out[c] = carry + sum + (warp > 0 ? total[warp - 1] : 0.0f);
        carry += total[31];
        __syncthreads();
    }
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    prefixSum<<<rows, threads, 0, stream>>>(x, y, cols);
}
