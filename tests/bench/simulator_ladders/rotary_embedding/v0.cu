// SPDX-License-Identifier: Apache-2.0
// One thread turns one head of one token, with the angles in double precision.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void rotate(const __half *x, const int *positions, __half *y, int tokens, int heads, int pairs)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= tokens * heads)
        return;
    const __half *in = x + size_t(row) * 2 * pairs;
    __half *out = y + size_t(row) * 2 * pairs;
    int position = positions[row / heads];
    for (int i = 0; i < pairs; ++i) {
        double angle = position * pow(10000.0, -double(i) / pairs);
        float c = cos(angle);
        float s = sin(angle);
        float first = __half2float(in[i]);
        float second = __half2float(in[pairs + i]);
        out[i] = __float2half(first * c - second * s);
        out[pairs + i] = __float2half(second * c + first * s);
    }
}

extern "C" void solve(const __half *x, const int *positions, __half *y, int tokens, int heads, int pairs,
                      cudaStream_t stream)
{
    const int threads = 128;
    rotate<<<(tokens * heads + threads - 1) / threads, threads, 0, stream>>>(x, positions, y, tokens, heads, pairs);
}
