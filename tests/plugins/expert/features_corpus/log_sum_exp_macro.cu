// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#define WARP_ALL(value, op)                                                                                            \
    do {                                                                                                               \
        for (int _o = 16; _o > 0; _o >>= 1) {                                                                          \
            const float _t = __shfl_xor_sync(0xffffffffu, value, _o);                                                  \
            value = op(value, _t);                                                                                     \
        }                                                                                                              \
    } while (0)
#define PLUS(a, b) ((a) + (b))

__global__ void lse(const float *x, float *out, int cols)
{
    const float *row = x + (size_t)blockIdx.x * cols;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += 32)
        m = fmaxf(m, row[c]);
    WARP_ALL(m, fmaxf);
    float s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32)
        s += expf(row[c] - m);
    WARP_ALL(s, PLUS);
    if (threadIdx.x == 0) out[blockIdx.x] = m + logf(s);
}

extern "C" void solve(const float *x, float *out, int rows, int cols, cudaStream_t stream)
{
    lse<<<rows, 32, 0, stream>>>(x, out, cols);
}
