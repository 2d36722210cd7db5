// SPDX-License-Identifier: Apache-2.0
// One thread computes one element of y; the filter is the fastest index, so a warp writes 32 planes at once.
#include <cuda_runtime.h>

__global__ void conv(const float *x, const float *weight, float *y, int batch, int channels, int filters, int height,
                     int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * filters * height * width)
        return;
    int f = i % filters;
    int c = i / filters % width;
    int r = i / filters / width % height;
    int n = i / filters / width / height;
    float sum = 0.0f;
    for (int k = 0; k < channels; ++k)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                int row = r + a - 1;
                int col = c + b - 1;
                if (row >= 0 && row < height && col >= 0 && col < width)
                    sum += x[((size_t(n) * channels + k) * height + row) * width + col] *
                           weight[((size_t(f) * channels + k) * 3 + a) * 3 + b];
            }
    y[((size_t(n) * filters + f) * height + r) * width + c] = sum;
}

extern "C" void solve(const float *x, const float *weight, float *y, int batch, int channels, int filters, int height,
                      int width, cudaStream_t stream)
{
    const int threads = 256;
    const int count = batch * filters * height * width;
    conv<<<(count + threads - 1) / threads, threads, 0, stream>>>(x, weight, y, batch, channels, filters, height,
                                                                  width);
}
