// SPDX-License-Identifier: Apache-2.0
// One thread computes one element of c and reads a row of a and a column of b from device memory.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void multiply(const __half *a, const __half *b, float *c, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0.0f;
    for (int l = 0; l < k; ++l)
        sum += __half2float(a[size_t(row) * k + l]) * __half2float(b[size_t(l) * n + col]);
    c[size_t(row) * n + col] = sum;
}

extern "C" void solve(const __half *a, const __half *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const dim3 threads(16, 16);
    const dim3 blocks((n + threads.x - 1) / threads.x, (m + threads.y - 1) / threads.y);
    multiply<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k);
}
