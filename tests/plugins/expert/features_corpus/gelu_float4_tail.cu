// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__device__ __forceinline__ float gelu(float x)
{
    return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

__global__ void gelu4(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int quads = n / 4;
    if (i < quads) {
        float4 v = reinterpret_cast<const float4 *>(x)[i];
        v.x = gelu(v.x);
        v.y = gelu(v.y);
        v.z = gelu(v.z);
        v.w = gelu(v.w);
        reinterpret_cast<float4 *>(y)[i] = v;
    }
    int rest = quads * 4 + i;
    if (i < 4 && rest < n) y[rest] = gelu(x[rest]);
}

extern "C" void solve(const float *x, float *y, int n, cudaStream_t stream)
{
    gelu4<<<(n / 4 + 256) / 256, 256, 0, stream>>>(x, y, n);
}
