// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void escape_times(int *out, int width, int height, float scale, int limit)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    const float cr = (px - width / 2) * scale, ci = (py - height / 2) * scale;
    float zr = 0.0f, zi = 0.0f;
    int steps = 0;
    while (zr * zr + zi * zi < 4.0f && steps < limit) {
        const float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        ++steps;
    }
    out[py * width + px] = steps;
}

extern "C" void solve(int *out, int width, int height, float scale, int limit, cudaStream_t stream)
{
    dim3 block(16, 16);
    escape_times<<<dim3((width + 15) / 16, (height + 15) / 16), block, 0, stream>>>(out, width, height, scale, limit);
}
