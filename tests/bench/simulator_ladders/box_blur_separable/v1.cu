// SPDX-License-Identifier: Apache-2.0
// Two kernels, along rows and then along columns: nine reads an element each, by way of device memory.
#include <cuda_runtime.h>

constexpr int radius = 4;
constexpr int threads = 256;
constexpr int most = 1 << 24; // elements of the sums along rows; larger images are done part by part
constexpr int mostCols = 1 << 20;

__device__ float sums[most];

// Rows from `row` on (beyond the image its first or last), columns from `col` on.
__global__ void alongRows(const float *x, int height, int width, int row, int col, int rows, int cols)
{
    const int i = blockIdx.x * threads + threadIdx.x;
    if (i >= rows * cols)
        return;
    const float *in = x + size_t(min(max(row + i / cols, 0), height - 1)) * width;
    const int c = col + i % cols;
    float sum = 0.0f;
#pragma unroll
    for (int j = -radius; j <= radius; ++j)
        sum += in[min(max(c + j, 0), width - 1)];
    sums[i] = sum;
}

__global__ void alongCols(float *y, int width, int row, int col, int rows, int cols)
{
    const int i = blockIdx.x * threads + threadIdx.x;
    if (i >= rows * cols)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j <= 2 * radius; ++j)
        sum += sums[i + j * cols];
    y[size_t(row + i / cols) * width + col + i % cols] = sum * (1.0f / 81.0f);
}

extern "C" void solve(const float *x, float *y, int height, int width, cudaStream_t stream)
{
    const int wide = min(width, mostCols);
    const int high = min(height, most / wide - 2 * radius);
    for (int row = 0; row < height; row += high)
        for (int col = 0; col < width; col += wide) {
            const int rows = min(high, height - row);
            const int cols = min(wide, width - col);
            const int first = (rows + 2 * radius) * cols;
            alongRows<<<(first + threads - 1) / threads, threads, 0, stream>>>(x, height, width, row - radius, col,
                                                                               rows + 2 * radius, cols);
            alongCols<<<(rows * cols + threads - 1) / threads, threads, 0, stream>>>(y, width, row, col, rows, cols);
        }
}
