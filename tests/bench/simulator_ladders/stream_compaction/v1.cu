// SPDX-License-Identifier: Apache-2.0
// One thread an element: blocks of 256 count together, one block of 1024 scans the counts, then each block scans its
// flags in shared memory for the places.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int mostBlocks = 1 << 20; // enough for 2^28 elements

__device__ int places[mostBlocks];

__global__ void countPositive(const int *x, int count)
{
    const int i = blockIdx.x * threads + threadIdx.x;
    const int found = __syncthreads_count(i < count && x[i] > 0);
    if (threadIdx.x == 0)
        places[blockIdx.x] = found;
}

// The sums of the values of the block's threads up to each; `sums` has room for one value a thread.
__device__ int scanBlock(int *sums, int value)
{
    const int t = threadIdx.x;
    sums[t] = value;
    __syncthreads();
    for (int distance = 1; distance < int(blockDim.x); distance *= 2) {
        const int before = t >= distance ? sums[t - distance] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    return sums[t];
}

__global__ void scanPlaces(int *kept, int blocks)
{
    __shared__ int sums[1024];
    int before = 0;
    for (int first = 0; first < blocks; first += 1024) {
        const int i = first + threadIdx.x;
        const int own = i < blocks ? places[i] : 0;
        const int sum = scanBlock(sums, own);
        if (i < blocks)
            places[i] = before + sum - own;
        before += sums[1023];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        kept[0] = before;
}

__global__ void copyPositive(const int *x, int *y, int count)
{
    __shared__ int sums[threads];
    const int i = blockIdx.x * threads + threadIdx.x;
    const int value = i < count ? x[i] : 0;
    const int sum = scanBlock(sums, value > 0 ? 1 : 0);
    if (value > 0)
        y[places[blockIdx.x] + sum - 1] = value;
}

__global__ void fillRest(int *y, const int *kept, int count)
{
    const int i = blockIdx.x * threads + threadIdx.x;
    if (i < count && i >= kept[0])
        y[i] = 0;
}

extern "C" void solve(const int *x, int *y, int *kept, int count, cudaStream_t stream)
{
    const int blocks = (count + threads - 1) / threads;
    countPositive<<<blocks, threads, 0, stream>>>(x, count);
    scanPlaces<<<1, 1024, 0, stream>>>(kept, blocks);
    copyPositive<<<blocks, threads, 0, stream>>>(x, y, count);
    fillRest<<<blocks, threads, 0, stream>>>(y, kept, count);
}
