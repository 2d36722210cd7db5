// SPDX-License-Identifier: Apache-2.0
// One thread counts a piece of 1024 elements, one thread adds the counts up, one thread a piece copies its elements.
#include <cuda_runtime.h>

constexpr int piece = 1024;
constexpr int mostPieces = 1 << 18; // enough for 2^28 elements

__device__ int places[mostPieces];

__global__ void countPositive(const int *x, int count, int pieces)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pieces)
        return;
    int found = 0;
    for (int i = p * piece; i < (p + 1) * piece && i < count; ++i)
        if (x[i] > 0)
            ++found;
    places[p] = found;
}

__global__ void addUp(int *kept, int pieces)
{
    int sum = 0;
    for (int p = 0; p < pieces; ++p) {
        int found = places[p];
        places[p] = sum;
        sum += found;
    }
    kept[0] = sum;
}

__global__ void copyPositive(const int *x, int *y, int count, int pieces)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pieces)
        return;
    int to = places[p];
    for (int i = p * piece; i < (p + 1) * piece && i < count; ++i)
        if (x[i] > 0)
            y[to++] = x[i];
}

extern "C" void solve(const int *x, int *y, int *kept, int count, cudaStream_t stream)
{
    const int threads = 128;
    int pieces = (count + piece - 1) / piece;
    int blocks = (pieces + threads - 1) / threads;
    cudaMemsetAsync(y, 0, size_t(count) * sizeof(int), stream);
    countPositive<<<blocks, threads, 0, stream>>>(x, count, pieces);
    addUp<<<1, 1, 0, stream>>>(kept, pieces);
    copyPositive<<<blocks, threads, 0, stream>>>(x, y, count, pieces);
}
