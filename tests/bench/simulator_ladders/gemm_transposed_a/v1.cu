// SPDX-License-Identifier: Apache-2.0
// Tiles of 32 × 32 by way of shared memory, still one element of c a thread.
#include <cuda_runtime.h>

constexpr int tile = 32;

__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float left[tile][tile];
    __shared__ float right[tile][tile];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    float sum = 0.0f;
    for (int first = 0; first < k; first += tile) {
        const int l = first + ty;
        left[ty][tx] = l < k && firstRow + tx < m ? a[size_t(l) * m + firstRow + tx] : 0.0f;
        right[ty][tx] = l < k && firstCol + tx < n ? b[size_t(l) * n + firstCol + tx] : 0.0f;
        __syncthreads();
        for (int i = 0; i < tile; ++i)
            sum += left[i][ty] * right[i][tx];
        __syncthreads();
    }
    if (firstRow + ty < m && firstCol + tx < n)
        c[size_t(firstRow + ty) * n + firstCol + tx] = sum;
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    multiply<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), dim3(tile, tile), 0, stream>>>(a, b, c, m, n, k);
}
