// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void fused(const float *x, const float *bias, const float *skip, float *y, int rows, int cols)
{
    const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (row >= rows) return;
    const int quads = cols / 4;
    const float4 *xr = reinterpret_cast<const float4 *>(x) + row * quads;
    const float4 *sr = reinterpret_cast<const float4 *>(skip) + row * quads;
    const float4 *br = reinterpret_cast<const float4 *>(bias);
    float4 *yr = reinterpret_cast<float4 *>(y) + row * quads;
    float sum = 0.0f;
    for (int i = lane; i < quads; i += 32) {
        float4 a = xr[i], b = br[i], s = sr[i];
        float *av = &a.x;
        const float *bv = &b.x, *sv = &s.x;
        for (int k = 0; k < 4; ++k) {
            const float t = av[k] + bv[k];
            av[k] = t * normcdff(t) + sv[k];
            sum += av[k] * av[k];
        }
        yr[i] = a;
    }
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    const float r = rsqrtf(sum / cols + 1e-6f);
    for (int i = lane; i < quads; i += 32) {
        float4 v = yr[i];
        yr[i] = make_float4(v.x * r, v.y * r, v.z * r, v.w * r);
    }
}

extern "C" void solve(const float *x, const float *bias, const float *skip, float *y, int rows, int cols, cudaStream_t stream)
{
    fused<<<(rows + 3) / 4, 128, 0, stream>>>(x, bias, skip, y, rows, cols);
}
