// SPDX-License-Identifier: Apache-2.0
// A single kernel: a block takes 32 channels, each of its 32 warps a segment of time, and the segments meet in shared
// memory.
#include <cuda_runtime.h>

constexpr int warps = 32;

__global__ void __launch_bounds__(32 * warps)
    recur(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ h, int time, int channels)
{
    __shared__ float2 maps[warps][32]; // factor and summand of what a segment makes of the state before it
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int c = blockIdx.x * 32 + lane;
    const int length = (time + warps - 1) / warps;
    const int begin = min(warp * length, time);
    const int end = c < channels ? min(begin + length, time) : begin;
    const size_t start = (size_t(blockIdx.y) * time + begin) * channels + c;
    float2 map = make_float2(1.0f, 0.0f);
    size_t at = start;
#pragma unroll 4
    for (int t = begin; t < end; ++t, at += channels) {
        const float factor = a[at];
        map.x *= factor;
        map.y = factor * map.y + x[at];
    }
    maps[warp][lane] = map;
    __syncthreads();
    float state = 0.0f;
    for (int w = 0; w < warp; ++w)
        state = maps[w][lane].x * state + maps[w][lane].y;
    at = start;
#pragma unroll 4
    for (int t = begin; t < end; ++t, at += channels) {
        state = a[at] * state + x[at];
        h[at] = state;
    }
}

extern "C" void solve(const float *a, const float *x, float *h, int batch, int time, int channels, cudaStream_t stream)
{
    recur<<<dim3((channels + 31) / 32, batch), 32 * warps, 0, stream>>>(a, x, h, time, channels);
}
