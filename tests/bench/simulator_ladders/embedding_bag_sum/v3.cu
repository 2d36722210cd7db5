// SPDX-License-Identifier: Apache-2.0
// A block of 128 threads a bag, the row numbers in shared memory: each is worked out once, and a whole row is read at
// once.
#include <cuda_runtime.h>

constexpr int threads = 128;

__device__ unsigned rowOf(int hash, int vocabulary)
{
    return unsigned(hash) % unsigned(vocabulary);
}

__global__ void bagSum(const float *table, const int *hashes, float *y, int vocabulary, int width, int length)
{
    __shared__ unsigned chosen[threads];
    const int bag = blockIdx.x;
    for (int firstCol = 0; firstCol < width; firstCol += threads) {
        const int c = firstCol + threadIdx.x;
        float sum = 0.0f;
        for (int start = 0; start < length; start += threads) {
            const int many = min(threads, length - start);
            if (int(threadIdx.x) < many)
                chosen[threadIdx.x] = rowOf(hashes[size_t(bag) * length + start + threadIdx.x], vocabulary);
            __syncthreads();
            if (c < width)
                for (int i = 0; i < many; ++i)
                    sum += table[size_t(chosen[i]) * width + c];
            __syncthreads();
        }
        if (c < width)
            y[size_t(bag) * width + c] = sum;
    }
}

extern "C" void solve(const float *table, const int *hashes, float *y, int vocabulary, int width, int bags,
                      int length, cudaStream_t stream)
{
    bagSum<<<bags, threads, 0, stream>>>(table, hashes, y, vocabulary, width, length);
}
