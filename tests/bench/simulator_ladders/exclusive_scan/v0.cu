// SPDX-License-Identifier: Apache-2.0
// The whole vector once for every power of two: each time an element adds the one 1, 2, 4, … before it.
#include <cuda_runtime.h>

constexpr int most = 1 << 24; // elements at a time

__device__ int other[most];

__global__ void shift(const int *x, const int *y, int *to, int first, int many)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= many)
        return;
    int at = first + i;
    if (i > 0)
        to[i] = x[at - 1];
    else
        to[i] = first == 0 ? 0 : y[at - 1] + x[at - 1];
}

__global__ void add(const int *from, int *to, int distance, int many)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < many)
        to[i] = i >= distance ? from[i] + from[i - distance] : from[i];
}

extern "C" void solve(const int *x, int *y, int count, cudaStream_t stream)
{
    void *address;
    cudaGetSymbolAddress(&address, other);
    const int threads = 256;
    for (int first = 0; first < count;) {
        int many = count - first < most ? count - first : most;
        int blocks = (many + threads - 1) / threads;
        int rounds = 0;
        while ((1 << rounds) < many)
            ++rounds;
        int *from = rounds % 2 == 0 ? y + first : static_cast<int *>(address); // so that the last round ends in y
        int *to = rounds % 2 == 0 ? static_cast<int *>(address) : y + first;
        shift<<<blocks, threads, 0, stream>>>(x, y, from, first, many);
        for (int round = 0; round < rounds; ++round) {
            add<<<blocks, threads, 0, stream>>>(from, to, 1 << round, many);
            int *swap = from;
            from = to;
            to = swap;
        }
        first += many;
    }
}
