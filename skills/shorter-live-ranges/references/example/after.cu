// SPDX-License-Identifier: Apache-2.0
// A gated product: 128×64 of c a block of 128 threads, 8×8 a thread. Each gate is fetched where it is used and lives
// for one multiplication.
#include <cuda_runtime.h>

constexpr int kRows = 128, kCols = 64, kDepth = 8, kThreads = 128;

__global__ void gatedProduct(const float *a, const float *b, const float *gate, float *c, int m, int n, int k)
{
    __shared__ float aTile[kDepth][kRows + 4], bTile[kDepth][kCols];
    const int firstRow = blockIdx.y * kRows, firstCol = blockIdx.x * kCols;
    const int ty = threadIdx.x / 8, tx = threadIdx.x % 8;

    float sums[8][8] = {};
    for (int start = 0; start < k; start += kDepth) {
        for (int i = threadIdx.x; i < kRows * kDepth; i += kThreads) {
            const int row = firstRow + i / kDepth, p = start + i % kDepth;
            aTile[i % kDepth][i / kDepth] = row < m && p < k ? a[size_t(row) * k + p] : 0.0f;
        }
        for (int i = threadIdx.x; i < kDepth * kCols; i += kThreads) {
            const int p = start + i / kCols, col = firstCol + i % kCols;
            bTile[i / kCols][i % kCols] = p < k && col < n ? b[size_t(p) * n + col] : 0.0f;
        }
        __syncthreads();
        for (int p = 0; p < kDepth; ++p)
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sums[i][j] += aTile[p][ty + 16 * i] * bTile[p][tx + 8 * j];
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int row = firstRow + ty + 16 * i, col = firstCol + tx + 8 * j;
            if (row < m && col < n)
                c[size_t(row) * n + col] = gate[size_t(row) * n + col] * sums[i][j];
        }
}

extern "C" void solve(const float *a, const float *b, const float *gate, float *c, int m, int n, int k,
                      cudaStream_t stream)
{
    const dim3 blocks((n + kCols - 1) / kCols, (m + kRows - 1) / kRows);
    gatedProduct<<<blocks, kThreads, 0, stream>>>(a, b, gate, c, m, n, k);
}
