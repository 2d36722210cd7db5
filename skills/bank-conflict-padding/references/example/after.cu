// SPDX-License-Identifier: Apache-2.0
// Turns a 32 x 32 tile in shared memory. A row of 33 floats puts the elements of a column into 32 banks.
#include <cuda_runtime.h>

constexpr int kTile = 32;
constexpr int kRows = 8; // rows of threads; each thread moves four elements

__global__ void transpose(const float *__restrict__ x, float *__restrict__ y, int rows, int cols)
{
    __shared__ float tile[kTile][kTile + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
#pragma unroll
    for (int i = ty; i < kTile; i += kRows)
        if (first_row + i < rows && first_col + tx < cols)
            tile[i][tx] = x[size_t(first_row + i) * cols + first_col + tx];
    __syncthreads();
#pragma unroll
    for (int i = ty; i < kTile; i += kRows)
        if (first_col + i < cols && first_row + tx < rows)
            y[size_t(first_col + i) * rows + first_row + tx] = tile[tx][i];
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const dim3 threads(kTile, kRows);
    const dim3 blocks((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
    transpose<<<blocks, threads, 0, stream>>>(x, y, rows, cols);
}
