// SPDX-License-Identifier: Apache-2.0
// A padded tile of each channel in shared memory: no bounds checks in the inner loop.
#include <cuda_runtime.h>

constexpr int tileWidth = 32;
constexpr int tileHeight = 8;

__global__ void conv(const float *x, const float *weight, float *y, int channels, int filters, int height, int width)
{
    __shared__ float part[tileHeight + 2][tileWidth + 2];
    const int f = blockIdx.z % filters;
    const int n = blockIdx.z / filters;
    const int firstCol = blockIdx.x * tileWidth - 1;
    const int firstRow = blockIdx.y * tileHeight - 1;
    const int t = threadIdx.y * tileWidth + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < channels; ++k) {
        const float *plane = x + (size_t(n) * channels + k) * height * width;
        for (int i = t; i < (tileHeight + 2) * (tileWidth + 2); i += tileWidth * tileHeight) {
            const int r = firstRow + i / (tileWidth + 2);
            const int c = firstCol + i % (tileWidth + 2);
            part[i / (tileWidth + 2)][i % (tileWidth + 2)] =
                r >= 0 && r < height && c >= 0 && c < width ? plane[size_t(r) * width + c] : 0.0f;
        }
        __syncthreads();
        const float *w = weight + (size_t(f) * channels + k) * 9;
#pragma unroll
        for (int a = 0; a < 3; ++a)
#pragma unroll
            for (int b = 0; b < 3; ++b)
                sum += part[threadIdx.y + a][threadIdx.x + b] * w[a * 3 + b];
        __syncthreads();
    }
    const int row = firstRow + 1 + threadIdx.y;
    const int col = firstCol + 1 + threadIdx.x;
    if (row < height && col < width)
        y[((size_t(n) * filters + f) * height + row) * width + col] = sum;
}

extern "C" void solve(const float *x, const float *weight, float *y, int batch, int channels, int filters, int height,
                      int width, cudaStream_t stream)
{
    const dim3 blocks((width + tileWidth - 1) / tileWidth, (height + tileHeight - 1) / tileHeight, batch * filters);
    conv<<<blocks, dim3(tileWidth, tileHeight), 0, stream>>>(x, weight, y, channels, filters, height, width);
}
