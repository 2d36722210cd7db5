// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

struct Particle
{
    float x, y, z;
    float vx, vy, vz;
};

__global__ void advance(Particle *particles, float dt, int count)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < count) {
        Particle &p = particles[id];
        p.x += dt * p.vx;
        p.y += dt * p.vy;
        p.z += dt * p.vz;
    }
}

extern "C" void solve(float *state, float dt, int count, cudaStream_t stream)
{
    advance<<<(count + 127) / 128, 128, 0, stream>>>(reinterpret_cast<Particle *>(state), dt, count);
}
