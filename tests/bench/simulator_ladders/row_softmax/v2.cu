// SPDX-License-Identifier: Apache-2.0
// Online softmax: maximum and sum in one pass, joined by warp shuffles; two passes over the row.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;

// Joins the pair (maximum, sum of exponentials relative to it) of another part of the row.
__device__ void join(float &largest, float &sum, float otherLargest, float otherSum)
{
    const float joined = fmaxf(largest, otherLargest);
    sum = sum * __expf(largest - joined) + otherSum * __expf(otherLargest - joined);
    largest = joined;
}

__global__ void rowSoftmax(const float *x, float *y, int cols)
{
    __shared__ float warpLargest[warps], warpSum[warps];
    const int t = threadIdx.x;
    const float *in = x + size_t(blockIdx.x) * cols;
    float *out = y + size_t(blockIdx.x) * cols;

    float largest = in[0];
    float sum = 0.0f;
    for (int c = t; c < cols; c += threads) {
        const float v = in[c];
        const float joined = fmaxf(largest, v);
        sum = sum * __expf(largest - joined) + __expf(v - joined);
        largest = joined;
    }
    for (int step = 16; step > 0; step /= 2)
        join(largest, sum, __shfl_xor_sync(~0u, largest, step), __shfl_xor_sync(~0u, sum, step));
    if (t % 32 == 0) {
        warpLargest[t / 32] = largest;
        warpSum[t / 32] = sum;
    }
    __syncthreads();
    largest = warpLargest[0];
    sum = warpSum[0];
    for (int w = 1; w < warps; ++w)
        join(largest, sum, warpLargest[w], warpSum[w]);

    const float scale = 1.0f / sum;
    for (int c = t; c < cols; c += threads)
        out[c] = __expf(in[c] - largest) * scale;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    rowSoftmax<<<rows, threads, 0, stream>>>(x, y, cols);
}
