// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void clamp(const double *x, double *y, double low, double high, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmin(fmax(x[i], low), high);
}

extern "C" void solve(const double *x, double *y, int n, cudaStream_t stream)
{
    clamp<<<(n + 255) / 256, 256>>>(x, y, -1.0, 1.0, n);
}
