// SPDX-License-Identifier: Apache-2.0
// The block goes through time in tiles of 128 steps, eight a warp, which stay in registers between the two passes:
// everything is read once, and the next tile is on its way while this one is worked on.
#include <cuda_runtime.h>

constexpr int warps = 16;
constexpr int steps = 8; // of a warp in a tile

struct Values
{
    float factor[steps], summand[steps];
};

// Steps from t on; those that are not there leave the state as it is.
__device__ Values load(const float *a, const float *x, size_t start, int t, int time, int channels, bool inside)
{
    Values values;
#pragma unroll
    for (int i = 0; i < steps; ++i) {
        const size_t at = start + size_t(t + i) * channels;
        const bool there = inside && t + i < time;
        values.factor[i] = there ? a[at] : 1.0f;
        values.summand[i] = there ? x[at] : 0.0f;
    }
    return values;
}

__global__ void __launch_bounds__(32 * warps)
    recur(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ h, int time, int channels)
{
    __shared__ float2 maps[2][warps][32]; // of this tile and the last: one barrier a tile is enough
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int c = blockIdx.x * 32 + lane;
    const bool inside = c < channels;
    const size_t start = size_t(blockIdx.y) * time * channels + c;
    float carry = 0.0f;
    int buffer = 0;
    Values next = load(a, x, start, warp * steps, time, channels, inside);
    for (int t = warp * steps; t - warp * steps < time; t += warps * steps, buffer ^= 1) {
        const Values now = next;
        next = load(a, x, start, t + warps * steps, time, channels, inside);
        float2 map = make_float2(1.0f, 0.0f);
#pragma unroll
        for (int i = 0; i < steps; ++i) {
            map.x *= now.factor[i];
            map.y = now.factor[i] * map.y + now.summand[i];
        }
        maps[buffer][warp][lane] = map;
        __syncthreads();
        float state = 0.0f;
#pragma unroll
        for (int w = 0; w < warps; ++w) {
            if (w == warp)
                state = carry;
            const float2 other = maps[buffer][w][lane];
            carry = other.x * carry + other.y;
        }
#pragma unroll
        for (int i = 0; i < steps; ++i) {
            state = now.factor[i] * state + now.summand[i];
            if (inside && t + i < time)
                h[start + size_t(t + i) * channels] = state;
        }
    }
}

extern "C" void solve(const float *a, const float *x, float *h, int batch, int time, int channels, cudaStream_t stream)
{
    recur<<<dim3((channels + 31) / 32, batch), 32 * warps, 0, stream>>>(a, x, h, time, channels);
}
