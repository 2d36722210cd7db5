// SPDX-License-Identifier: Apache-2.0
// One thread an element of y, the sum in a register; the bag is the fastest index, so reads are scattered.
#include <cuda_runtime.h>

__device__ unsigned rowOf(int hash, int vocabulary)
{
    return unsigned(hash) % unsigned(vocabulary);
}

__global__ void bagSum(const float *table, const int *hashes, float *y, int vocabulary, int width, int bags, int length)
{
    const int bag = blockIdx.x * blockDim.x + threadIdx.x;
    const int c = blockIdx.y;
    if (bag >= bags)
        return;
    float sum = 0.0f;
    for (int i = 0; i < length; ++i)
        sum += table[size_t(rowOf(hashes[size_t(bag) * length + i], vocabulary)) * width + c];
    y[size_t(bag) * width + c] = sum;
}

extern "C" void solve(const float *table, const int *hashes, float *y, int vocabulary, int width, int bags,
                      int length, cudaStream_t stream)
{
    const int threads = 256;
    const dim3 blocks((bags + threads - 1) / threads, width);
    bagSum<<<blocks, threads, 0, stream>>>(table, hashes, y, vocabulary, width, bags, length);
}
