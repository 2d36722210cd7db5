// SPDX-License-Identifier: Apache-2.0
// A histogram of bytes for every thread, laid out so that a lane always uses its own bank: no atomics and no
// conflicts while counting. A byte counts to 255, so a thread takes at most 240 bytes before the block adds up.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int quadsPerThread = 15; // 240 bytes
constexpr int wordsPerWarp = 64 * 32; // 256 byte counters for each of 32 lanes

// Counter of bin b of a lane: byte b%4 of word b/4 of the lane's column.
__device__ void countWord(unsigned char *lane, unsigned word)
{
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const unsigned bin = word >> (8 * j) & 255u;
        ++lane[(bin >> 2) * 128 + (bin & 3u)];
    }
}

__global__ void __launch_bounds__(threads) histogram(const unsigned char *x, int *bins, int count)
{
    extern __shared__ unsigned counters[];
    for (int i = threadIdx.x; i < warps * wordsPerWarp; i += threads)
        counters[i] = 0;
    __syncthreads();
    unsigned char *lane = reinterpret_cast<unsigned char *>(counters + threadIdx.x / 32 * wordsPerWarp +
                                                            threadIdx.x % 32);
    const uint4 *words = reinterpret_cast<const uint4 *>(x);
    const int quads = count / 16;
    const int first = blockIdx.x * threads * quadsPerThread + threadIdx.x;
#pragma unroll 5
    for (int j = 0; j < quadsPerThread; ++j) {
        const int i = first + j * threads;
        if (i < quads) {
            const uint4 v = words[i];
            countWord(lane, v.x);
            countWord(lane, v.y);
            countWord(lane, v.z);
            countWord(lane, v.w);
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < count % 16) {
        const unsigned bin = x[quads * 16 + threadIdx.x];
        ++lane[(bin >> 2) * 128 + (bin & 3u)];
    }
    __syncthreads();
    // Thread t adds up a quarter of the columns (64 of the block's 256) of bins 4·(t%64) … 4·(t%64)+3; it starts at
    // another lane than its neighbours so that they use different banks.
    const int quad = threadIdx.x % 64;
    int sum[4] = {};
    for (int c = 0; c < 64; ++c) {
        const int column = threadIdx.x / 64 * 64 + c;
        const unsigned word = counters[column / 32 * wordsPerWarp + quad * 32 + (column + quad) % 32];
#pragma unroll
        for (int j = 0; j < 4; ++j)
            sum[j] += word >> (8 * j) & 255u;
    }
    __syncthreads(); // the byte counters are read; their place takes the four quarters' sums
#pragma unroll
    for (int j = 0; j < 4; ++j)
        counters[threadIdx.x / 64 * 256 + quad * 4 + j] = sum[j];
    __syncthreads();
    const int t = threadIdx.x;
    const int total = counters[t] + counters[256 + t] + counters[512 + t] + counters[768 + t];
    if (total != 0)
        atomicAdd(&bins[t], total);
}

extern "C" void solve(const unsigned char *x, int *bins, int count, cudaStream_t stream)
{
    cudaMemsetAsync(bins, 0, 256 * sizeof(int), stream);
    const int sharedBytes = warps * wordsPerWarp * int(sizeof(unsigned));
    cudaFuncSetAttribute(histogram, cudaFuncAttributeMaxDynamicSharedMemorySize, sharedBytes);
    const int perBlock = threads * quadsPerThread;
    const int blocks = (count / 16 + perBlock - 1) / perBlock;
    histogram<<<blocks < 1 ? 1 : blocks, threads, sharedBytes, stream>>>(x, bins, count);
}
