// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void transpose_kernel(float *odata, const float *idata, int w, int h)
{
    extern __shared__ float buf[];
    unsigned xi = blockIdx.x * 16 + threadIdx.x, yi = blockIdx.y * 16 + threadIdx.y;
    if (xi < w && yi < h) buf[threadIdx.y * 17 + threadIdx.x] = idata[yi * w + xi];
    __syncthreads();
    xi = blockIdx.y * 16 + threadIdx.x;
    yi = blockIdx.x * 16 + threadIdx.y;
    if (xi < h && yi < w) odata[yi * h + xi] = buf[threadIdx.x * 17 + threadIdx.y];
}

extern "C" void solve(const float *idata, float *odata, int w, int h, cudaStream_t stream)
{
    transpose_kernel<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16), 16 * 17 * sizeof(float), stream>>>(odata, idata,
                                                                                                           w, h);
}
