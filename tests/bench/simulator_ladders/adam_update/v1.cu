// SPDX-License-Identifier: Apache-2.0
// One kernel for all three formulas, so the new moments are not read again.
#include <cuda_runtime.h>

__global__ void adam(const float *p, const float *g, const float *m, const float *v, float *pNew, float *mNew,
                     float *vNew, int count, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float gradient = g[i];
    float first = 0.9f * m[i] + 0.1f * gradient;
    float second = 0.999f * v[i] + 0.001f * gradient * gradient;
    mNew[i] = first;
    vNew[i] = second;
    float mean = first / (1.0 - pow(0.9, step));
    float spread = second / (1.0 - pow(0.999, step));
    pNew[i] = p[i] - 0.01f * mean / (sqrtf(spread) + 1e-8f);
}

extern "C" void solve(const float *p, const float *g, const float *m, const float *v, float *pNew, float *mNew,
                      float *vNew, int count, int step, cudaStream_t stream)
{
    const int threads = 256;
    adam<<<(count + threads - 1) / threads, threads, 0, stream>>>(p, g, m, v, pNew, mNew, vNew, count, step);
}
