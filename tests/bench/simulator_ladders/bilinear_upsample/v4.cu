// SPDX-License-Identifier: Apache-2.0
// A thread walks down eight rows of two columns and keeps the rows it interpolated across: each is read and
// interpolated once, and a store has 16 bytes.
#include <cuda_runtime.h>

constexpr int run = 8; // rows of the input a thread walks
constexpr int high = 4;

// Columns 2 · c … 2 · c + 3 of the output, interpolated across only.
__device__ float4 across(const float *in, int c, int width)
{
    const int last = width - 1;
    const float left = in[max(c - 1, 0)];
    const float right = in[min(c + 2, last)];
    float2 v;
    if (width % 2 == 0)
        v = *reinterpret_cast<const float2 *>(in + c);
    else
        v = make_float2(in[c], in[min(c + 1, last)]);
    return make_float4(0.25f * left + 0.75f * v.x, 0.75f * v.x + 0.25f * v.y, 0.25f * v.x + 0.75f * v.y,
                       0.75f * v.y + 0.25f * right);
}

__device__ float4 mix(float share, float4 a, float4 b)
{
    const float rest = 1.0f - share;
    return make_float4(share * a.x + rest * b.x, share * a.y + rest * b.y, share * a.z + rest * b.z,
                       share * a.w + rest * b.w);
}

__device__ void store(float *out, float4 v, int c, int width)
{
    if (width % 2 == 0) {
        *reinterpret_cast<float4 *>(out) = v;
        return;
    }
    *reinterpret_cast<float2 *>(out) = make_float2(v.x, v.y);
    if (c + 1 < width)
        *reinterpret_cast<float2 *>(out + 2) = make_float2(v.z, v.w);
}

__global__ void __launch_bounds__(32 * high)
    upsample(const float *__restrict__ x, float *__restrict__ y, int planes, int height, int width)
{
    const int c = 2 * (blockIdx.x * 32 + threadIdx.x);
    const int begin = (blockIdx.y * high + threadIdx.y) * run;
    if (begin >= height || c >= width)
        return;
    for (int p = blockIdx.z; p < planes; p += gridDim.z) {
        const float *plane = x + size_t(p) * height * width;
        float *out = y + (size_t(p) * 2 * height + 2 * begin) * 2 * width + 2 * c;
        float4 above = across(plane + max(begin - 1, 0) * width, c, width);
        float4 here = across(plane + begin * width, c, width);
#pragma unroll
        for (int i = 0; i < run; ++i) {
            const int r = begin + i;
            if (r >= height)
                break;
            const float4 below = across(plane + min(r + 1, height - 1) * width, c, width);
            store(out, mix(0.25f, above, here), c, width);
            store(out + 2 * width, mix(0.75f, here, below), c, width);
            out += 4 * width;
            above = here;
            here = below;
        }
    }
}

extern "C" void solve(const float *x, float *y, int planes, int height, int width, cudaStream_t stream)
{
    const int pairs = (width + 1) / 2;
    const dim3 blocks((pairs + 31) / 32, (height + high * run - 1) / (high * run), min(planes, 65535));
    upsample<<<blocks, dim3(32, high), 0, stream>>>(x, y, planes, height, width);
}
