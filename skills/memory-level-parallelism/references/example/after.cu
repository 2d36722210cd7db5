// SPDX-License-Identifier: Apache-2.0
// Eight loads, then eight stores: all loads of a round are in flight together.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kBlocks = 264; // two for each of 132 multiprocessors
constexpr int kItems = 8;    // loads in flight in a thread
constexpr int kTile = kThreads * kItems;

__global__ void leakyRelu(const float *__restrict__ x, float *__restrict__ y, int count)
{
    int start = blockIdx.x * kTile + threadIdx.x;
    for (; start + kTile - kThreads < count; start += kBlocks * kTile) {
        float values[kItems];
#pragma unroll
        for (int j = 0; j < kItems; ++j)
            values[j] = x[start + j * kThreads];
#pragma unroll
        for (int j = 0; j < kItems; ++j)
            y[start + j * kThreads] = values[j] > 0.0f ? values[j] : 0.01f * values[j];
    }
    // This thread's share of the last tile, at most kItems - 1 elements.
    for (int i = start; i < count && i < start + kTile; i += kThreads)
        y[i] = x[i] > 0.0f ? x[i] : 0.01f * x[i];
}

extern "C" void solve(const float *x, float *y, int count, cudaStream_t stream)
{
    leakyRelu<<<kBlocks, kThreads, 0, stream>>>(x, y, count);
}
