// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void blur(const float *x, float *y, int n, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    int used = 0;
    for (int d = -radius; d <= radius; ++d) {
        int j = i + d;
        if (j < 0 || j >= n) continue;
        sum += x[j];
        ++used;
    }
    y[i] = sum / used;
}

extern "C" void solve(const float *x, float *y, int n, int radius, cudaStream_t stream)
{
    blur<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n, radius);
}
