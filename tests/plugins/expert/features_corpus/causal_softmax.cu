// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void causal(float *scores, int n, float scale)
{
    const int i = blockIdx.x;
    float *row = scores + (blockIdx.y * n + i) * n;
    float m = -1e30f;
    for (int j = threadIdx.x; j <= i; j += 32)
        m = fmaxf(m, row[j] * scale);
    for (int d = 16; d > 0; d >>= 1)
        m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
    float l = 0.0f;
    for (int j = threadIdx.x; j <= i; j += 32) {
        const float e = exp2f((row[j] * scale - m) * 1.44269504f);
        row[j] = e;
        l += e;
    }
    for (int d = 16; d > 0; d >>= 1)
        l += __shfl_xor_sync(0xffffffffu, l, d);
    for (int j = threadIdx.x; j < n; j += 32)
        row[j] = j <= i ? row[j] / l : 0.0f;
}

extern "C" void solve(float *scores, int heads, int n, float scale, cudaStream_t stream)
{
    causal<<<dim3(n, heads), 32, 0, stream>>>(scores, n, scale);
}
