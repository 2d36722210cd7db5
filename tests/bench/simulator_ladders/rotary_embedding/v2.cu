// SPDX-License-Identifier: Apache-2.0
// One thread a pair: coalesced.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void rotate(const __half *x, const int *positions, __half *y, int tokens, int heads, int pairs)
{
    const int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= tokens * heads * pairs)
        return;
    const int row = item / pairs;
    const int i = item % pairs;
    const size_t at = size_t(row) * 2 * pairs + i;
    const float angle = float(positions[row / heads]) * powf(10000.0f, -float(i) / pairs);
    const float c = cosf(angle);
    const float s = sinf(angle);
    const float first = __half2float(x[at]);
    const float second = __half2float(x[at + pairs]);
    y[at] = __float2half(first * c - second * s);
    y[at + pairs] = __float2half(second * c + first * s);
}

extern "C" void solve(const __half *x, const int *positions, __half *y, int tokens, int heads, int pairs,
                      cudaStream_t stream)
{
    const int threads = 256;
    const int items = tokens * heads * pairs;
    rotate<<<(items + threads - 1) / threads, threads, 0, stream>>>(x, positions, y, tokens, heads, pairs);
}
