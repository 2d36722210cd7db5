// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void distances(const float *a, const float *b, float *out, int m, int n, int d)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < d; ++k) {
        const float t = a[i * d + k] - b[j * d + k];
        sum += t * t;
    }
    out[i * n + j] = sqrtf(sum);
}

extern "C" void solve(const float *a, const float *b, float *out, int m, int n, int d, cudaStream_t stream)
{
    distances<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16), 0, stream>>>(a, b, out, m, n, d);
}
