// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void butterfly(const float2 *in, float2 *out, int n, int span)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2) return;
    const int k = t & (span - 1);
    float s, c;
    __sincosf(-3.14159265f * k / span, &s, &c);
    const float2 a = in[t], b = in[t + n / 2];
    const float2 w = {b.x * c - b.y * s, b.x * s + b.y * c};
    const int to = ((t - k) << 1) + k;
    out[to] = make_float2(a.x + w.x, a.y + w.y);
    out[to + span] = make_float2(a.x - w.x, a.y - w.y);
}

extern "C" void solve(const float *in, float *out, int n, int span, cudaStream_t stream)
{
    butterfly<<<(n / 2 + 255) / 256, 256, 0, stream>>>((const float2 *)in, (float2 *)out, n, span);
}
