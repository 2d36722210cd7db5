// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void gemv(const float *A, const float *x, float *y, int rows, int cols)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32)
        sum += A[row * cols + c] * x[c];
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}

extern "C" void solve(const float *A, const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    gemv<<<(rows + 7) / 8, 256, 0, stream>>>(A, x, y, rows, cols);
}
