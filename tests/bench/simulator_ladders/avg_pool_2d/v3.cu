// SPDX-License-Identifier: Apache-2.0
// A thread walks down eight results of a column and keeps the sum of the row that two of them share: no shared memory.
#include <cuda_runtime.h>

constexpr int threads = 128;
constexpr int run = 8;

__global__ void __launch_bounds__(threads)
    averagePool(const float *__restrict__ x, float *__restrict__ y, int items, int strips, int height, int width)
{
    const int outHeight = (height + 1) / 2;
    const int outWidth = (width + 1) / 2;
    const int item = blockIdx.x * threads + threadIdx.x;
    if (item >= items)
        return;
    const int c = item % outWidth;
    const int strip = item / outWidth % strips;
    const int plane = item / outWidth / strips;
    const float *from = x + size_t(plane) * height * width + 2 * c;
    float *to = y + size_t(plane) * outHeight * outWidth + c;
    const bool left = c > 0;
    const bool right = 2 * c + 1 < width;
    const int countCols = 1 + left + right;
    const auto sumOf = [=](int row) {
        const float *at = from + row * width;
        return at[0] + (left ? at[-1] : 0.0f) + (right ? at[1] : 0.0f);
    };
    const int begin = strip * run;
    const int end = min(begin + run, outHeight);
    float above = begin > 0 ? sumOf(2 * begin - 1) : 0.0f;
#pragma unroll 4
    for (int r = begin; r < end; ++r) {
        const bool more = 2 * r + 1 < height;
        const float here = sumOf(2 * r);
        const float below = more ? sumOf(2 * r + 1) : 0.0f;
        to[r * outWidth] = __fdividef(above + here + below, float((1 + (r > 0) + more) * countCols));
        above = below;
    }
}

extern "C" void solve(const float *x, float *y, int batch, int channels, int height, int width, cudaStream_t stream)
{
    const int strips = ((height + 1) / 2 + run - 1) / run;
    const int items = batch * channels * strips * ((width + 1) / 2);
    averagePool<<<(items + threads - 1) / threads, threads, 0, stream>>>(x, y, items, strips, height, width);
}
