// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void exponent(const float *x, float *t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] = __expf(x[i]);
}

__global__ void ratio(const float *t, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = t[i] / (1.0f + t[i]);
}

extern "C" void solve(const float *x, float *y, int n, cudaStream_t stream)
{
    float *t;
    cudaMallocAsync((void **)&t, n * sizeof(float), stream);
    exponent<<<(n + 255) / 256, 256, 0, stream>>>(x, t, n);
    ratio<<<(n + 255) / 256, 256, 0, stream>>>(t, y, n);
    cudaFreeAsync(t, stream);
}
