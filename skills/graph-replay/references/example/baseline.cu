// SPDX-License-Identifier: Apache-2.0
// Two kernels of about 2 µs a level, 32 for 65536 values. The device finishes each before the host has sent the next:
// it waits most of the time.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void differences(const float *values, float *y, int pairs)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs)
        y[i] = 0.5f * (values[2 * i] - values[2 * i + 1]);
}

// A last value without a partner passes as it is.
__global__ void means(const float *values, float *next, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 < count)
        next[i] = 0.5f * (values[2 * i] + values[2 * i + 1]);
    else if (2 * i < count)
        next[i] = values[2 * i];
}

int threadsFor(int count)
{
    return count < kThreads ? count : kThreads;
}

int blocksFor(int count)
{
    return (count + kThreads - 1) / kThreads;
}

extern "C" void solve(const float *x, float *y, int n, cudaStream_t stream)
{
    float *scratch; // for the means of two levels in turn
    cudaMallocAsync(&scratch, (size_t(n) + 1) * sizeof(float), stream);
    const float *values = x;
    for (int count = n, level = 0; count > 1; count = (count + 1) / 2, ++level) {
        const int pairs = count / 2, next = (count + 1) / 2;
        float *target = level % 2 == 0 ? scratch : scratch + (n + 1) / 2;
        if (next == 1)
            target = y + pairs; // the last mean follows the last difference
        differences<<<blocksFor(pairs), threadsFor(pairs), 0, stream>>>(values, y, pairs);
        means<<<blocksFor(next), threadsFor(next), 0, stream>>>(values, target, count);
        values = target;
        y += pairs;
    }
    if (n == 1)
        means<<<1, 1, 0, stream>>>(x, y, 1);
    cudaFreeAsync(scratch, stream);
}
