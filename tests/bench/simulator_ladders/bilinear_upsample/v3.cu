// SPDX-License-Identifier: Apache-2.0
// No shared memory: a thread makes the four pixels around one of the input from its nine neighbours in registers, with
// 8 bytes a store.
#include <cuda_runtime.h>

__global__ void upsample(const float *__restrict__ x, float *__restrict__ y, int planes, int height, int width)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= height || c >= width)
        return;
    const int left = max(c - 1, 0);
    const int right = min(c + 1, width - 1);
    for (int p = blockIdx.z; p < planes; p += gridDim.z) {
        const float *plane = x + size_t(p) * height * width;
        float2 row[3]; // interpolated across
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const float *in = plane + min(max(r + i - 1, 0), height - 1) * width;
            row[i].x = 0.25f * in[left] + 0.75f * in[c];
            row[i].y = 0.75f * in[c] + 0.25f * in[right];
        }
        float2 *out = reinterpret_cast<float2 *>(y) + (size_t(p) * 2 * height + 2 * r) * width + c;
        out[0] = make_float2(0.25f * row[0].x + 0.75f * row[1].x, 0.25f * row[0].y + 0.75f * row[1].y);
        out[width] = make_float2(0.75f * row[1].x + 0.25f * row[2].x, 0.75f * row[1].y + 0.25f * row[2].y);
    }
}

extern "C" void solve(const float *x, float *y, int planes, int height, int width, cudaStream_t stream)
{
    const dim3 threads(32, 8);
    const dim3 blocks((width + 31) / 32, (height + 7) / 8, min(planes, 65535));
    upsample<<<blocks, threads, 0, stream>>>(x, y, planes, height, width);
}
