// SPDX-License-Identifier: Apache-2.0
// One warp a pair, four pairs a block: a lane makes 4 × 8 elements in registers from 16-byte reads of shared memory,
// and no warp waits for another.
#include <cuda_runtime.h>

constexpr int warps = 4;   // of a block
constexpr int stride = 36; // of a row of a: eight rows under one another lie in different banks, 16 bytes each

struct Pair
{
    float left[32][stride];
    float right[32][32];
};

__device__ void add(float4 &sum, float factor, float4 v)
{
    sum.x += factor * v.x;
    sum.y += factor * v.y;
    sum.z += factor * v.z;
    sum.w += factor * v.w;
}

__global__ void __launch_bounds__(32 * warps)
    multiply(const float4 *__restrict__ a, const float4 *__restrict__ b, float4 *__restrict__ c, int batch)
{
    __shared__ __align__(16) Pair pairs[warps];
    const int m = blockIdx.x * warps + threadIdx.y;
    const int lane = threadIdx.x;
    if (m >= batch)
        return;
    Pair &own = pairs[threadIdx.y];
    a += size_t(m) * 256;
    b += size_t(m) * 256;
    c += size_t(m) * 256;
    float4 part[16];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        part[i] = a[lane + 32 * i];
        part[8 + i] = b[lane + 32 * i];
    }
    const int quad = lane % 8;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        *reinterpret_cast<float4 *>(&own.left[lane / 8 + 4 * i][4 * quad]) = part[i];
        *reinterpret_cast<float4 *>(&own.right[lane / 8 + 4 * i][4 * quad]) = part[8 + i];
    }
    __syncwarp();
    const int row = lane / 4;     // and row + 8, + 16, + 24
    const int col = lane % 4 * 4; // four from there, and four from col + 16
    float4 sum[4][2] = {};
#pragma unroll
    for (int k = 0; k < 32; k += 4) {
        float4 factor[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
            factor[i] = *reinterpret_cast<const float4 *>(&own.left[row + 8 * i][k]);
#pragma unroll
        for (int l = 0; l < 4; ++l) {
            const float4 low = *reinterpret_cast<const float4 *>(&own.right[k + l][col]);
            const float4 high = *reinterpret_cast<const float4 *>(&own.right[k + l][col + 16]);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float f = l == 0 ? factor[i].x : l == 1 ? factor[i].y : l == 2 ? factor[i].z : factor[i].w;
                add(sum[i][0], f, low);
                add(sum[i][1], f, high);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        c[8 * (row + 8 * i) + col / 4] = sum[i][0];
        c[8 * (row + 8 * i) + col / 4 + 4] = sum[i][1];
    }
}

extern "C" void solve(const float *a, const float *b, float *c, int batch, cudaStream_t stream)
{
    multiply<<<(batch + warps - 1) / warps, dim3(32, warps), 0, stream>>>(
        reinterpret_cast<const float4 *>(a), reinterpret_cast<const float4 *>(b), reinterpret_cast<float4 *>(c), batch);
}
