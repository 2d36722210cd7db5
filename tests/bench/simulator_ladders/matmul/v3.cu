// SPDX-License-Identifier: Apache-2.0
// Tiles of 64×64 in shared memory, 4×4 elements of c in the registers of each of 256 threads.
#include <cuda_runtime.h>

constexpr int tile = 64;
constexpr int depth = 16;
constexpr int side = 4; // elements of c a thread in each direction

__global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float left[depth][tile + 4], right[depth][tile];
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    float sum[side][side] = {};
    for (int start = 0; start < k; start += depth) {
        for (int i = threadIdx.x; i < tile * depth; i += 256) {
            const int row = firstRow + i / depth;
            const int p = start + i % depth;
            left[i % depth][i / depth] = row < m && p < k ? a[size_t(row) * k + p] : 0.0f;
        }
        for (int i = threadIdx.x; i < tile * depth; i += 256) {
            const int p = start + i / tile;
            const int col = firstCol + i % tile;
            right[i / tile][i % tile] = p < k && col < n ? b[size_t(p) * n + col] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < depth; ++p) {
            float l[side], r[side];
#pragma unroll
            for (int i = 0; i < side; ++i) {
                l[i] = left[p][ty * side + i];
                r[i] = right[p][tx * side + i];
            }
#pragma unroll
            for (int i = 0; i < side; ++i)
#pragma unroll
                for (int j = 0; j < side; ++j)
                    sum[i][j] += l[i] * r[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
            const int row = firstRow + ty * side + i;
            const int col = firstCol + tx * side + j;
            if (row < m && col < n)
                c[size_t(row) * n + col] = sum[i][j];
        }
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const dim3 blocks((n + tile - 1) / tile, (m + tile - 1) / tile);
    matmul<<<blocks, 256, 0, stream>>>(a, b, c, m, n, k);
}
