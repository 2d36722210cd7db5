// SPDX-License-Identifier: Apache-2.0
// A block of 32 warps owns 32 columns: every warp takes each 32nd row, and the sums join in shared memory.
#include <cuda_runtime.h>

constexpr int warps = 32;

__global__ void __launch_bounds__(32 * warps)
    gemvTransposed(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int rows, int cols)
{
    __shared__ float sums[warps][33];
    const int lane = threadIdx.x;
    const int warp = threadIdx.y;
    const int c = blockIdx.x * 32 + lane;
    float sum = 0.0f;
    if (c < cols)
        for (int r = warp; r < rows; r += warps)
            sum += a[size_t(r) * cols + c] * x[r];
    sums[warp][lane] = sum;
    __syncthreads();
    sum = sums[lane][warp]; // a warp adds the sums of column `warp`
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    const int column = blockIdx.x * 32 + warp;
    if (lane == 0 && column < cols)
        y[column] = sum;
}

extern "C" void solve(const float *a, const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    gemvTransposed<<<(cols + 31) / 32, dim3(32, warps), 0, stream>>>(a, x, y, rows, cols);
}
