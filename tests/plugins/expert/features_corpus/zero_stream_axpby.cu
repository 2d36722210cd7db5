// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void axpby(float a, const float *x, float b, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x;
    while (i < n) {
        y[i] = a * x[i] + b * y[i];
        i += stride;
    }
}

extern "C" void solve(float a, const float *x, float b, float *y, int n, cudaStream_t)
{
    axpby<<<256, 256, 0, 0>>>(a, x, b, y, n);
}
