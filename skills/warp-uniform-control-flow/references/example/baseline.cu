// SPDX-License-Identifier: Apache-2.0
// One thread writes one feature. Even lanes want a sine, odd lanes a cosine: every warp runs both.
#include <cuda_runtime.h>

__global__ void encode(const float *t, const float *w, float *y, int frequencies)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y;
    if (col >= 2 * frequencies)
        return;
    const float angle = t[row] * w[col / 2];
    float value;
    if (col % 2 == 0)
        value = sinf(angle);
    else
        value = cosf(angle);
    y[size_t(row) * 2 * frequencies + col] = value;
}

extern "C" void solve(const float *t, const float *w, float *y, int rows, int frequencies, cudaStream_t stream)
{
    constexpr int threads = 256;
    const dim3 blocks((2 * frequencies + threads - 1) / threads, rows);
    encode<<<blocks, threads, 0, stream>>>(t, w, y, frequencies);
}
