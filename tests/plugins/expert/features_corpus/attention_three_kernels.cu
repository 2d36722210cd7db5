// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void scores(const float *q, const float *k, float *s, int n, int d)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j >= n) return;
    float acc = 0.0f;
    for (int c = 0; c < d; ++c)
        acc += q[i * d + c] * k[j * d + c];
    s[i * n + j] = acc * rsqrtf((float)d);
}

__global__ void softmax_rows(float *s, int n)
{
    float *row = s + blockIdx.x * n;
    float top = -1e38f, sum = 0.0f;
    for (int j = threadIdx.x; j < n; j += 32)
        top = fmaxf(top, row[j]);
    for (int o = 16; o; o >>= 1)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    for (int j = threadIdx.x; j < n; j += 32)
        sum += expf(row[j] - top);
    for (int o = 16; o; o >>= 1)
        sum += __shfl_xor_sync(~0u, sum, o);
    for (int j = threadIdx.x; j < n; j += 32)
        row[j] = expf(row[j] - top) / sum;
}

__global__ void weighted(const float *p, const float *v, float *o, int n, int d)
{
    const int c = threadIdx.x, i = blockIdx.x;
    float acc = 0.0f;
    for (int j = 0; j < n; ++j)
        acc += p[i * n + j] * v[j * d + c];
    o[i * d + c] = acc;
}

extern "C" void solve(const float *q, const float *k, const float *v, float *s, float *o, int n, int d,
                      cudaStream_t stream)
{
    scores<<<dim3((n + 127) / 128, n), 128, 0, stream>>>(q, k, s, n, d);
    softmax_rows<<<n, 32, 0, stream>>>(s, n);
    weighted<<<n, d, 0, stream>>>(s, v, o, n, d);
}
