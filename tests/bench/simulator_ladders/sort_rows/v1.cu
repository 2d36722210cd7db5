// SPDX-License-Identifier: Apache-2.0
// A block a row: the row is counted, and put in order, in shared memory.
#include <cuda_runtime.h>

constexpr int most = 1024; // elements of a row
constexpr int threads = 256;

__global__ void sortRows(const float *x, float *y, int cols)
{
    __shared__ float row[most];
    __shared__ float sorted[most];
    const size_t first = size_t(blockIdx.x) * cols;
    for (int i = threadIdx.x; i < cols; i += threads)
        row[i] = x[first + i];
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += threads) {
        const float value = row[i];
        int place = 0;
        for (int j = 0; j < cols; ++j)
            place += row[j] < value || (row[j] == value && j < i);
        sorted[place] = value;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += threads)
        y[first + i] = sorted[i];
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    sortRows<<<rows, threads, 0, stream>>>(x, y, cols);
}
