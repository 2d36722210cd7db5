// SPDX-License-Identifier: Apache-2.0
// Eight channels at a time of 128 positions and of 16 filters' weights are brought to shared memory.
#include <cuda_runtime.h>

constexpr int taps = 7;
constexpr int positions = 128;
constexpr int group = 16; // filters a block
constexpr int each = 8;   // filters a thread
constexpr int threads = positions * group / each;
constexpr int depth = 8; // channels
constexpr int span = positions + taps - 1;

__global__ void __launch_bounds__(threads)
    convolve(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int channels, int filters,
             int length)
{
    __shared__ float values[depth][span];
    __shared__ float weights[group][depth * taps];
    const int tx = threadIdx.x % positions;
    const int ty = threadIdx.x / positions;
    const int firstPosition = blockIdx.x * positions;
    const int firstFilter = blockIdx.y * group;
    const float *in = x + size_t(blockIdx.z) * channels * length;
    float sums[each] = {};
    for (int first = 0; first < channels; first += depth) {
        for (int i = threadIdx.x; i < depth * span; i += threads) {
            const int c = first + i / span;
            const int at = firstPosition + i % span - taps / 2;
            values[i / span][i % span] =
                c < channels && at >= 0 && at < length ? in[size_t(c) * length + at] : 0.0f;
        }
        for (int i = threadIdx.x; i < group * depth * taps; i += threads) {
            const int f = firstFilter + i / (depth * taps);
            const int tap = first * taps + i % (depth * taps);
            weights[i / (depth * taps)][i % (depth * taps)] =
                f < filters && tap < channels * taps ? w[size_t(f) * channels * taps + tap] : 0.0f;
        }
        __syncthreads();
        for (int c = 0; c < depth; ++c) {
            float v[taps];
#pragma unroll
            for (int t = 0; t < taps; ++t)
                v[t] = values[c][tx + t];
#pragma unroll
            for (int f = 0; f < each; ++f)
#pragma unroll
                for (int t = 0; t < taps; ++t)
                    sums[f] += weights[ty * each + f][c * taps + t] * v[t];
        }
        __syncthreads();
    }
    const int l = firstPosition + tx;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        const int f = firstFilter + ty * each + i;
        if (f < filters && l < length)
            y[(size_t(blockIdx.z) * filters + f) * length + l] = sums[i];
    }
}

extern "C" void solve(const float *x, const float *w, float *y, int batch, int channels, int filters, int length,
                      cudaStream_t stream)
{
    const dim3 blocks((length + positions - 1) / positions, (filters + group - 1) / group, batch);
    convolve<<<blocks, threads, 0, stream>>>(x, w, y, channels, filters, length);
}
