// SPDX-License-Identifier: Apache-2.0
// The lanes of a warp read the same pixel of neighbouring channels, which lie a plane apart.
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

__global__ void sample(const float *x, const float *points, float *y, int channels, int height, int width, int count)
{
    const int i = blockIdx.x * kThreads + threadIdx.x;
    const int p = i / channels, channel = i % channels;
    if (p >= count) return;
    const Taps taps(points + 2 * p, height, width);
    float sum = 0.0f;
    for (int tap = 0; tap < 4; ++tap)
        sum += taps.weight[tap] * x[size_t(channel) * height * width + taps.position[tap]];
    y[i] = sum;
}

extern "C" void solve(const float *x, const float *points, float *y, int channels, int height, int width, int count,
                      cudaStream_t stream)
{
    const int blocks = (count * channels + kThreads - 1) / kThreads;
    sample<<<blocks, kThreads, 0, stream>>>(x, points, y, channels, height, width, count);
}
