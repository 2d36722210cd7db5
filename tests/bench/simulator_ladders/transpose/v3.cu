// SPDX-License-Identifier: Apache-2.0
// 32×8 threads a tile: four independent loads in flight a thread, smaller barriers.
#include <cuda_runtime.h>

constexpr int tile = 32;
constexpr int lines = 8;

__global__ void transpose(const float *__restrict__ x, float *__restrict__ y, int rows, int cols)
{
    __shared__ float part[tile][tile + 1];
    int col = blockIdx.x * tile + threadIdx.x;
    int row = blockIdx.y * tile + threadIdx.y;
#pragma unroll
    for (int i = 0; i < tile; i += lines)
        if (row + i < rows && col < cols)
            part[threadIdx.y + i][threadIdx.x] = x[size_t(row + i) * cols + col];
    __syncthreads();
    col = blockIdx.y * tile + threadIdx.x;
    row = blockIdx.x * tile + threadIdx.y;
#pragma unroll
    for (int i = 0; i < tile; i += lines)
        if (row + i < cols && col < rows)
            y[size_t(row + i) * rows + col] = part[threadIdx.x][threadIdx.y + i];
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const dim3 blocks((cols + tile - 1) / tile, (rows + tile - 1) / tile);
    transpose<<<blocks, dim3(tile, lines), 0, stream>>>(x, y, rows, cols);
}
