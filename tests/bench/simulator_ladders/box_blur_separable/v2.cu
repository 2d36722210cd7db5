// SPDX-License-Identifier: Apache-2.0
// One kernel: a block brings a tile with its margins to shared memory and adds along rows and along columns there.
#include <cuda_runtime.h>

constexpr int radius = 4;
constexpr int tile = 32;
constexpr int lines = 8;
constexpr int side = tile + 2 * radius;

__global__ void __launch_bounds__(tile * lines)
    blur(const float *__restrict__ x, float *__restrict__ y, int height, int width)
{
    __shared__ float in[side][side + 1];
    __shared__ float sums[side][tile];
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    for (int i = ty * tile + tx; i < side * side; i += tile * lines) {
        const int row = min(max(firstRow - radius + i / side, 0), height - 1);
        const int col = min(max(firstCol - radius + i % side, 0), width - 1);
        in[i / side][i % side] = x[size_t(row) * width + col];
    }
    __syncthreads();
    for (int r = ty; r < side; r += lines) {
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j <= 2 * radius; ++j)
            sum += in[r][tx + j];
        sums[r][tx] = sum;
    }
    __syncthreads();
    for (int r = ty; r < tile; r += lines) {
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j <= 2 * radius; ++j)
            sum += sums[r + j][tx];
        if (firstRow + r < height && firstCol + tx < width)
            y[size_t(firstRow + r) * width + firstCol + tx] = sum * (1.0f / 81.0f);
    }
}

extern "C" void solve(const float *x, float *y, int height, int width, cudaStream_t stream)
{
    const dim3 blocks((width + tile - 1) / tile, (height + tile - 1) / tile);
    blur<<<blocks, dim3(tile, lines), 0, stream>>>(x, y, height, width);
}
