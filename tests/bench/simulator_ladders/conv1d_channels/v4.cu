// SPDX-License-Identifier: Apache-2.0
// Eight filters and eight positions a thread, weights turned so that four are one read, and two buffers filled by
// asynchronous copies.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int taps = 7;
constexpr int positions = 256;
constexpr int group = 64; // filters a block
constexpr int each = 8;   // filters and positions a thread
constexpr int threads = positions / each * (group / each);
constexpr int depth = 4;  // channels
constexpr int margin = 4; // one more than needed, so that copies and reads of four are aligned
constexpr int span = positions + 2 * margin;
constexpr int stride = group + 4; // softens the bank conflicts of turning

struct Parts
{
    float values[depth][span];
    float weights[depth * taps][stride];
};

// Zeros outside of the row; asynchronous 16 bytes at a time where vectors are possible.
__device__ void loadValues(float (&to)[depth][span], const float *in, int first, int position, int channels, int length,
                           bool vectors)
{
    for (int i = threadIdx.x; i < depth * span / 4; i += threads) {
        const int c = i / (span / 4);
        const int l = i % (span / 4) * 4;
        const int at = position + l - margin;
        const float *from = in + size_t(first + c) * length;
        if (vectors) {
            const bool inside = first + c < channels && at >= 0 && at < length;
            __pipeline_memcpy_async(&to[c][l], inside ? from + at : in, sizeof(float4), inside ? 0 : sizeof(float4));
            continue;
        }
#pragma unroll
        for (int e = 0; e < 4; ++e)
            to[c][l + e] = first + c < channels && at + e >= 0 && at + e < length ? from[at + e] : 0.0f;
    }
}

__device__ void loadWeights(float (&to)[depth * taps][stride], const float *w, int first, int filter, int channels,
                            int filters)
{
#pragma unroll
    for (int i = threadIdx.x; i < group * depth * taps; i += threads) {
        const int f = i / (depth * taps);
        const int tap = i % (depth * taps);
        const bool inside = filter + f < filters && first * taps + tap < channels * taps;
        const float *from = inside ? w + size_t(filter + f) * channels * taps + first * taps + tap : w;
        __pipeline_memcpy_async(&to[tap][f], from, sizeof(float), inside ? 0 : sizeof(float));
    }
}

__device__ void readFour(float *to, const float *from)
{
    const float4 v = *reinterpret_cast<const float4 *>(from);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

__device__ void accumulate(float (&sums)[each][each], const Parts &parts)
{
    const int tx = threadIdx.x % 32;
    const int ty = threadIdx.x / 32;
#pragma unroll
    for (int c = 0; c < depth; ++c) {
        float v[each + 2 * margin];
#pragma unroll
        for (int i = 0; i < each + 2 * margin; i += 4)
            readFour(&v[i], &parts.values[c][each * tx + i]);
#pragma unroll
        for (int t = 0; t < taps; ++t) {
            float weight[each];
            readFour(&weight[0], &parts.weights[c * taps + t][each * ty]);
            readFour(&weight[4], &parts.weights[c * taps + t][each * ty + 4]);
#pragma unroll
            for (int f = 0; f < each; ++f)
#pragma unroll
                for (int p = 0; p < each; ++p)
                    sums[f][p] += weight[f] * v[p + t + margin - taps / 2];
        }
    }
}

__global__ void __launch_bounds__(threads, 2)
    convolve(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int channels, int filters,
             int length, bool vectors)
{
    __shared__ __align__(16) Parts parts[2];
    const int firstPosition = blockIdx.x * positions;
    const int firstFilter = blockIdx.y * group;
    const float *in = x + size_t(blockIdx.z) * channels * length;
    float sums[each][each] = {};
    loadValues(parts[0].values, in, 0, firstPosition, channels, length, vectors);
    loadWeights(parts[0].weights, w, 0, firstFilter, channels, filters);
    __pipeline_commit();
    for (int first = 0, now = 0; first < channels; first += depth, now ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads(); // these channels have come, and nobody reads the other buffer any more
        if (first + depth < channels) {
            loadValues(parts[now ^ 1].values, in, first + depth, firstPosition, channels, length, vectors);
            loadWeights(parts[now ^ 1].weights, w, first + depth, firstFilter, channels, filters);
            __pipeline_commit();
        }
        accumulate(sums, parts[now]);
    }
    const int l = firstPosition + each * (threadIdx.x % 32);
#pragma unroll
    for (int i = 0; i < each; ++i) {
        const int f = firstFilter + threadIdx.x / 32 * each + i;
        if (f >= filters)
            continue;
        float *out = y + (size_t(blockIdx.z) * filters + f) * length;
#pragma unroll
        for (int p = 0; p < each; p += 4) {
            if (vectors && l + p < length) {
                *reinterpret_cast<float4 *>(out + l + p) =
                    make_float4(sums[i][p], sums[i][p + 1], sums[i][p + 2], sums[i][p + 3]);
                continue;
            }
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (l + p + e < length)
                    out[l + p + e] = sums[i][p + e];
        }
    }
}

bool aligned(const void *pointer)
{
    return reinterpret_cast<size_t>(pointer) % sizeof(float4) == 0;
}

extern "C" void solve(const float *x, const float *w, float *y, int batch, int channels, int filters, int length,
                      cudaStream_t stream)
{
    const bool vectors = length % 4 == 0 && aligned(x) && aligned(y);
    const dim3 blocks((length + positions - 1) / positions, (filters + group - 1) / group, batch);
    convolve<<<blocks, threads, 0, stream>>>(x, w, y, channels, filters, length, vectors);
}
