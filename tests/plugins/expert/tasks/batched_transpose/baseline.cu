// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void reluTranspose(const float *x, float *y, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    size_t matrix = blockIdx.z * size_t(rows) * cols;
    if (row < rows && col < cols)
        y[matrix + size_t(col) * rows + row] = fmaxf(x[matrix + size_t(row) * cols + col], 0.0f);
}

extern "C" void solve(const float *x, float *y, int batch, int rows, int cols, cudaStream_t stream)
{
    dim3 threads(32, 8);
    reluTranspose<<<dim3((cols + 31) / 32, (rows + 7) / 8, batch), threads, 0, stream>>>(x, y, rows, cols);
}
