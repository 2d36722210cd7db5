// SPDX-License-Identifier: Apache-2.0
// 100000 dependent steps, four cycles each on an H200.
#include <cuda_runtime.h>

__global__ void waitAndCopy(const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float value = x[i];
    float chain = fminf(fmaxf(value, -1.f), 1.f);
#pragma unroll 16
    for (int step = 0; step < 100000; ++step) chain = fmaf(chain, 0.5f, 1.f); // goes to 2 and stays there
    y[i] = value + (chain - 2.f);
}

extern "C" void solve(const float *x, float *y, int n, cudaStream_t stream)
{
    waitAndCopy<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
}
