// SPDX-License-Identifier: Apache-2.0
// Eight filters and four neighbouring positions a thread: a weight read from shared memory serves four products.
#include <cuda_runtime.h>

constexpr int taps = 7;
constexpr int positions = 128;
constexpr int group = 64; // filters a block
constexpr int each = 8;   // filters a thread
constexpr int wide = 4;   // positions a thread
constexpr int threads = positions / wide * (group / each);
constexpr int depth = 8;  // channels
constexpr int margin = 4; // one more than needed, so that reads of four are aligned
constexpr int span = positions + 2 * margin;

__global__ void __launch_bounds__(threads)
    convolve(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int channels, int filters,
             int length)
{
    __shared__ __align__(16) float values[depth][span];
    __shared__ float weights[group][depth * taps];
    const int tx = threadIdx.x % 32;
    const int ty = threadIdx.x / 32;
    const int firstPosition = blockIdx.x * positions;
    const int firstFilter = blockIdx.y * group;
    const float *in = x + size_t(blockIdx.z) * channels * length;
    float sums[each][wide] = {};
    for (int first = 0; first < channels; first += depth) {
        for (int i = threadIdx.x; i < depth * span; i += threads) {
            const int c = first + i / span;
            const int at = firstPosition + i % span - margin;
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
            float v[wide + 2 * margin];
#pragma unroll
            for (int i = 0; i < wide + 2 * margin; i += 4) {
                const float4 four = *reinterpret_cast<const float4 *>(&values[c][wide * tx + i]);
                v[i] = four.x, v[i + 1] = four.y, v[i + 2] = four.z, v[i + 3] = four.w;
            }
#pragma unroll
            for (int t = 0; t < taps; ++t)
#pragma unroll
                for (int f = 0; f < each; ++f) {
                    const float weight = weights[ty * each + f][c * taps + t];
#pragma unroll
                    for (int p = 0; p < wide; ++p)
                        sums[f][p] += weight * v[p + t + margin - taps / 2];
                }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
        for (int p = 0; p < wide; ++p) {
            const int f = firstFilter + ty * each + i;
            const int l = firstPosition + wide * tx + p;
            if (f < filters && l < length)
                y[(size_t(blockIdx.z) * filters + f) * length + l] = sums[i][p];
        }
}

extern "C" void solve(const float *x, const float *w, float *y, int batch, int channels, int filters, int length,
                      cudaStream_t stream)
{
    const dim3 blocks((length + positions - 1) / positions, (filters + group - 1) / group, batch);
    convolve<<<blocks, threads, 0, stream>>>(x, w, y, channels, filters, length);
}
