// SPDX-License-Identifier: Apache-2.0
// One block a row: neighbouring threads read neighbours, and a tree in shared memory adds the squares.
#include <cuda_runtime.h>

constexpr int threads = 256;

__global__ void normalise(const float *x, const float *residual, const float *weight, float *sum, float *y, int cols)
{
    __shared__ float part[threads];
    const int t = threadIdx.x;
    const size_t first = size_t(blockIdx.x) * cols;
    float squares = 0.0f;
    for (int c = t; c < cols; c += threads) {
        const float value = x[first + c] + residual[first + c];
        sum[first + c] = value;
        squares += value * value;
    }
    part[t] = squares;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    const float scale = rsqrtf(part[0] / cols + 1e-6f);
    for (int c = t; c < cols; c += threads)
        y[first + c] = sum[first + c] * scale * weight[c];
}

extern "C" void solve(const float *x, const float *residual, const float *weight, float *sum, float *y, int rows,
                      int cols, cudaStream_t stream)
{
    normalise<<<rows, threads, 0, stream>>>(x, residual, weight, sum, y, cols);
}
