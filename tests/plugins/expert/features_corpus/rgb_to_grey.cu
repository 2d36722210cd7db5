// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void grey(const unsigned char *rgb, unsigned char *out, int pixels)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pixels) return;
    const float r = rgb[3 * p], g = rgb[3 * p + 1], b = rgb[3 * p + 2];
    out[p] = (unsigned char)(0.299f * r + 0.587f * g + 0.114f * b + 0.5f);
}

extern "C" void solve(const unsigned char *rgb, unsigned char *out, int pixels, cudaStream_t stream)
{
    grey<<<(pixels + 255) / 256, 256, 0, stream>>>(rgb, out, pixels);
}
