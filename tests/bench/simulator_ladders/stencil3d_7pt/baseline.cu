// SPDX-License-Identifier: Apache-2.0
// One thread a point, blocks of 8×8×8.
#include <cuda_runtime.h>

__global__ void stencil(const float *x, float *y, int depth, int height, int width)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    int d = blockIdx.z * blockDim.z + threadIdx.z;
    if (c >= width || r >= height || d >= depth)
        return;
    size_t plane = size_t(height) * width;
    size_t i = d * plane + size_t(r) * width + c;
    float sum = 0.0f;
    if (c > 0)
        sum += x[i - 1];
    if (c < width - 1)
        sum += x[i + 1];
    if (r > 0)
        sum += x[i - width];
    if (r < height - 1)
        sum += x[i + width];
    if (d > 0)
        sum += x[i - plane];
    if (d < depth - 1)
        sum += x[i + plane];
    y[i] = 0.4f * x[i] + 0.1f * sum;
}

extern "C" void solve(const float *x, float *y, int depth, int height, int width, cudaStream_t stream)
{
    dim3 threads(8, 8, 8);
    dim3 blocks((width + 7) / 8, (height + 7) / 8, (depth + 7) / 8);
    stencil<<<blocks, threads, 0, stream>>>(x, y, depth, height, width);
}
