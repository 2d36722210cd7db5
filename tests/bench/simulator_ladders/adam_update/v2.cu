// SPDX-License-Identifier: Apache-2.0
// The host works out the powers of the decays once; the kernel calculates in float only.
#include <cuda_runtime.h>

#include <math.h>

__global__ void adam(const float *p, const float *g, const float *m, const float *v, float *pNew, float *mNew,
                     float *vNew, int count, float rate, float scale)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float gradient = g[i];
    const float first = 0.9f * m[i] + 0.1f * gradient;
    const float second = 0.999f * v[i] + 0.001f * gradient * gradient;
    mNew[i] = first;
    vNew[i] = second;
    pNew[i] = p[i] - rate * first / (sqrtf(second * scale) + 1e-8f);
}

extern "C" void solve(const float *p, const float *g, const float *m, const float *v, float *pNew, float *mNew,
                      float *vNew, int count, int step, cudaStream_t stream)
{
    const float rate = float(0.01 / (1.0 - pow(0.9, step)));
    const float scale = float(1.0 / (1.0 - pow(0.999, step)));
    const int threads = 256;
    adam<<<(count + threads - 1) / threads, threads, 0, stream>>>(p, g, m, v, pNew, mNew, vNew, count, rate, scale);
}
