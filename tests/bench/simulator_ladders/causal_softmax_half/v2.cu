// SPDX-License-Identifier: Apache-2.0
// One warp a row, no barriers: greatest and sum in one pass that rescales, joined by shuffles; then a second pass.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <math.h>

constexpr int warps = 8;

__global__ void __launch_bounds__(32 * warps)
    causalSoftmax(const __half *__restrict__ s, __half *__restrict__ y, int rows, int n)
{
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * warps + threadIdx.x / 32;
    if (row >= rows)
        return;
    const __half *in = s + size_t(row) * n;
    __half *out = y + size_t(row) * n;
    const int many = row % n + 1;
    float largest = -INFINITY;
    float sum = 0.0f;
    for (int c = lane; c < many; c += 32) {
        const float value = __half2float(in[c]);
        if (value > largest) {
            sum *= __expf(largest - value);
            largest = value;
        }
        sum += __expf(value - largest);
    }
    float all = largest;
    for (int step = 16; step > 0; step /= 2)
        all = fmaxf(all, __shfl_xor_sync(~0u, all, step));
    sum *= __expf(largest - all); // 0 for a lane without elements
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    const float scale = 1.0f / sum;
    for (int c = lane; c < n; c += 32)
        out[c] = c < many ? __float2half(__expf(__half2float(in[c]) - all) * scale) : __float2half(0.0f);
}

extern "C" void solve(const __half *s, __half *y, int heads, int n, cudaStream_t stream)
{
    const int rows = heads * n;
    causalSoftmax<<<(rows + warps - 1) / warps, 32 * warps, 0, stream>>>(s, y, rows, n);
}
