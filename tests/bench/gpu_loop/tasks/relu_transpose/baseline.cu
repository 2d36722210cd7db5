// SPDX-License-Identifier: Apache-2.0
// One thread moves one element.
#include <cuda_runtime.h>

__global__ void reluTranspose(const float *x, float *y, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        y[(size_t(blockIdx.z) * cols + col) * rows + row] =
            fmaxf(x[(size_t(blockIdx.z) * rows + row) * cols + col], 0.0f);
}

extern "C" void solve(const float *x, float *y, int batch, int rows, int cols, cudaStream_t stream)
{
    dim3 threads(32, 8);
    dim3 blocks((cols + 31) / 32, (rows + 7) / 8, batch);
    reluTranspose<<<blocks, threads, 0, stream>>>(x, y, rows, cols);
}
