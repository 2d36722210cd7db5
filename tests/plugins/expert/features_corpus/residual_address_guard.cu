// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cuda_runtime.h>

__global__ void residual(const float *x, const float *skip, float *y, int cols)
{
    const long base = (long)blockIdx.x * cols;
    const float *xr = x + base;
    const float *sr = skip + base;
    float *yr = y + base;
    int done = 0;
    if (((reinterpret_cast<uintptr_t>(xr) | reinterpret_cast<uintptr_t>(sr) | reinterpret_cast<uintptr_t>(yr)) & 15) ==
        0) {
        const int quads = cols / 4;
        for (int i = threadIdx.x; i < quads; i += blockDim.x) {
            const float4 a = ((const float4 *)xr)[i];
            const float4 b = ((const float4 *)sr)[i];
            ((float4 *)yr)[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
        }
        done = quads * 4;
    }
    for (int i = done + threadIdx.x; i < cols; i += blockDim.x)
        yr[i] = xr[i] + sr[i];
}

extern "C" void solve(const float *x, const float *skip, float *y, int rows, int cols, cudaStream_t stream)
{
    residual<<<rows, 128, 0, stream>>>(x, skip, y, cols);
}
