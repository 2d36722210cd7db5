// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void inclusive_scan(const int *in, int *out, int n)
{
    extern __shared__ int buffer[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    buffer[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int reach = 1; reach < blockDim.x; reach *= 2) {
        int add = t >= reach ? buffer[t - reach] : 0;
        __syncthreads();
        buffer[t] += add;
        __syncthreads();
    }
    if (i < n) out[i] = buffer[t];
}

extern "C" void solve(const int *in, int *out, int n, cudaStream_t stream)
{
    inclusive_scan<<<(n + 1023) / 1024, 1024, 1024 * sizeof(int), stream>>>(in, out, n);
}
