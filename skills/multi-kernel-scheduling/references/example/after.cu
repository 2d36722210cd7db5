// SPDX-License-Identifier: Apache-2.0
// Two launches in all. Tensors run side by side, one to a row of blocks; the order of the stream stands only where it
// is needed, between the momenta and their use. The host waits for nothing.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

// Where the thread's value lies among all tensors, or nothing: the grid is as wide as the longest tensor needs.
__device__ bool placeOf(int tensor, int unit, size_t *at)
{
    const int i = blockIdx.x * kThreads + threadIdx.x;
    *at = size_t(unit) * tensor * (tensor + 1) / 2 + i;
    return i < (tensor + 1) * unit;
}

__global__ void updateMomentum(const float *gradient, float *m, int unit)
{
    size_t i;
    if (placeOf(blockIdx.y, unit, &i))
        m[i] = 0.9f * m[i] + gradient[i];
}

__global__ void updateWeights(const float *rate, const float *m, float *w, int unit)
{
    size_t i;
    if (placeOf(blockIdx.y, unit, &i))
        w[i] -= rate[blockIdx.y] * m[i];
}

extern "C" void solve(const float *gradient, const float *rate, float *m, float *w, int tensors, int unit,
                      cudaStream_t stream)
{
    const dim3 blocks((tensors * unit + kThreads - 1) / kThreads, tensors);
    updateMomentum<<<blocks, kThreads, 0, stream>>>(gradient, m, unit);
    updateWeights<<<blocks, kThreads, 0, stream>>>(rate, m, w, unit);
}
