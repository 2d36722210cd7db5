// SPDX-License-Identifier: Apache-2.0
// Eight filters a thread: the seven values of a channel are read once for all of them.
#include <cuda_runtime.h>

constexpr int taps = 7;
constexpr int each = 8;
constexpr int threads = 128;

__global__ void __launch_bounds__(threads)
    convolve(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int channels, int filters,
             int length)
{
    const int l = blockIdx.x * threads + threadIdx.x;
    const int first = blockIdx.y * each;
    if (l >= length)
        return;
    const float *in = x + size_t(blockIdx.z) * channels * length;
    float sums[each] = {};
    for (int c = 0; c < channels; ++c) {
        float v[taps];
#pragma unroll
        for (int t = 0; t < taps; ++t) {
            const int at = l + t - taps / 2;
            v[t] = at >= 0 && at < length ? in[size_t(c) * length + at] : 0.0f;
        }
#pragma unroll
        for (int f = 0; f < each; ++f) {
            const float *weights = w + (size_t(min(first + f, filters - 1)) * channels + c) * taps;
#pragma unroll
            for (int t = 0; t < taps; ++t)
                sums[f] += weights[t] * v[t];
        }
    }
#pragma unroll
    for (int f = 0; f < each; ++f)
        if (first + f < filters)
            y[(size_t(blockIdx.z) * filters + first + f) * length + l] = sums[f];
}

extern "C" void solve(const float *x, const float *w, float *y, int batch, int channels, int filters, int length,
                      cudaStream_t stream)
{
    const dim3 blocks((length + threads - 1) / threads, (filters + each - 1) / each, batch);
    convolve<<<blocks, threads, 0, stream>>>(x, w, y, channels, filters, length);
}
