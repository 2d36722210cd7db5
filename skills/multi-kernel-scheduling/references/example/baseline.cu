// SPDX-License-Identifier: Apache-2.0
// Two launches a tensor, one tensor after the other, and the host waits for each. The tensors do not depend on one
// another, but the stream does not know that.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void updateMomentum(const float *gradient, float *m, int count)
{
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < count)
        m[i] = 0.9f * m[i] + gradient[i];
}

__global__ void updateWeights(const float *rate, const float *m, float *w, int count)
{
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < count)
        w[i] -= *rate * m[i];
}

extern "C" void solve(const float *gradient, const float *rate, float *m, float *w, int tensors, int unit,
                      cudaStream_t stream)
{
    size_t start = 0;
    for (int t = 0; t < tensors; ++t) {
        const int count = (t + 1) * unit, blocks = (count + kThreads - 1) / kThreads;
        updateMomentum<<<blocks, kThreads, 0, stream>>>(gradient + start, m + start, count);
        updateWeights<<<blocks, kThreads, 0, stream>>>(rate + t, m + start, w + start, count);
        cudaStreamSynchronize(stream);
        start += count;
    }
}
