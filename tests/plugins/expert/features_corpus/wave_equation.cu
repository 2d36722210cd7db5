// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#define IDX(i, j) ((i) * ny + (j))

__global__ void wave(const float *previous, const float *current, float *next, float c2, int nx, int ny)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i == 0 || j == 0 || i >= nx - 1 || j >= ny - 1) return;
    const float centre = current[IDX(i, j)];
    const float lap = current[IDX(i + 1, j)] + current[IDX(i - 1, j)] + current[IDX(i, j + 1)] + current[IDX(i, j - 1)] - 4 * centre;
    next[IDX(i, j)] = 2 * centre - previous[IDX(i, j)] + c2 * lap;
}

extern "C" void solve(const float *previous, const float *current, float *next, float c2, int nx, int ny, cudaStream_t stream)
{
    wave<<<dim3((ny + 31) / 32, (nx + 7) / 8), dim3(32, 8), 0, stream>>>(previous, current, next, c2, nx, ny);
}
