// SPDX-License-Identifier: Apache-2.0
// One kernel again: both sums in one pass, 16 bytes an access, shuffles instead of the tree, and one multiply-add an
// element at the end.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;

__device__ float2 blockSum(float2 own)
{
    __shared__ float2 part[warps];
    for (int step = 16; step > 0; step /= 2) {
        own.x += __shfl_xor_sync(~0u, own.x, step);
        own.y += __shfl_xor_sync(~0u, own.y, step);
    }
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
    own = part[0];
    for (int w = 1; w < warps; ++w)
        own = make_float2(own.x + part[w].x, own.y + part[w].y);
    return own;
}

__device__ void add(float2 &sums, float value)
{
    sums.x += value;
    sums.y += value * value;
}

__global__ void __launch_bounds__(threads)
    normalise(const float *__restrict__ x, const float *__restrict__ gamma, const float *__restrict__ beta,
              float *__restrict__ y, int groups, int depth, int pixels)
{
    const int size = depth * pixels;
    const int fours = pixels % 4 == 0 ? size / 4 : 0;
    const float *in = x + size_t(blockIdx.x) * size;
    float *out = y + size_t(blockIdx.x) * size;
    float2 sums = make_float2(0.0f, 0.0f);
    for (int i = threadIdx.x; i < fours; i += threads) {
        const float4 v = reinterpret_cast<const float4 *>(in)[i];
        add(sums, v.x);
        add(sums, v.y);
        add(sums, v.z);
        add(sums, v.w);
    }
    for (int i = 4 * fours + threadIdx.x; i < size; i += threads)
        add(sums, in[i]);
    sums = blockSum(sums);
    const float mean = sums.x / size;
    const float scale = rsqrtf(fmaxf(sums.y / size - mean * mean, 0.0f) + 1e-5f);
    const int firstChannel = blockIdx.x % groups * depth;
    for (int i = threadIdx.x; i < fours; i += threads) {
        const int channel = firstChannel + 4 * i / pixels;
        const float factor = scale * gamma[channel];
        const float summand = beta[channel] - mean * factor;
        const float4 v = reinterpret_cast<const float4 *>(in)[i];
        reinterpret_cast<float4 *>(out)[i] = make_float4(v.x * factor + summand, v.y * factor + summand,
                                                         v.z * factor + summand, v.w * factor + summand);
    }
    for (int i = 4 * fours + threadIdx.x; i < size; i += threads) {
        const int channel = firstChannel + i / pixels;
        out[i] = (in[i] - mean) * scale * gamma[channel] + beta[channel];
    }
}

extern "C" void solve(const float *x, const float *gamma, const float *beta, float *y, int batch, int groups, int depth,
                      int pixels, cudaStream_t stream)
{
    normalise<<<batch * groups, threads, 0, stream>>>(x, gamma, beta, y, groups, depth, pixels);
}
