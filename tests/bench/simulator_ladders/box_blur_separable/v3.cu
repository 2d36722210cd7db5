// SPDX-License-Identifier: Apache-2.0
// A block walks down 64 rows: a thread keeps the last nine sums along rows of its column in registers and their sum.
#include <cuda_runtime.h>

constexpr int radius = 4;
constexpr int taps = 2 * radius + 1;
constexpr int threads = 128;
constexpr int strip = 64; // rows a block: with the margins eight times nine

__device__ float at(const float *x, int row, int col, int height, int width)
{
    return x[size_t(min(max(row, 0), height - 1)) * width + min(max(col, 0), width - 1)];
}

__global__ void __launch_bounds__(threads)
    blur(const float *__restrict__ x, float *__restrict__ y, int height, int width)
{
    __shared__ float line[2][threads + 2 * radius]; // two, so that one barrier a row is enough
    const int t = threadIdx.x;
    const int firstRow = blockIdx.y * strip;
    const int firstCol = blockIdx.x * threads;
    const int col = firstCol + t;
    const int lines = min(strip, height - firstRow) + 2 * radius;
    float last[taps] = {};
    float total = 0.0f;
    int buffer = 0;
    for (int first = 0; first < lines; first += taps)
#pragma unroll
        for (int j = 0; j < taps; ++j, buffer ^= 1) { // a few rows too many at the end
            const int row = firstRow - radius + first + j;
            line[buffer][t] = at(x, row, firstCol - radius + t, height, width);
            if (t < 2 * radius)
                line[buffer][threads + t] = at(x, row, firstCol - radius + threads + t, height, width);
            __syncthreads();
            float sum = 0.0f;
#pragma unroll
            for (int k = 0; k < taps; ++k)
                sum += line[buffer][t + k];
            total += sum - last[j];
            last[j] = sum;
            if (first + j >= 2 * radius && first + j < lines && col < width)
                y[size_t(row - radius) * width + col] = total * (1.0f / 81.0f);
        }
}

extern "C" void solve(const float *x, float *y, int height, int width, cudaStream_t stream)
{
    const dim3 blocks((width + threads - 1) / threads, (height + strip - 1) / strip);
    blur<<<blocks, threads, 0, stream>>>(x, y, height, width);
}
