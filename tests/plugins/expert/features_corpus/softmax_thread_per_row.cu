// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void softmax(const float *x, float *y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float top = x[row * cols];
    for (int c = 1; c < cols; ++c)
        top = max(top, x[row * cols + c]);
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c) {
        float e = exp(x[row * cols + c] - top);
        y[row * cols + c] = e;
        sum += e;
    }
    for (int c = 0; c < cols; ++c)
        y[row * cols + c] /= sum;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    softmax<<<(rows + 127) / 128, 128, 0, stream>>>(x, y, rows, cols);
}
