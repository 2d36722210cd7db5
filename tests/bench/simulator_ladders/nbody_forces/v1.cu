// SPDX-License-Identifier: Apache-2.0
// One reciprocal square root instead of a square root and three divisions.
#include <cuda_runtime.h>

__global__ void forces(const float *bodies, float *acceleration, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
#pragma unroll 1
    for (int j = 0; j < count; ++j) {
        const float dx = bodies[4 * j] - x;
        const float dy = bodies[4 * j + 1] - y;
        const float dz = bodies[4 * j + 2] - z;
        const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        const float factor = bodies[4 * j + 3] * inverse * inverse * inverse;
        ax += factor * dx;
        ay += factor * dy;
        az += factor * dz;
    }
    acceleration[3 * i] = ax;
    acceleration[3 * i + 1] = ay;
    acceleration[3 * i + 2] = az;
}

extern "C" void solve(const float *bodies, float *acceleration, int count, cudaStream_t stream)
{
    const int threads = 256;
    forces<<<(count + threads - 1) / threads, threads, 0, stream>>>(bodies, acceleration, count);
}
