// SPDX-License-Identifier: Apache-2.0
// A block walks down a strip of 128 columns, eight rows a step: a thread keeps the last row maxima of its column in
// registers, so rows are read once, and the next eight are on their way while these are worked on.
#include <cuda_runtime.h>

#include <math.h>

constexpr int radius = 7;
constexpr int threads = 128;             // the columns of a strip, too
constexpr int high = 128;                // rows of y a block makes
constexpr int run = 8;                   // rows of a step, and results a thread makes at once
constexpr int reach = run + 2 * radius;  // 22
constexpr int wide = threads + 2 * radius;
constexpr int stride = 145;              // 4 runs of 8 rows each meet all banks
constexpr int loads = (run * wide + threads - 1) / threads;

// v[i] becomes the greatest of v[i] … v[i + 14].
__device__ void greatestOf15(float (&v)[reach])
{
#pragma unroll
    for (int i = 0; i < reach - 1; ++i)
        v[i] = fmaxf(v[i], v[i + 1]);
#pragma unroll
    for (int i = 0; i < reach - 3; ++i)
        v[i] = fmaxf(v[i], v[i + 2]);
#pragma unroll
    for (int i = 0; i < reach - 7; ++i)
        v[i] = fmaxf(v[i], v[i + 4]);
#pragma unroll
    for (int i = 0; i < run; ++i)
        v[i] = fmaxf(v[i], v[i + 7]);
}

__device__ void load(float (&next)[loads], const float *x, int firstRow, int firstCol, int height, int width)
{
#pragma unroll
    for (int i = 0; i < loads; ++i) {
        const int item = threadIdx.x + i * threads;
        const int r = firstRow + item / wide;
        const int c = firstCol + item % wide;
        const bool inside = item < run * wide && r >= 0 && r < height && c >= 0 && c < width;
        next[i] = inside ? x[size_t(r) * width + c] : -INFINITY;
    }
}

__global__ void __launch_bounds__(threads, 5)
    maxFilter(const float *__restrict__ x, float *__restrict__ y, int height, int width)
{
    __shared__ float pixels[run][stride];
    __shared__ float rowMost[run][threads + 1];
    const int firstCol = blockIdx.x * threads - radius;
    const int begin = blockIdx.y * high;
    const int end = min(begin + high, height);
    const int c = firstCol + radius + threadIdx.x;
    float window[reach]; // row maxima of this thread's column
    float next[loads];
#pragma unroll
    for (int i = 0; i < reach; ++i)
        window[i] = -INFINITY;
    load(next, x, begin - radius, firstCol, height, width);
    // At row r the window reaches from r - 7 to r + 14; the first steps only fill it.
    for (int r = begin - 2 * radius; r < end; r += run) {
#pragma unroll
        for (int i = 0; i < loads; ++i) {
            const int item = threadIdx.x + i * threads;
            if (item < run * wide)
                pixels[item / wide][item % wide] = next[i];
        }
        __syncthreads();
        load(next, x, r + radius + run, firstCol, height, width);
        float v[reach];
        const int row = threadIdx.x % run;
        const int col = threadIdx.x / run * run;
#pragma unroll
        for (int j = 0; j < reach; ++j)
            v[j] = pixels[row][col + j];
        greatestOf15(v);
#pragma unroll
        for (int j = 0; j < run; ++j)
            rowMost[row][col + j] = v[j];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 2 * radius; ++j)
            window[j] = window[j + run];
#pragma unroll
        for (int j = 0; j < run; ++j)
            window[2 * radius + j] = rowMost[j][threadIdx.x];
#pragma unroll
        for (int j = 0; j < reach; ++j)
            v[j] = window[j];
        greatestOf15(v);
#pragma unroll
        for (int j = 0; j < run; ++j)
            if (r + j >= begin && r + j < end && c < width)
                y[size_t(r + j) * width + c] = v[j];
    }
}

extern "C" void solve(const float *x, float *y, int height, int width, cudaStream_t stream)
{
    const dim3 blocks((width + threads - 1) / threads, (height + high - 1) / high);
    maxFilter<<<blocks, threads, 0, stream>>>(x, y, height, width);
}
