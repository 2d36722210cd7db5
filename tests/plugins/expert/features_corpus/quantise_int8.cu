// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cuda_runtime.h>

__device__ inline int8_t saturate(float v)
{
    return static_cast<int8_t>(fminf(127.0f, fmaxf(-128.0f, rintf(v))));
}

__global__ void quantise(const float *x, int8_t *q, float inverse_scale, float zero, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    q[i] = saturate(x[i] * inverse_scale + zero);
}

extern "C" void solve(const float *x, int8_t *q, float scale, float zero, int n, cudaStream_t stream)
{
    quantise<<<(n + 255) / 256, 256, 0, stream>>>(x, q, 1.0f / scale, zero, n);
}
