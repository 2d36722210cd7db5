// SPDX-License-Identifier: Apache-2.0
// 4 × 4 elements a thread, and two halves a read everywhere: 8 reads of shared memory for 32 multiply-adds.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int tile = 64; // rows and columns of a block
constexpr int depth = 32;
constexpr int threads = 256;

// Elements (row, col) and (row, col + 1) of a rows × cols matrix, col even, zeros outside of it.
__device__ __half2 pair(const __half *from, int row, int col, int rows, int cols)
{
    const __half zero = __float2half(0.0f);
    if (row >= rows || col >= cols)
        return __halves2half2(zero, zero);
    const __half *at = from + size_t(row) * cols + col;
    if (cols % 2 == 0)
        return *reinterpret_cast<const __half2 *>(at);
    return __halves2half2(at[0], col + 1 < cols ? at[1] : zero);
}

__global__ void __launch_bounds__(threads)
    multiply(const __half *a, const __half *b, float *c, int m, int n, int k)
{
    __shared__ __half2 aPart[tile][depth / 2 + 1]; // the pad keeps rows of different threads in different banks
    __shared__ __half2 bPart[depth][tile / 2];
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    const int tx = threadIdx.x % 16; // columns 2·tx, 2·tx + 1 and those 32 further on
    const int ty = threadIdx.x / 16; // rows ty, ty + 16, ty + 32, ty + 48
    float sum[4][4] = {};
    for (int first = 0; first < k; first += depth) {
        for (int i = threadIdx.x; i < tile * depth / 2; i += threads) {
            const int r = i / (depth / 2), l = i % (depth / 2);
            aPart[r][l] = pair(a, firstRow + r, first + 2 * l, m, k);
        }
        for (int i = threadIdx.x; i < depth * tile / 2; i += threads) {
            const int l = i / (tile / 2), col = i % (tile / 2);
            bPart[l][col] = pair(b, first + l, firstCol + 2 * col, k, n);
        }
        __syncthreads();
#pragma unroll 4
        for (int l = 0; l < depth; l += 2) {
            float2 left[4], low[2], high[2];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                left[i] = __half22float2(aPart[ty + 16 * i][l / 2]);
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                low[j] = __half22float2(bPart[l][tx + 16 * j]);
                high[j] = __half22float2(bPart[l + 1][tx + 16 * j]);
            }
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) {
                    sum[i][2 * j] += left[i].x * low[j].x + left[i].y * high[j].x;
                    sum[i][2 * j + 1] += left[i].x * low[j].y + left[i].y * high[j].y;
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int row = firstRow + ty + 16 * i;
            const int col = firstCol + 2 * tx + 32 * (j / 2) + j % 2;
            if (row < m && col < n)
                c[size_t(row) * n + col] = sum[i][j];
        }
}

extern "C" void solve(const __half *a, const __half *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    multiply<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), threads, 0, stream>>>(a, b, c, m, n, k);
}
