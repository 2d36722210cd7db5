// SPDX-License-Identifier: Apache-2.0
// The first kernel only sums, the last one scans from where its block begins: the result is written once, not twice.
#include <cuda_runtime.h>

constexpr int threads = 1024;
constexpr int mostBlocks = 1 << 21; // enough for any count

__device__ int totals[mostBlocks];

// The sum of the values of the threads up to this one, and of all of the block.
__device__ int scanBlock(int own, int &all)
{
    __shared__ int sums[threads];
    const int t = threadIdx.x;
    sums[t] = own;
    __syncthreads();
    for (int distance = 1; distance < threads; distance *= 2) {
        const int before = t >= distance ? sums[t - distance] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    const int sum = sums[t];
    all = sums[threads - 1];
    __syncthreads(); // before the next scan
    return sum;
}

__global__ void sumTiles(const int *x, int count)
{
    __shared__ int part[threads];
    const int t = threadIdx.x;
    const int i = blockIdx.x * threads + t;
    part[t] = i < count ? x[i] : 0;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        totals[blockIdx.x] = part[0];
}

// One block, tile by tile.
__global__ void scanTotals(int blocks)
{
    int carry = 0;
    for (int first = 0; first < blocks; first += threads) {
        const int i = first + threadIdx.x;
        const int own = i < blocks ? totals[i] : 0;
        int all;
        const int sum = scanBlock(own, all);
        if (i < blocks)
            totals[i] = carry + sum - own;
        carry += all;
    }
}

__global__ void scanTiles(const int *x, int *y, int count)
{
    const int i = blockIdx.x * threads + threadIdx.x;
    const int own = i < count ? x[i] : 0;
    int all;
    const int sum = scanBlock(own, all);
    if (i < count)
        y[i] = totals[blockIdx.x] + sum - own;
}

extern "C" void solve(const int *x, int *y, int count, cudaStream_t stream)
{
    const int blocks = (count - 1) / threads + 1;
    sumTiles<<<blocks, threads, 0, stream>>>(x, count);
    scanTotals<<<1, threads, 0, stream>>>(blocks);
    scanTiles<<<blocks, threads, 0, stream>>>(x, y, count);
}
