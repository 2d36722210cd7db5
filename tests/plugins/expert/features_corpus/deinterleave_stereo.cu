// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void deinterleave(const float *stereo, float *left, float *right, int frames)
{
    const float2 *pairs = (const float2 *)stereo;
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f < frames) {
        float2 s = pairs[f];
        left[f] = s.x;
        right[f] = s.y;
    }
}

extern "C" void solve(const float *stereo, float *left, float *right, int frames, cudaStream_t stream)
{
    deinterleave<<<(frames + 255) / 256, 256, 0, stream>>>(stereo, left, right, frames);
}
