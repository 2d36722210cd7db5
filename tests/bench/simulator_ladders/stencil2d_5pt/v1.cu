// SPDX-License-Identifier: Apache-2.0
// 16×16 threads, neighbouring threads in neighbouring columns: half-warps read and write 64 contiguous bytes.
#include <cuda_runtime.h>

__global__ void stencil(const float *x, float *y, int rows, int cols)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols)
        return;
    const size_t i = size_t(row) * cols + col;
    float sum = 0.0f;
    if (row > 0)
        sum += x[i - cols];
    if (row < rows - 1)
        sum += x[i + cols];
    if (col > 0)
        sum += x[i - 1];
    if (col < cols - 1)
        sum += x[i + 1];
    y[i] = 0.5f * x[i] + 0.125f * sum;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const dim3 threads(16, 16);
    const dim3 blocks((cols + threads.x - 1) / threads.x, (rows + threads.y - 1) / threads.y);
    stencil<<<blocks, threads, 0, stream>>>(x, y, rows, cols);
}
