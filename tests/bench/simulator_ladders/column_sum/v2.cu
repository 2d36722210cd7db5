// SPDX-License-Identifier: Apache-2.0
// A block takes 32 columns; its 32 warps share the rows and join in shared memory.
#include <cuda_runtime.h>

constexpr int lines = 32;

__global__ void columnSum(const float *x, float *y, int rows, int cols)
{
    __shared__ float partial[lines][32];
    const int col = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    if (col < cols)
        for (int r = threadIdx.y; r < rows; r += lines)
            sum += x[size_t(r) * cols + col];
    partial[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && col < cols) {
        for (int i = 1; i < lines; ++i)
            sum += partial[i][threadIdx.x];
        y[col] = sum;
    }
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    columnSum<<<(cols + 31) / 32, dim3(32, lines), 0, stream>>>(x, y, rows, cols);
}
