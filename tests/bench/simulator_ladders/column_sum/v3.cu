// SPDX-License-Identifier: Apache-2.0
// A warp reads 32 columns; the block's warps share its 256 rows and join in shared memory, so a block adds 32 values.
#include <cuda_runtime.h>

constexpr int lines = 8;
constexpr int rowsPerBlock = 256;

__global__ void columnSum(const float *x, float *y, int rows, int cols)
{
    __shared__ float partial[lines][32];
    const int col = blockIdx.x * 32 + threadIdx.x;
    const int last = min(rows, int(blockIdx.y + 1) * rowsPerBlock);
    float sum = 0.0f;
    if (col < cols)
        for (int r = blockIdx.y * rowsPerBlock + threadIdx.y; r < last; r += lines)
            sum += x[size_t(r) * cols + col];
    partial[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && col < cols) {
        for (int i = 1; i < lines; ++i)
            sum += partial[i][threadIdx.x];
        atomicAdd(y + col, sum);
    }
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    cudaMemsetAsync(y, 0, size_t(cols) * sizeof(float), stream);
    const dim3 blocks((cols + 31) / 32, (rows + rowsPerBlock - 1) / rowsPerBlock);
    columnSum<<<blocks, dim3(32, lines), 0, stream>>>(x, y, rows, cols);
}
