// SPDX-License-Identifier: Apache-2.0
// One thread turns the same pair of all heads of a token: an angle is worked out once.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void rotate(const __half *x, const int *positions, __half *y, int tokens, int heads, int pairs)
{
    const int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= tokens * pairs)
        return;
    const int token = item / pairs;
    const int i = item % pairs;
    float s, c;
    sincosf(float(positions[token]) * powf(10000.0f, -float(i) / pairs), &s, &c);
    for (int h = 0; h < heads; ++h) {
        const size_t at = (size_t(token) * heads + h) * 2 * pairs + i;
        const float first = __half2float(x[at]);
        const float second = __half2float(x[at + pairs]);
        y[at] = __float2half(first * c - second * s);
        y[at + pairs] = __float2half(second * c + first * s);
    }
}

extern "C" void solve(const __half *x, const int *positions, __half *y, int tokens, int heads, int pairs,
                      cudaStream_t stream)
{
    const int threads = 256;
    const int items = tokens * pairs;
    rotate<<<(items + threads - 1) / threads, threads, 0, stream>>>(x, positions, y, tokens, heads, pairs);
}
