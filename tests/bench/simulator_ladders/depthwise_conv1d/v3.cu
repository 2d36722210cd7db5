// SPDX-License-Identifier: Apache-2.0
// Four outputs a thread, a block's width apart: a weight is read once for four products.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int perThread = 4;
constexpr int outputs = threads * perThread; // of a block

__global__ void filter(const float *x, const float *w, float *y, int channels, int length, int chunks)
{
    __shared__ float piece[outputs + 30];
    __shared__ float weights[31];
    const int row = blockIdx.x / chunks;
    const int first = blockIdx.x % chunks * outputs;
    for (int i = threadIdx.x; i < outputs + 30; i += threads) {
        const int from = first + i - 15;
        piece[i] = from >= 0 && from < length ? x[size_t(row) * length + from] : 0.0f;
    }
    if (threadIdx.x < 31)
        weights[threadIdx.x] = w[row % channels * 31 + threadIdx.x];
    __syncthreads();
    float sum[perThread] = {};
#pragma unroll
    for (int t = 0; t < 31; ++t) {
        const float weight = weights[t];
#pragma unroll
        for (int i = 0; i < perThread; ++i)
            sum[i] += weight * piece[threadIdx.x + i * threads + t];
    }
#pragma unroll
    for (int i = 0; i < perThread; ++i) {
        const int l = first + i * threads + threadIdx.x;
        if (l < length)
            y[size_t(row) * length + l] = sum[i];
    }
}

extern "C" void solve(const float *x, const float *w, float *y, int batch, int channels, int length,
                      cudaStream_t stream)
{
    const int chunks = (length + outputs - 1) / outputs;
    filter<<<batch * channels * chunks, threads, 0, stream>>>(x, w, y, channels, length, chunks);
}
