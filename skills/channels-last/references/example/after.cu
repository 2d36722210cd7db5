// SPDX-License-Identifier: Apache-2.0
// The map is turned once, channels last; then the lanes of a warp read neighbouring channels of one pixel.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

// The four neighbours of a point given in [0, 1]², as positions in a plane, and their weights.
struct Taps
{
    int position[4];
    float weight[4];

    __device__ Taps(const float *point, int height, int width)
    {
        const float col = fminf(fmaxf(point[0], 0.0f), 1.0f) * (width - 1);
        const float row = fminf(fmaxf(point[1], 0.0f), 1.0f) * (height - 1);
        const int left = min(static_cast<int>(col), width - 2), above = min(static_cast<int>(row), height - 2);
        const float right = col - left, below = row - above;
        for (int i = 0; i < 4; ++i) {
            position[i] = (above + i / 2) * width + left + i % 2;
            weight[i] = (i / 2 == 0 ? 1.0f - below : below) * (i % 2 == 0 ? 1.0f - right : right);
        }
    }
};

// x with the channels of a pixel side by side.
__global__ void toChannelsLast(const float *x, float *turned, int channels, int pixels)
{
    __shared__ float tile[32][33];
    const int firstPixel = blockIdx.x * 32, firstChannel = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8) {
        const int channel = firstChannel + r, pixel = firstPixel + threadIdx.x;
        if (channel < channels && pixel < pixels) tile[r][threadIdx.x] = x[size_t(channel) * pixels + pixel];
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) {
        const int channel = firstChannel + threadIdx.x, pixel = firstPixel + r;
        if (channel < channels && pixel < pixels) turned[size_t(pixel) * channels + channel] = tile[threadIdx.x][r];
    }
}

__global__ void sample(const float *turned, const float *points, float *y, int channels, int height, int width,
                       int count)
{
    const int i = blockIdx.x * kThreads + threadIdx.x;
    const int p = i / channels, channel = i % channels;
    if (p >= count) return;
    const Taps taps(points + 2 * p, height, width);
    float sum = 0.0f;
    for (int tap = 0; tap < 4; ++tap)
        sum += taps.weight[tap] * turned[size_t(taps.position[tap]) * channels + channel];
    y[i] = sum;
}

extern "C" void solve(const float *x, const float *points, float *y, int channels, int height, int width, int count,
                      cudaStream_t stream)
{
    static float *turned = nullptr;
    static size_t capacity = 0;
    if (capacity < size_t(channels) * height * width) {
        cudaFree(turned);
        capacity = size_t(channels) * height * width;
        cudaMalloc(&turned, capacity * sizeof(float));
    }
    const int pixels = height * width;
    toChannelsLast<<<dim3((pixels + 31) / 32, (channels + 31) / 32), dim3(32, 8), 0, stream>>>(x, turned, channels,
                                                                                               pixels);
    const int blocks = (count * channels + kThreads - 1) / kThreads;
    sample<<<blocks, kThreads, 0, stream>>>(turned, points, y, channels, height, width, count);
}
