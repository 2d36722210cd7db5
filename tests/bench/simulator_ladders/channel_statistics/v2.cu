// SPDX-License-Identifier: Apache-2.0
// One pass: sums and squares of the values less the channel's first one, which keeps the difference of the two exact
// enough; they meet by shuffles.
#include <cuda_runtime.h>

constexpr int threads = 256;

struct Sums
{
    float first, second; // of the values less the shift, and of their squares
};

// Holds on thread 0.
__device__ Sums blockSums(Sums s)
{
    __shared__ Sums part[threads / 32];
    for (int step = 16; step > 0; step /= 2) {
        s.first += __shfl_down_sync(0xffffffffu, s.first, step);
        s.second += __shfl_down_sync(0xffffffffu, s.second, step);
    }
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 1; i < threads / 32; ++i) {
            s.first += part[i].first;
            s.second += part[i].second;
        }
    return s;
}

__device__ void add(Sums &s, float value)
{
    s.first += value;
    s.second += value * value;
}

__global__ void statistics(const float *x, float *mean, float *variance, int batch, int channels, int pixels)
{
    const int c = blockIdx.x;
    const float shift = x[size_t(c) * pixels];
    Sums s{};
    for (int n = 0; n < batch; ++n)
        for (int p = threadIdx.x; p < pixels; p += threads)
            add(s, x[(size_t(n) * channels + c) * pixels + p] - shift);
    s = blockSums(s);
    if (threadIdx.x == 0) {
        const float count = float(batch) * float(pixels);
        mean[c] = shift + s.first / count;
        variance[c] = (s.second - s.first * s.first / count) / count;
    }
}

extern "C" void solve(const float *x, float *mean, float *variance, int batch, int channels, int pixels,
                      cudaStream_t stream)
{
    statistics<<<channels, threads, 0, stream>>>(x, mean, variance, batch, channels, pixels);
}
