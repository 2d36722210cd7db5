// SPDX-License-Identifier: Apache-2.0
// Three kernels: the sum of every tile, the scan of these sums, and the scan of every tile from where it starts.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kPerThread = 8;
constexpr int kTile = kThreads * kPerThread;

// A warp owns 256 neighbouring elements, 32 at a time, so that its accesses are contiguous. Absent ones count as 0.
__device__ int place(int tile, int k)
{
    return tile * kTile + (threadIdx.x / 32 * kPerThread + k) * 32 + threadIdx.x % 32;
}

__device__ void load(const int *x, int n, int tile, int (&values)[kPerThread])
{
    for (int k = 0; k < kPerThread; ++k)
        values[k] = place(tile, k) < n ? x[place(tile, k)] : 0;
}

// Makes of a warp's elements their inclusive scan; returns their sum.
__device__ int warpScan(int (&values)[kPerThread])
{
    int before = 0;
    for (int k = 0; k < kPerThread; ++k) {
        for (int offset = 1; offset < 32; offset *= 2) {
            const int below = __shfl_up_sync(0xffffffffu, values[k], offset);
            if (threadIdx.x % 32 >= offset) values[k] += below;
        }
        values[k] += before;
        before = __shfl_sync(0xffffffffu, values[k], 31);
    }
    return before;
}

// The sum of the warps before this one; `total` is that of all.
__device__ int sumBefore(int warpTotal, int &total)
{
    __shared__ int totals[kWarps];
    if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = warpTotal;
    __syncthreads();
    int before = 0;
    total = 0;
    for (int warp = 0; warp < kWarps; ++warp) {
        if (warp == threadIdx.x / 32) before = total;
        total += totals[warp];
    }
    return before;
}

__global__ void tileSums(const int *x, int *sums, int n)
{
    int values[kPerThread], sum = 0, total;
    load(x, n, blockIdx.x, values);
    for (int k = 0; k < kPerThread; ++k)
        sum += values[k];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    sumBefore(sum, total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// One block turns the sums into inclusive prefixes.
__global__ void scanSums(int *sums, int tiles)
{
    int carry = 0;
    for (int chunk = 0; chunk * kTile < tiles; ++chunk) {
        int values[kPerThread], total;
        load(sums, tiles, chunk, values);
        const int before = carry + sumBefore(warpScan(values), total);
        for (int k = 0; k < kPerThread; ++k) {
            if (place(chunk, k) < tiles) sums[place(chunk, k)] = before + values[k];
        }
        carry += total;
        __syncthreads();
    }
}

__global__ void scanTiles(const int *x, const int *sums, int *y, int n)
{
    int values[kPerThread], total;
    load(x, n, blockIdx.x, values);
    const int earlier = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
    const int before = earlier + sumBefore(warpScan(values), total);
    for (int k = 0; k < kPerThread; ++k) {
        if (place(blockIdx.x, k) < n) y[place(blockIdx.x, k)] = before + values[k];
    }
}

extern "C" void solve(const int *x, int *y, int n, cudaStream_t stream)
{
    const int tiles = (n + kTile - 1) / kTile;
    static int *sums = nullptr;
    static int capacity = 0;
    if (capacity < tiles) {
        cudaFree(sums);
        cudaMalloc(&sums, tiles * sizeof(int));
        capacity = tiles;
    }
    tileSums<<<tiles, kThreads, 0, stream>>>(x, sums, n);
    scanSums<<<1, kThreads, 0, stream>>>(sums, tiles);
    scanTiles<<<tiles, kThreads, 0, stream>>>(x, sums, y, n);
}
