// SPDX-License-Identifier: Apache-2.0
// One thread computes one element of c.
#include <cuda_runtime.h>

__global__ void product(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    for (int p = 0; p < k; ++p)
        sum += a[size_t(p) * m + row] * b[size_t(p) * n + col];
    c[size_t(row) * n + col] = sum;
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    dim3 threads(16, 16);
    dim3 blocks((m + 15) / 16, (n + 15) / 16);
    product<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k);
}
