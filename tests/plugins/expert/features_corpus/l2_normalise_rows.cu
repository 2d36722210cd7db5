// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void normalise(const float *x, float *y, int rows, int cols)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int lane = threadIdx.x & 31;
    if (warp >= rows) return;
    const float *row = x + (long)warp * cols;
    float square = 0.0f;
    for (int c = lane; c < cols; c += 32)
        square += row[c] * row[c];
#pragma unroll
    for (int m = 16; m > 0; m >>= 1)
        square += __shfl_xor_sync(~0u, square, m);
    const float inverse = rsqrtf(square + 1e-12f);
    for (int c = lane; c < cols; c += 32)
        y[(long)warp * cols + c] = row[c] * inverse;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    normalise<<<(rows * 32 + 255) / 256, 256, 0, stream>>>(x, y, rows, cols);
}
