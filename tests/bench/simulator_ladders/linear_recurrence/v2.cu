// SPDX-License-Identifier: Apache-2.0
// Time in 32 segments, with a thread for every segment of a channel: what a segment makes of the state before it, then
// the state before each segment, then the steps again. Everything is read twice, but 32 times as many threads read.
#include <cuda_runtime.h>

constexpr int threads = 128;
constexpr int segments = 32;
constexpr int most = 1 << 16; // channels of a launch

__device__ float2 maps[segments * most]; // factor and summand, then in y the state before the segment

struct Segment
{
    int begin, end; // steps
};

__device__ Segment segmentOf(int time)
{
    const int length = (time + segments - 1) / segments;
    const int begin = min(int(blockIdx.y) * length, time);
    return {begin, min(begin + length, time)};
}

__device__ size_t first(int item, int begin, int time, int channels)
{
    return (size_t(item / channels) * time + begin) * channels + item % channels;
}

__global__ void summarise(const float *a, const float *x, int firstItem, int items, int time, int channels)
{
    const int item = blockIdx.x * threads + threadIdx.x;
    if (item >= items)
        return;
    const Segment segment = segmentOf(time);
    size_t at = first(firstItem + item, segment.begin, time, channels);
    float2 map = make_float2(1.0f, 0.0f);
    for (int t = segment.begin; t < segment.end; ++t, at += channels) {
        const float factor = a[at];
        map.x *= factor;
        map.y = factor * map.y + x[at];
    }
    maps[blockIdx.y * most + item] = map;
}

__global__ void carry(int items)
{
    const int item = blockIdx.x * threads + threadIdx.x;
    if (item >= items)
        return;
    float state = 0.0f;
    for (int s = 0; s < segments; ++s) {
        const float2 map = maps[s * most + item];
        maps[s * most + item].y = state;
        state = map.x * state + map.y;
    }
}

__global__ void apply(const float *a, const float *x, float *h, int firstItem, int items, int time, int channels)
{
    const int item = blockIdx.x * threads + threadIdx.x;
    if (item >= items)
        return;
    const Segment segment = segmentOf(time);
    size_t at = first(firstItem + item, segment.begin, time, channels);
    float state = maps[blockIdx.y * most + item].y;
    for (int t = segment.begin; t < segment.end; ++t, at += channels) {
        state = a[at] * state + x[at];
        h[at] = state;
    }
}

extern "C" void solve(const float *a, const float *x, float *h, int batch, int time, int channels, cudaStream_t stream)
{
    for (int item = 0; item < batch * channels; item += most) {
        const int items = min(most, batch * channels - item);
        const int blocks = (items + threads - 1) / threads;
        summarise<<<dim3(blocks, segments), threads, 0, stream>>>(a, x, item, items, time, channels);
        carry<<<blocks, threads, 0, stream>>>(items);
        apply<<<dim3(blocks, segments), threads, 0, stream>>>(a, x, h, item, items, time, channels);
    }
}
