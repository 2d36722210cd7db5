// SPDX-License-Identifier: Apache-2.0
// Tiles of 32 × 32 in shared memory: every element is read from device memory once for 32 uses.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int tile = 32;

__global__ void multiply(const __half *a, const __half *b, float *c, int m, int n, int k)
{
    __shared__ __half aPart[tile][tile];
    __shared__ __half bPart[tile][tile];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = blockIdx.y * tile + y;
    const int col = blockIdx.x * tile + x;
    float sum = 0.0f;
    for (int first = 0; first < k; first += tile) {
        aPart[y][x] = row < m && first + x < k ? a[size_t(row) * k + first + x] : __float2half(0.0f);
        bPart[y][x] = col < n && first + y < k ? b[size_t(first + y) * n + col] : __float2half(0.0f);
        __syncthreads();
#pragma unroll
        for (int l = 0; l < tile; ++l)
            sum += __half2float(aPart[y][l]) * __half2float(bPart[l][x]);
        __syncthreads();
    }
    if (row < m && col < n)
        c[size_t(row) * n + col] = sum;
}

extern "C" void solve(const __half *a, const __half *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    multiply<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), dim3(tile, tile), 0, stream>>>(a, b, c, m, n, k);
}
