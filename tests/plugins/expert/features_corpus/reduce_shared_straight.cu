// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

template <unsigned Block> __global__ void maximum(const float *in, float *out, int n)
{
    __shared__ float cells[Block];
    const unsigned t = threadIdx.x;
    const unsigned i = blockIdx.x * Block + t;
    cells[t] = in[i];
    __syncthreads();
    if (Block >= 512) {
        if (t < 256) cells[t] = fmaxf(cells[t], cells[t + 256]);
        __syncthreads();
    }
    if (Block >= 256) {
        if (t < 128) cells[t] = fmaxf(cells[t], cells[t + 128]);
        __syncthreads();
    }
    if (t < 64) cells[t] = fmaxf(cells[t], cells[t + 64]);
    __syncthreads();
    if (t < 32) {
        float v = fmaxf(cells[t], cells[t + 32]);
        for (int offset = 16; offset > 0; offset >>= 1)
            v = fmaxf(v, __shfl_down_sync(0xffffffffu, v, offset));
        if (t == 0) out[blockIdx.x] = v;
    }
}

extern "C" void solve(const float *in, float *out, int n, int threads, cudaStream_t stream)
{
    switch (threads) {
    case 512:
        maximum<512><<<n / 512, 512, 0, stream>>>(in, out, n);
        break;
    case 256:
        maximum<256><<<n / 256, 256, 0, stream>>>(in, out, n);
        break;
    default:
        maximum<128><<<n / 128, 128, 0, stream>>>(in, out, n);
    }
}
