// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void relu(const float *__restrict__ in, float *__restrict__ out, size_t count)
{
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
        out[i] = fmaxf(in[i], 0.0f);
}

extern "C" void solve(const float *in, float *out, int count, cudaStream_t stream)
{
    relu<<<1056, 256, 0, stream>>>(in, out, size_t(count));
}
