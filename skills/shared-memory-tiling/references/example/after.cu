// SPDX-License-Identifier: Apache-2.0
// A block fetches each operand once for all of its threads, a tile at a time.
#include <cuda_runtime.h>

constexpr int kTile = 32;

__global__ void matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n,
                       int k)
{
    __shared__ float a_tile[kTile][kTile], b_tile[kTile][kTile];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int col = blockIdx.x * kTile + tx;
    const int row = blockIdx.y * kTile + ty;
    float sum = 0.0f;
    for (int start = 0; start < k; start += kTile) {
        a_tile[ty][tx] = row < m && start + tx < k ? a[size_t(row) * k + start + tx] : 0.0f;
        b_tile[ty][tx] = start + ty < k && col < n ? b[size_t(start + ty) * n + col] : 0.0f;
        __syncthreads(); // the tiles are complete
#pragma unroll
        for (int p = 0; p < kTile; ++p)
            sum += a_tile[ty][p] * b_tile[p][tx];
        __syncthreads(); // nobody needs the tiles any more
    }
    if (row < m && col < n) c[size_t(row) * n + col] = sum;
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const dim3 threads(kTile, kTile);
    const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    matmul<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k);
}
