// SPDX-License-Identifier: Apache-2.0
// |x|² + |y|² - 2 · x · y: one multiply-add a pair and dimension instead of two instructions, and the squares of 128
// points a block.
#include <cuda_runtime.h>

constexpr int tile = 64;
constexpr int depth = 16;
constexpr int each = 4;
constexpr int threads = 256;

// 16 dimensions of 64 points, dimension by dimension; zeros outside.
__device__ void load(float (&to)[depth][tile + 1], const float *from, int point, int first, int points, int dims)
{
    for (int i = threadIdx.x; i < tile * depth; i += threads) {
        const int p = point + i / depth;
        const int l = first + i % depth;
        to[i % depth][i / depth] = p < points && l < dims ? from[size_t(p) * dims + l] : 0.0f;
    }
}

__global__ void __launch_bounds__(threads)
    distances(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ d, int n, int m, int dims)
{
    __shared__ float left[depth][tile + 1];
    __shared__ float right[depth][tile + 1];
    __shared__ float squares[2][tile]; // of the rows' points and of the columns'
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    const int own = threadIdx.x % tile; // the point whose square this thread adds up, if it is one of the first 128
    float square = 0.0f;
    float sums[each][each] = {};
    for (int first = 0; first < dims; first += depth) {
        load(left, x, firstRow, first, n, dims);
        load(right, y, firstCol, first, m, dims);
        __syncthreads();
#pragma unroll
        for (int l = 0; l < depth; ++l) {
            float u[each], v[each];
#pragma unroll
            for (int i = 0; i < each; ++i) {
                u[i] = left[l][ty + 16 * i];
                v[i] = right[l][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < each; ++i)
#pragma unroll
                for (int j = 0; j < each; ++j)
                    sums[i][j] += u[i] * v[j];
        }
        if (threadIdx.x < 2 * tile)
            for (int l = 0; l < depth; ++l) {
                const float value = threadIdx.x < tile ? left[l][own] : right[l][own];
                square += value * value;
            }
        __syncthreads();
    }
    if (threadIdx.x < 2 * tile)
        squares[threadIdx.x / tile][own] = square;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
        for (int j = 0; j < each; ++j) {
            const int row = firstRow + ty + 16 * i;
            const int col = firstCol + tx + 16 * j;
            if (row < n && col < m)
                d[size_t(row) * m + col] =
                    fmaxf(squares[0][ty + 16 * i] + squares[1][tx + 16 * j] - 2.0f * sums[i][j], 0.0f);
        }
}

extern "C" void solve(const float *x, const float *y, float *d, int n, int m, int dims, cudaStream_t stream)
{
    distances<<<dim3((m + tile - 1) / tile, (n + tile - 1) / tile), threads, 0, stream>>>(x, y, d, n, m, dims);
}
