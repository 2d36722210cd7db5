// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void copy16(const uint4 *__restrict__ from, uint4 *__restrict__ to, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words) to[i] = __ldg(&from[i]);
}

extern "C" void solve(const float *from, float *to, int n, cudaStream_t stream)
{
    const int words = n / 4;
    copy16<<<(words + 255) / 256, 256, 0, stream>>>((const uint4 *)from, (uint4 *)to, words);
}
