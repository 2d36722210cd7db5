// SPDX-License-Identifier: Apache-2.0
// A block of 128 threads turns 64×32 values through 8.4 KB of shared memory, which would hold 24 blocks: more than
// there are warp slots for.
#include <cuda_runtime.h>

constexpr int kThreads = 128, kCols = 32;
constexpr int kRows = 64; // of a tile

__global__ void transpose(const float *__restrict__ x, float *__restrict__ y, int rows, int cols)
{
    __shared__ float tile[kRows][kCols + 1];
    const int firstRow = blockIdx.y * kRows, firstCol = blockIdx.x * kCols;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = kThreads / 32;

#pragma unroll 4
    for (int r = warp; r < kRows; r += warps)
        if (firstRow + r < rows && firstCol + lane < cols)
            tile[r][lane] = x[size_t(firstRow + r) * cols + firstCol + lane];
    __syncthreads();

    // 32 values of a column make one contiguous store.
#pragma unroll 4
    for (int piece = warp; piece < kRows; piece += warps) {
        const int r = piece / kCols * 32 + lane, c = piece % kCols;
        if (firstRow + r < rows && firstCol + c < cols)
            y[size_t(firstCol + c) * rows + firstRow + r] = tile[r][c];
    }
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const dim3 blocks((cols + kCols - 1) / kCols, (rows + kRows - 1) / kRows);
    transpose<<<blocks, kThreads, 0, stream>>>(x, y, rows, cols);
}
