// SPDX-License-Identifier: Apache-2.0
// One thread makes one row of the output.
#include <cuda_runtime.h>

__global__ void upsample(const float *x, float *y, int planes, int height, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= planes * 2 * height)
        return;
    const float *plane = x + size_t(row / (2 * height)) * height * width;
    float v = fmaxf((row % (2 * height) + 0.5f) / 2.0f - 0.5f, 0.0f);
    int top = int(v);
    int bottom = min(top + 1, height - 1);
    v -= top;
    for (int c = 0; c < 2 * width; ++c) {
        float u = fmaxf((c + 0.5f) / 2.0f - 0.5f, 0.0f);
        int left = int(u);
        int right = min(left + 1, width - 1);
        u -= left;
        float above = (1.0f - u) * plane[top * width + left] + u * plane[top * width + right];
        float below = (1.0f - u) * plane[bottom * width + left] + u * plane[bottom * width + right];
        y[size_t(row) * 2 * width + c] = (1.0f - v) * above + v * below;
    }
}

extern "C" void solve(const float *x, float *y, int planes, int height, int width, cudaStream_t stream)
{
    const int threads = 128;
    upsample<<<(planes * 2 * height + threads - 1) / threads, threads, 0, stream>>>(x, y, planes, height, width);
}
