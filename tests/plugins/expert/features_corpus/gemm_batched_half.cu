// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void bmm(const __half *a, const __half *b, __half *c, int m, int n, int k)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y;
    const int batch = blockIdx.z;
    if (col >= n) return;
    const __half *left = a + (size_t)batch * m * k;
    const __half *right = b + (size_t)batch * k * n;
    float acc = 0.0f;
    for (int i = 0; i < k; ++i)
        acc += __half2float(left[row * k + i]) * __half2float(right[i * n + col]);
    c[(size_t)batch * m * n + row * n + col] = __float2half(acc);
}

extern "C" void solve(const __half *a, const __half *b, __half *c, int batch, int m, int n, int k, cudaStream_t stream)
{
    bmm<<<dim3((n + 127) / 128, m, batch), 128, 0, stream>>>(a, b, c, m, n, k);
}
