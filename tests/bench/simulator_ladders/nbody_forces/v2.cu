// SPDX-License-Identifier: Apache-2.0
// Bodies come in 16-byte reads through a tile in shared memory, and the loop over the tile is unrolled.
#include <cuda_runtime.h>

constexpr int threads = 256;

__global__ void forces(const float4 *bodies, float *acceleration, int count)
{
    __shared__ float4 tile[threads];
    const int i = blockIdx.x * threads + threadIdx.x;
    const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float4 self = i < count ? bodies[i] : zero;
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int start = 0; start < count; start += threads) {
        const int other = start + threadIdx.x;
        tile[threadIdx.x] = other < count ? bodies[other] : zero; // no mass, no pull
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < threads; ++j) {
            const float4 b = tile[j];
            const float dx = b.x - self.x;
            const float dy = b.y - self.y;
            const float dz = b.z - self.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float factor = b.w * inverse * inverse * inverse;
            ax += factor * dx;
            ay += factor * dy;
            az += factor * dz;
        }
        __syncthreads();
    }
    if (i < count) {
        acceleration[3 * i] = ax;
        acceleration[3 * i + 1] = ay;
        acceleration[3 * i + 2] = az;
    }
}

extern "C" void solve(const float *bodies, float *acceleration, int count, cudaStream_t stream)
{
    forces<<<(count + threads - 1) / threads, threads, 0, stream>>>(reinterpret_cast<const float4 *>(bodies),
                                                                   acceleration, count);
}
