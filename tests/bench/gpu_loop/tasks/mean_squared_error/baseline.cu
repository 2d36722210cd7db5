// SPDX-License-Identifier: Apache-2.0
// One thread a row, then one thread for all rows.
#include <cuda_runtime.h>

__global__ void addRow(const float *x, const float *target, float *sums, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c) {
        float d = x[size_t(row) * cols + c] - target[size_t(row) * cols + c];
        sum += d * d;
    }
    sums[row] = sum;
}

__global__ void addSums(const float *sums, float *loss, int rows, int cols)
{
    float sum = 0.0f;
    for (int r = 0; r < rows; ++r)
        sum += sums[r];
    loss[0] = sum / (float(rows) * cols);
}

extern "C" void solve(const float *x, const float *target, float *loss, int rows, int cols, cudaStream_t stream)
{
    static float *sums = nullptr;
    static int room = 0;
    if (rows > room) {
        cudaFree(sums);
        cudaMalloc(&sums, sizeof(float) * rows);
        room = rows;
    }
    addRow<<<(rows + 127) / 128, 128, 0, stream>>>(x, target, sums, rows, cols);
    addSums<<<1, 1, 0, stream>>>(sums, loss, rows, cols);
}
