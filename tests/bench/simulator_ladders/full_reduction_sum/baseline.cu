// SPDX-License-Identifier: Apache-2.0
// Every thread adds its element to the result: all additions queue at one address.
#include <cuda_runtime.h>

__global__ void sumAll(const float *x, float *y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(y, x[i]);
}

extern "C" void solve(const float *x, float *y, int count, cudaStream_t stream)
{
    cudaMemsetAsync(y, 0, sizeof(float), stream);
    const int threads = 256;
    sumAll<<<(count + threads - 1) / threads, threads, 0, stream>>>(x, y, count);
}
