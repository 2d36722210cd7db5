// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void upsample(const float *in, float *out, int h, int w)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 2 * w || y >= 2 * h) return;
    out[(blockIdx.z * 2 * h + y) * 2 * w + x] = in[(blockIdx.z * h + y / 2) * w + x / 2];
}

extern "C" void solve(const float *in, float *out, int planes, int h, int w, cudaStream_t stream)
{
    upsample<<<dim3((2 * w + 31) / 32, (2 * h + 7) / 8, planes), dim3(32, 8), 0, stream>>>(in, out, h, w);
}
