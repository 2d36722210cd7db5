// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void rms_norm(const half *x, const half *weight, half *y, int pairs)
{
    const half2 *in = reinterpret_cast<const half2 *>(x) + blockIdx.x * pairs;
    const half2 *w = reinterpret_cast<const half2 *>(weight);
    half2 *out = reinterpret_cast<half2 *>(y) + blockIdx.x * pairs;
    __shared__ float parts[32];
    float square = 0.0f;
    for (int p = threadIdx.x; p < pairs; p += blockDim.x) {
        const float2 v = __half22float2(in[p]);
        square += v.x * v.x + v.y * v.y;
    }
    for (int o = 16; o > 0; o >>= 1)
        square += __shfl_xor_sync(0xffffffffu, square, o);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = square;
    __syncthreads();
    float total = 0.0f;
    for (int i = 0; i < blockDim.x / 32; ++i)
        total += parts[i];
    const float scale = rsqrtf(total / (2 * pairs) + 1e-6f);
    for (int p = threadIdx.x; p < pairs; p += blockDim.x) {
        const float2 v = __half22float2(in[p]), g = __half22float2(w[p]);
        out[p] = __floats2half2_rn(v.x * scale * g.x, v.y * scale * g.y);
    }
}

extern "C" void solve(const half *x, const half *weight, half *y, int rows, int cols, cudaStream_t stream)
{
    rms_norm<<<rows, 256, 0, stream>>>(x, weight, y, cols / 2);
}
