// SPDX-License-Identifier: Apache-2.0
// 64 × 64 elements of c a block, 4 × 4 a thread: half a read of shared memory a product.
#include <cuda_runtime.h>

constexpr int tile = 64;
constexpr int depth = 16;
constexpr int each = 4;
constexpr int threads = 256;

// 16 rows and 64 columns of a rows × cols matrix, zeros outside of it.
__device__ void load(float (&to)[depth][tile], const float *from, int row, int col, int rows, int cols)
{
#pragma unroll
    for (int i = threadIdx.x; i < tile * depth; i += threads) {
        const int r = row + i / tile;
        const int c = col + i % tile;
        to[i / tile][i % tile] = r < rows && c < cols ? from[size_t(r) * cols + c] : 0.0f;
    }
}

__global__ void __launch_bounds__(threads)
    multiply(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k)
{
    __shared__ float left[depth][tile];
    __shared__ float right[depth][tile];
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    float sums[each][each] = {};
    for (int first = 0; first < k; first += depth) {
        load(left, a, first, firstRow, k, m);
        load(right, b, first, firstCol, k, n);
        __syncthreads();
#pragma unroll
        for (int l = 0; l < depth; ++l) {
            float x[each], y[each];
#pragma unroll
            for (int i = 0; i < each; ++i) {
                x[i] = left[l][ty + 16 * i];
                y[i] = right[l][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < each; ++i)
#pragma unroll
                for (int j = 0; j < each; ++j)
                    sums[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
        for (int j = 0; j < each; ++j) {
            const int row = firstRow + ty + 16 * i;
            const int col = firstCol + tx + 16 * j;
            if (row < m && col < n)
                c[size_t(row) * n + col] = sums[i][j];
        }
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    multiply<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), threads, 0, stream>>>(a, b, c, m, n, k);
}
