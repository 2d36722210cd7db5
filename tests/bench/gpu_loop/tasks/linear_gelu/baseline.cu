// SPDX-License-Identifier: Apache-2.0
// One thread computes one element, then another kernel applies GELU.
#include <cuda_runtime.h>

__global__ void linear(const float *a, const float *w, const float *bias, float *c, int m, int n, int k)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = bias[col];
    for (int p = 0; p < k; ++p)
        sum += a[size_t(row) * k + p] * w[size_t(col) * k + p];
    c[size_t(row) * n + col] = sum;
}

__global__ void gelu(float *c, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) c[i] = 0.5f * c[i] * (1.0f + erff(c[i] * 0.70710678f));
}

extern "C" void solve(const float *a, const float *w, const float *bias, float *c, int m, int n, int k,
                      cudaStream_t stream)
{
    dim3 threads(16, 16);
    dim3 blocks((m + 15) / 16, (n + 15) / 16);
    linear<<<blocks, threads, 0, stream>>>(a, w, bias, c, m, n, k);
    gelu<<<(m * n + 255) / 256, 256, 0, stream>>>(c, m * n);
}
