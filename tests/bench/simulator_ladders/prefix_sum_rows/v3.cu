// SPDX-License-Identifier: Apache-2.0
// Four elements a thread in one 16-byte access, so a quarter of the shuffles; 256 threads, so cheaper barriers.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;

__global__ void prefixSum(const float *x, float *y, int cols)
{
    __shared__ float total[2][warps];
    const float *in = x + size_t(blockIdx.x) * cols;
    float *out = y + size_t(blockIdx.x) * cols;
    const bool aligned = cols % 4 == 0;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    float carry = 0.0f;
    int buffer = 0;
    for (int start = 0; start < cols; start += 4 * threads) {
        const int c = start + 4 * threadIdx.x;
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (aligned) {
            if (c < cols)
                v = *reinterpret_cast<const float4 *>(in + c);
        } else {
            v.x = c < cols ? in[c] : 0.0f;
            v.y = c + 1 < cols ? in[c + 1] : 0.0f;
            v.z = c + 2 < cols ? in[c + 2] : 0.0f;
            v.w = c + 3 < cols ? in[c + 3] : 0.0f;
        }
        v.y += v.x;
        v.z += v.y;
        v.w += v.z;
        float sum = v.w;
        for (int step = 1; step < 32; step *= 2) {
            const float other = __shfl_up_sync(~0u, sum, step);
            if (lane >= step)
                sum += other;
        }
        if (lane == 31)
            total[buffer][warp] = sum;
        __syncthreads();
        float before = carry + sum - v.w;
        for (int w = 0; w < warps; ++w) {
            if (w < warp)
                before += total[buffer][w];
            carry += total[buffer][w];
        }
        v = make_float4(v.x + before, v.y + before, v.z + before, v.w + before);
        if (aligned) {
            if (c < cols)
                *reinterpret_cast<float4 *>(out + c) = v;
        } else {
            if (c < cols)
                out[c] = v.x;
            if (c + 1 < cols)
                out[c + 1] = v.y;
            if (c + 2 < cols)
                out[c + 2] = v.z;
            if (c + 3 < cols)
                out[c + 3] = v.w;
        }
        buffer ^= 1;
    }
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    prefixSum<<<rows, threads, 0, stream>>>(x, y, cols);
}
