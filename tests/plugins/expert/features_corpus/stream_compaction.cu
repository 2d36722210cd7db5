// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void keep_positive(const float *in, float *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0.0f) {
        const int place = atomicAdd(count, 1);
        out[place] = in[i];
    }
}

extern "C" void solve(const float *in, float *out, int *count, int n, cudaStream_t stream)
{
    cudaMemsetAsync(count, 0, sizeof(int), stream);
    keep_positive<<<(n + 255) / 256, 256, 0, stream>>>(in, out, count, n);
}
