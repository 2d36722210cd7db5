// SPDX-License-Identifier: Apache-2.0
// A kernel for each of the three formulas; every thread works out the powers of the decays, in double.
#include <cuda_runtime.h>

__global__ void momentum(const float *g, const float *m, float *mNew, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        mNew[i] = 0.9f * m[i] + 0.1f * g[i];
}

__global__ void square(const float *g, const float *v, float *vNew, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        vNew[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
}

__global__ void update(const float *p, const float *mNew, const float *vNew, float *pNew, int count, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float mean = mNew[i] / (1.0 - pow(0.9, step));
    float spread = vNew[i] / (1.0 - pow(0.999, step));
    pNew[i] = p[i] - 0.01f * mean / (sqrtf(spread) + 1e-8f);
}

extern "C" void solve(const float *p, const float *g, const float *m, const float *v, float *pNew, float *mNew,
                      float *vNew, int count, int step, cudaStream_t stream)
{
    const int threads = 256;
    const int blocks = (count + threads - 1) / threads;
    momentum<<<blocks, threads, 0, stream>>>(g, m, mNew, count);
    square<<<blocks, threads, 0, stream>>>(g, v, vNew, count);
    update<<<blocks, threads, 0, stream>>>(p, mNew, vNew, pNew, count, step);
}
