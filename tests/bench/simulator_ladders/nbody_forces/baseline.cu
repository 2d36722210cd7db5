// SPDX-License-Identifier: Apache-2.0
// One thread sums the pull of all bodies on one, as the formula is written.
#include <cuda_runtime.h>

__global__ void forces(const float *bodies, float *acceleration, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j = 0; j < count; ++j) {
        float dx = bodies[4 * j] - x;
        float dy = bodies[4 * j + 1] - y;
        float dz = bodies[4 * j + 2] - z;
        float distance = sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
        float cube = distance * distance * distance;
        ax += bodies[4 * j + 3] * dx / cube;
        ay += bodies[4 * j + 3] * dy / cube;
        az += bodies[4 * j + 3] * dz / cube;
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
