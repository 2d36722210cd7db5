// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <math_constants.h>

__device__ void merge(float &m, float &d, float m2, float d2)
{
    const float top = fmaxf(m, m2);
    d = d * __expf(m - top) + d2 * __expf(m2 - top);
    m = top;
}

__global__ void __launch_bounds__(128) softmax(const float *x, float *y, int cols)
{
    const int quads = cols >> 2;
    const float4 *in = reinterpret_cast<const float4 *>(x + size_t(blockIdx.x) * cols);
    float4 *out = reinterpret_cast<float4 *>(y + size_t(blockIdx.x) * cols);
    float m = -1e30f, d = 0.0f;
    for (int i = threadIdx.x; i < quads; i += 128) {
        const float4 v = in[i];
        merge(m, d, v.x, 1.0f);
        merge(m, d, v.y, 1.0f);
        merge(m, d, v.z, 1.0f);
        merge(m, d, v.w, 1.0f);
    }
    for (int k = 16; k > 0; k >>= 1)
        merge(m, d, __shfl_xor_sync(0xffffffffu, m, k), __shfl_xor_sync(0xffffffffu, d, k));
    __shared__ float2 parts[4];
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = make_float2(m, d);
    __syncthreads();
    m = parts[0].x;
    d = parts[0].y;
    for (int w = 1; w < 4; ++w)
        merge(m, d, parts[w].x, parts[w].y);
    const float scale = 1.0f / d;
    for (int i = threadIdx.x; i < quads; i += 128) {
        float4 v = in[i];
        v.x = __expf(v.x - m) * scale;
        v.y = __expf(v.y - m) * scale;
        v.z = __expf(v.z - m) * scale;
        v.w = __expf(v.w - m) * scale;
        out[i] = v;
    }
}

__global__ void softmax_any(const float *x, float *y, int cols)
{
    float m = -1e30f, d = 0.0f;
    for (int c = 0; c < cols; ++c)
        merge(m, d, x[size_t(blockIdx.x) * cols + c], 1.0f);
    for (int c = threadIdx.x; c < cols; c += 128)
        y[size_t(blockIdx.x) * cols + c] = __expf(x[size_t(blockIdx.x) * cols + c] - m) / d;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    if ((cols & 3) == 0)
        softmax<<<rows, 128, 0, stream>>>(x, y, cols);
    else
        softmax_any<<<rows, 128, 0, stream>>>(x, y, cols);
}
