// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void pool(const float *x, float *y, int oh, int ow)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= ow) return;
    const float *top = x + (size_t)2 * r * (2 * ow) + 2 * c;
    const float *low = top + 2 * ow;
    y[r * ow + c] = 0.25f * (top[0] + top[1] + low[0] + low[1]);
}

extern "C" void solve(const float *x, float *y, int oh, int ow, cudaStream_t stream)
{
    pool<<<dim3((ow + 127) / 128, oh), 128, 0, stream>>>(x, y, oh, ow);
}
