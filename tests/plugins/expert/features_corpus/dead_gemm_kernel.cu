// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

// Kept from an experiment; nothing launches it.
__global__ void old_product(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float acc = 0.0f;
    for (int k = 0; k < n; ++k)
        acc += a[row * n + k] * b[k * n + col];
    c[row * n + col] = expf(acc);
}

__global__ void halve(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.5f * x[i];
}

extern "C" void solve(const float *x, float *y, int n, cudaStream_t stream)
{
    halve<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}
