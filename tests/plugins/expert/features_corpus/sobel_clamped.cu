// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__device__ int clamped(int v, int limit) { return min(max(v, 0), limit - 1); }

__global__ void sobel(const unsigned char *image, float *edges, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
#define AT(dx, dy) float(image[clamped(y + (dy), height) * width + clamped(x + (dx), width)])
    const float gx = AT(1, -1) + 2 * AT(1, 0) + AT(1, 1) - AT(-1, -1) - 2 * AT(-1, 0) - AT(-1, 1);
    const float gy = AT(-1, 1) + 2 * AT(0, 1) + AT(1, 1) - AT(-1, -1) - 2 * AT(0, -1) - AT(1, -1);
#undef AT
    edges[y * width + x] = sqrtf(gx * gx + gy * gy);
}

extern "C" void solve(const unsigned char *image, float *edges, int width, int height, cudaStream_t stream)
{
    sobel<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16), 0, stream>>>(image, edges, width, height);
}
