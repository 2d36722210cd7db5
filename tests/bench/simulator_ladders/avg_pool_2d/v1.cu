// SPDX-License-Identifier: Apache-2.0
// A grid of 32×8 tiles with a plane in z instead of the divisions; pixels outside are read as 0 without branches.
#include <cuda_runtime.h>

constexpr int mostPlanes = 65535; // at a time

__global__ void averagePool(const float *__restrict__ x, float *__restrict__ y, int planes, int height, int width)
{
    const int outHeight = (height + 1) / 2;
    const int outWidth = (width + 1) / 2;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= outWidth || r >= outHeight)
        return;
    const int countRows = 1 + (r > 0) + (2 * r + 1 < height);
    const int countCols = 1 + (c > 0) + (2 * c + 1 < width);
    for (int plane = blockIdx.z; plane < planes; plane += gridDim.z) {
        const float *from = x + size_t(plane) * height * width;
        float sum = 0.0f;
#pragma unroll
        for (int i = -1; i <= 1; ++i)
#pragma unroll
            for (int j = -1; j <= 1; ++j) {
                const int row = 2 * r + i;
                const int col = 2 * c + j;
                sum += row >= 0 && row < height && col >= 0 && col < width ? from[row * width + col] : 0.0f;
            }
        y[(size_t(plane) * outHeight + r) * outWidth + c] = sum / float(countRows * countCols);
    }
}

extern "C" void solve(const float *x, float *y, int batch, int channels, int height, int width, cudaStream_t stream)
{
    const int planes = batch * channels;
    const dim3 threads(32, 8);
    const dim3 blocks(((width + 1) / 2 + 31) / 32, ((height + 1) / 2 + 7) / 8, planes < mostPlanes ? planes : mostPlanes);
    averagePool<<<blocks, threads, 0, stream>>>(x, y, planes, height, width);
}
