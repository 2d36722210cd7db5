// SPDX-License-Identifier: Apache-2.0
// A tiled product on the float32 units: 32×32 of c a block, one element a thread.
#include <cuda_runtime.h>

constexpr int kTile = 32;

__global__ void product(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float aTile[kTile][kTile], bTile[kTile][kTile];
    const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += kTile) {
        const int left = start + threadIdx.x, top = start + threadIdx.y;
        aTile[threadIdx.y][threadIdx.x] = row < m && left < k ? a[size_t(row) * k + left] : 0.0f;
        bTile[threadIdx.y][threadIdx.x] = top < k && col < n ? b[size_t(top) * n + col] : 0.0f;
        __syncthreads();
        for (int p = 0; p < kTile; ++p)
            sum += aTile[threadIdx.y][p] * bTile[p][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[size_t(row) * n + col] = sum;
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const dim3 threads(kTile, kTile), blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    product<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k);
}
