// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void add_scalar(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void add_vector(const float4 *a, const float4 *b, float4 *c, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        const float4 p = a[i], q = b[i];
        c[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    }
}

extern "C" void solve(const float *a, const float *b, float *c, int n, cudaStream_t stream)
{
    if (n % 4 == 0) {
        const int quads = n / 4;
        add_vector<<<(quads + 255) / 256, 256, 0, stream>>>((const float4 *)a, (const float4 *)b, (float4 *)c, quads);
    } else {
        add_scalar<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
    }
}
