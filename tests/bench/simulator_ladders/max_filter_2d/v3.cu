// SPDX-License-Identifier: Apache-2.0
// A thread makes eight neighbouring results from 22 values in registers, by maxima of 2, 4, 8 and twice 8: 8 comparisons
// and 2.75 reads a result and direction. Larger tiles share more of their borders.
#include <cuda_runtime.h>

#include <math.h>

constexpr int tile = 64;
constexpr int radius = 7;
constexpr int wide = tile + 2 * radius; // 78
constexpr int threads = 256;
constexpr int run = 8;                  // results a thread makes at once
constexpr int reach = run + 2 * radius; // 22

// v[i] becomes the greatest of v[i] … v[i + 14].
__device__ void greatestOf15(float (&v)[reach])
{
#pragma unroll
    for (int i = 0; i < reach - 1; ++i)
        v[i] = fmaxf(v[i], v[i + 1]);
#pragma unroll
    for (int i = 0; i < reach - 3; ++i)
        v[i] = fmaxf(v[i], v[i + 2]);
#pragma unroll
    for (int i = 0; i < reach - 7; ++i)
        v[i] = fmaxf(v[i], v[i + 4]);
#pragma unroll
    for (int i = 0; i < run; ++i)
        v[i] = fmaxf(v[i], v[i + 7]);
}

__global__ void __launch_bounds__(threads)
    maxFilter(const float *__restrict__ x, float *__restrict__ y, int height, int width)
{
    __shared__ float pixels[wide][wide + 1]; // odd strides: neighbouring threads of the first pass have their own rows
    __shared__ float rowMost[wide][tile + 1];
    const int firstRow = blockIdx.y * tile - radius;
    const int firstCol = blockIdx.x * tile - radius;
    for (int i = threadIdx.x; i < wide * wide; i += threads) {
        const int r = firstRow + i / wide;
        const int c = firstCol + i % wide;
        pixels[i / wide][i % wide] =
            r >= 0 && r < height && c >= 0 && c < width ? x[size_t(r) * width + c] : -INFINITY;
    }
    __syncthreads();
    float v[reach];
    for (int i = threadIdx.x; i < wide * (tile / run); i += threads) {
        const int row = i % wide;
        const int col = i / wide * run;
#pragma unroll
        for (int j = 0; j < reach; ++j)
            v[j] = pixels[row][col + j];
        greatestOf15(v);
#pragma unroll
        for (int j = 0; j < run; ++j)
            rowMost[row][col + j] = v[j];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < tile * (tile / run); i += threads) {
        const int col = i % tile;
        const int row = i / tile * run;
#pragma unroll
        for (int j = 0; j < reach; ++j)
            v[j] = rowMost[row + j][col];
        greatestOf15(v);
        const int c = firstCol + radius + col;
#pragma unroll
        for (int j = 0; j < run; ++j) {
            const int r = firstRow + radius + row + j;
            if (r < height && c < width)
                y[size_t(r) * width + c] = v[j];
        }
    }
}

extern "C" void solve(const float *x, float *y, int height, int width, cudaStream_t stream)
{
    const dim3 blocks((width + tile - 1) / tile, (height + tile - 1) / tile);
    maxFilter<<<blocks, threads, 0, stream>>>(x, y, height, width);
}
