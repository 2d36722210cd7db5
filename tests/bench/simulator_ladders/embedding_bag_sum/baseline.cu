// SPDX-License-Identifier: Apache-2.0
// One thread makes one vector, row by row, and keeps the sums in device memory.
#include <cuda_runtime.h>

__device__ unsigned rowOf(int hash, int vocabulary)
{
    return unsigned(hash) % unsigned(vocabulary);
}

__global__ void bagSum(const float *table, const int *hashes, float *y, int vocabulary, int width, int bags, int length)
{
    int bag = blockIdx.x * blockDim.x + threadIdx.x;
    if (bag >= bags)
        return;
    float *out = y + size_t(bag) * width;
    for (int c = 0; c < width; ++c)
        out[c] = 0.0f;
    for (int i = 0; i < length; ++i) {
        const float *row = table + size_t(rowOf(hashes[size_t(bag) * length + i], vocabulary)) * width;
        for (int c = 0; c < width; ++c)
            out[c] += row[c];
    }
}

extern "C" void solve(const float *table, const int *hashes, float *y, int vocabulary, int width, int bags,
                      int length, cudaStream_t stream)
{
    const int threads = 64;
    bagSum<<<(bags + threads - 1) / threads, threads, 0, stream>>>(table, hashes, y, vocabulary, width, bags, length);
}
