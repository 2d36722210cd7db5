// SPDX-License-Identifier: Apache-2.0
// A shared tile turns rows into columns; its columns lie in one bank.
#include <cuda_runtime.h>

constexpr int kTile = 32;
constexpr int kRowsPerPass = 8;

__global__ void transpose(const float *x, float *y, int rows, int cols)
{
    __shared__ float tile[kTile][kTile];
    const int firstRow = blockIdx.y * kTile, firstCol = blockIdx.x * kTile;
    for (int r = threadIdx.y; r < kTile; r += kRowsPerPass) {
        const int row = firstRow + r, col = firstCol + threadIdx.x;
        if (row < rows && col < cols) tile[r][threadIdx.x] = x[size_t(row) * cols + col];
    }
    __syncthreads();
    for (int c = threadIdx.y; c < kTile; c += kRowsPerPass) {
        const int row = firstRow + threadIdx.x, col = firstCol + c;
        if (row < rows && col < cols) y[size_t(col) * rows + row] = tile[threadIdx.x][c];
    }
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const dim3 blocks((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
    transpose<<<blocks, dim3(kTile, kRowsPerPass), 0, stream>>>(x, y, rows, cols);
}
