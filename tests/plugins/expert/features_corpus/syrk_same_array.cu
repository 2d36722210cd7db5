// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void gram(const float *X, float *G, int samples, int features)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= features || j >= features) return;
    float g = 0.0f;
    for (int s = 0; s < samples; ++s)
        g += X[s * features + i] * X[s * features + j];
    G[i * features + j] = g;
}

extern "C" void solve(const float *X, float *G, int samples, int features, cudaStream_t stream)
{
    dim3 grid((features + 15) / 16, (features + 15) / 16);
    gram<<<grid, dim3(16, 16), 0, stream>>>(X, G, samples, features);
}
