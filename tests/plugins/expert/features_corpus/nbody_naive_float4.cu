// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void forces(const float4 *bodies, float4 *acceleration, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; ++j) {
        const float4 other = bodies[j];
        const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        const float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
        const float s = other.w * inv * inv * inv;
        ax += dx * s;
        ay += dy * s;
        az += dz * s;
    }
    acceleration[i] = make_float4(ax, ay, az, 0.0f);
}

extern "C" void solve(const float *bodies, float *acceleration, int n, cudaStream_t stream)
{
    forces<<<(n + 127) / 128, 128, 0, stream>>>((const float4 *)bodies, (float4 *)acceleration, n);
}
