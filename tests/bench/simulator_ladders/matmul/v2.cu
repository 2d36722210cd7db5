// SPDX-License-Identifier: Apache-2.0
// Tiles of 32×32 in shared memory, one element of c a thread.
#include <cuda_runtime.h>

constexpr int tile = 32;

__global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float left[tile][tile], right[tile][tile];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int col = blockIdx.x * tile + tx;
    const int row = blockIdx.y * tile + ty;
    float sum = 0.0f;
    for (int start = 0; start < k; start += tile) {
        left[ty][tx] = row < m && start + tx < k ? a[size_t(row) * k + start + tx] : 0.0f;
        right[ty][tx] = start + ty < k && col < n ? b[size_t(start + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int p = 0; p < tile; ++p)
            sum += left[ty][p] * right[p][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[size_t(row) * n + col] = sum;
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const dim3 blocks((n + tile - 1) / tile, (m + tile - 1) / tile);
    matmul<<<blocks, dim3(tile, tile), 0, stream>>>(a, b, c, m, n, k);
}
