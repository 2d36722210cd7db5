// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void step(float *v, int j, int k)
{
    const unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
    const unsigned int p = i ^ j;
    if (p > i) {
        const float a = v[i], b = v[p];
        const bool up = (i & k) == 0;
        if ((a > b) == up) {
            v[i] = b;
            v[p] = a;
        }
    }
}

extern "C" void solve(float *v, int n, cudaStream_t stream)
{
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1)
            step<<<n / 256, 256, 0, stream>>>(v, j, k);
}
