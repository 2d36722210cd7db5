// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void generation(const unsigned char *now, unsigned char *next, int w, int h)
{
    const int x = threadIdx.x + blockIdx.x * blockDim.x, y = blockIdx.y;
    if (x >= w) return;
    const int left = (x + w - 1) % w, right = (x + 1) % w, up = (y + h - 1) % h, down = (y + 1) % h;
    const int alive = now[up * w + left] + now[up * w + x] + now[up * w + right] + now[y * w + left] +
                      now[y * w + right] + now[down * w + left] + now[down * w + x] + now[down * w + right];
    next[y * w + x] = alive == 3 || (alive == 2 && now[y * w + x]);
}

extern "C" void solve(const unsigned char *now, unsigned char *next, int w, int h, cudaStream_t stream)
{
    generation<<<dim3((w + 127) / 128, h), 128, 0, stream>>>(now, next, w, h);
}
