// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void block_sums(const float *in, float *out, int n)
{
    extern __shared__ float partial[];
    const unsigned int t = threadIdx.x;
    const unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    partial[t] = (i < n ? in[i] : 0.0f) + (i + blockDim.x < n ? in[i + blockDim.x] : 0.0f);
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) partial[t] += partial[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

extern "C" void solve(const float *in, float *scratch, float *out, int n, cudaStream_t stream)
{
    const int blocks = (n + 511) / 512;
    block_sums<<<blocks, 256, 256 * sizeof(float), stream>>>(in, scratch, n);
    block_sums<<<1, 256, 256 * sizeof(float), stream>>>(scratch, out, blocks);
}
