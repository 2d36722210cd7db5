// SPDX-License-Identifier: Apache-2.0
// A block a row, in one pass: every thread keeps count, mean and squared differences, and these triples are merged.
#include <cuda_runtime.h>

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;

// Of the elements seen: how many, their mean, and the sum of the squares of their differences from it.
struct Moments
{
    float count, mean, squares;
};

// Those of both sets together. An empty set must not divide by zero.
__device__ Moments merged(const Moments &a, const Moments &b)
{
    Moments both;
    both.count = a.count + b.count;
    const float difference = b.mean - a.mean;
    const float shareOfB = both.count > 0.0f ? __fdividef(b.count, both.count) : 0.0f;
    both.mean = a.mean + difference * shareOfB;
    both.squares = a.squares + b.squares + difference * difference * a.count * shareOfB;
    return both;
}

__device__ Moments ofFour(float a, float b, float c, float d)
{
    const float mean = 0.25f * ((a + b) + (c + d));
    a -= mean, b -= mean, c -= mean, d -= mean;
    return {4.0f, mean, a * a + b * b + c * c + d * d};
}

__device__ Moments blockMoments(Moments own)
{
    __shared__ Moments scratch[kWarps];
    for (int offset = 16; offset > 0; offset /= 2) {
        Moments other;
        other.count = __shfl_down_sync(0xffffffffu, own.count, offset);
        other.mean = __shfl_down_sync(0xffffffffu, own.mean, offset);
        other.squares = __shfl_down_sync(0xffffffffu, own.squares, offset);
        own = merged(own, other);
    }
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = own;
    __syncthreads();
    own = scratch[0];
    for (int warp = 1; warp < kWarps; ++warp)
        own = merged(own, scratch[warp]);
    return own;
}

__global__ void statistics(const float *x, float *mean, float *variance, int cols)
{
    const float *row = x + size_t(blockIdx.x) * cols;
    Moments own{0.0f, 0.0f, 0.0f};
    int col = threadIdx.x;
    for (; col + 3 * kThreads < cols; col += 4 * kThreads)
        own = merged(own, ofFour(row[col], row[col + kThreads], row[col + 2 * kThreads], row[col + 3 * kThreads]));
    for (; col < cols; col += kThreads)
        own = merged(own, Moments{1.0f, row[col], 0.0f});
    own = blockMoments(own);
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = own.mean;
        variance[blockIdx.x] = own.squares / cols;
    }
}

extern "C" void solve(const float *x, float *mean, float *variance, int rows, int cols, cudaStream_t stream)
{
    statistics<<<rows, kThreads, 0, stream>>>(x, mean, variance, cols);
}
