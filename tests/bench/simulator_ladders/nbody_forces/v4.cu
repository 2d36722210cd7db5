// SPDX-License-Identifier: Apache-2.0
// Two bodies a thread, so that each shared read serves two interactions; sixteen warps share the pulling bodies.
#include <cuda_runtime.h>

constexpr int parts = 16;
constexpr int bodiesPerBlock = 64;
constexpr int tileSize = 32 * parts;

struct Pull
{
    float x, y, z;
};

__device__ void attract(Pull &sum, const float4 &self, const float4 &b)
{
    const float dx = b.x - self.x;
    const float dy = b.y - self.y;
    const float dz = b.z - self.z;
    const float inverse = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f))));
    const float factor = b.w * inverse * (inverse * inverse);
    sum.x = fmaf(factor, dx, sum.x);
    sum.y = fmaf(factor, dy, sum.y);
    sum.z = fmaf(factor, dz, sum.z);
}

__global__ void __launch_bounds__(32 * parts) forces(const float4 *bodies, float *acceleration, int count)
{
    __shared__ float4 tile[tileSize];
    __shared__ float joined[parts][3][bodiesPerBlock];
    const int lane = threadIdx.x;
    const int part = threadIdx.y;
    const int t = part * 32 + lane;
    const int i = blockIdx.x * bodiesPerBlock + lane;
    const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float4 first = i < count ? bodies[i] : zero;
    const float4 second = i + 32 < count ? bodies[i + 32] : zero;
    Pull a = {}, b = {};
    for (int start = 0; start < count; start += tileSize) {
        tile[t] = start + t < count ? bodies[start + t] : zero;
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 32; ++j) {
            const float4 other = tile[part * 32 + j];
            attract(a, first, other);
            attract(b, second, other);
        }
        __syncthreads();
    }
    joined[part][0][lane] = a.x;
    joined[part][1][lane] = a.y;
    joined[part][2][lane] = a.z;
    joined[part][0][lane + 32] = b.x;
    joined[part][1][lane + 32] = b.y;
    joined[part][2][lane + 32] = b.z;
    __syncthreads();
    if (t < 3 * bodiesPerBlock) {
        const int body = blockIdx.x * bodiesPerBlock + t / 3;
        if (body < count) {
            float sum = 0.0f;
            for (int p = 0; p < parts; ++p)
                sum += joined[p][t % 3][t / 3];
            acceleration[3 * body + t % 3] = sum;
        }
    }
}

extern "C" void solve(const float *bodies, float *acceleration, int count, cudaStream_t stream)
{
    forces<<<(count + bodiesPerBlock - 1) / bodiesPerBlock, dim3(32, parts), 0, stream>>>(
        reinterpret_cast<const float4 *>(bodies), acceleration, count);
}
