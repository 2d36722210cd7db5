// SPDX-License-Identifier: Apache-2.0
// Mean and variance in one pass (sums relative to the row's first element, so that a large mean does not cancel),
// joined by warp shuffles.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;

__global__ void layerNorm(const float *x, const float *weight, const float *bias, float *y, int cols)
{
    __shared__ float partialSum[warps], partialSquares[warps];
    const float *in = x + size_t(blockIdx.x) * cols;
    float *out = y + size_t(blockIdx.x) * cols;
    const float shift = in[0];

    float sum = 0.0f;
    float squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += threads) {
        const float d = in[c] - shift;
        sum += d;
        squares += d * d;
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(~0u, sum, step);
        squares += __shfl_xor_sync(~0u, squares, step);
    }
    if (threadIdx.x % 32 == 0) {
        partialSum[threadIdx.x / 32] = sum;
        partialSquares[threadIdx.x / 32] = squares;
    }
    __syncthreads();
    sum = 0.0f;
    squares = 0.0f;
    for (int w = 0; w < warps; ++w) {
        sum += partialSum[w];
        squares += partialSquares[w];
    }
    const float offset = sum / cols;
    const float mean = shift + offset;
    const float scale = rsqrtf(fmaxf(squares / cols - offset * offset, 0.0f) + 1e-5f);

    for (int c = threadIdx.x; c < cols; c += threads)
        out[c] = (in[c] - mean) * scale * weight[c] + bias[c];
}

extern "C" void solve(const float *x, const float *weight, const float *bias, float *y, int rows, int cols,
                      cudaStream_t stream)
{
    layerNorm<<<rows, threads, 0, stream>>>(x, weight, bias, y, cols);
}
