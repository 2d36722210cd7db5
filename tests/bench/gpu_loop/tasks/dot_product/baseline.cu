// SPDX-License-Identifier: Apache-2.0
// One thread adds one product; all of them meet at one address.
#include <cuda_runtime.h>

__global__ void clear(float *sum)
{
    sum[0] = 0.0f;
}

__global__ void addAll(const float *x, const float *w, float *sum, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) atomicAdd(sum, x[i] * w[i]);
}

extern "C" void solve(const float *x, const float *w, float *sum, int length, cudaStream_t stream)
{
    clear<<<1, 1, 0, stream>>>(sum);
    addAll<<<(length + 255) / 256, 256, 0, stream>>>(x, w, sum, length);
}
