// SPDX-License-Identifier: Apache-2.0
// A thread computes one output: it reads two numbers from memory for each multiply-add.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void convolve(const float *x, const float *weight, float *y, int batch, int channels, int outputs,
                         int height, int width)
{
    const int pixel = blockIdx.x * kThreads + threadIdx.x, out = blockIdx.y, image = blockIdx.z;
    if (pixel >= height * width) return;
    const int row = pixel / width, col = pixel % width;
    float sum = 0.0f;
    for (int channel = 0; channel < channels; ++channel) {
        const float *plane = x + (size_t(image) * channels + channel) * height * width;
        const float *taps = weight + (size_t(out) * channels + channel) * 9;
        for (int tap = 0; tap < 9; ++tap) {
            const int r = row + tap / 3 - 1, c = col + tap % 3 - 1;
            if (r >= 0 && c >= 0 && r < height && c < width) sum += plane[r * width + c] * taps[tap];
        }
    }
    y[(size_t(image) * outputs + out) * height * width + pixel] = sum;
}

extern "C" void solve(const float *x, const float *weight, float *y, int batch, int channels, int outputs, int height,
                      int width, cudaStream_t stream)
{
    const dim3 blocks((height * width + kThreads - 1) / kThreads, outputs, batch);
    convolve<<<blocks, kThreads, 0, stream>>>(x, weight, y, batch, channels, outputs, height, width);
}
