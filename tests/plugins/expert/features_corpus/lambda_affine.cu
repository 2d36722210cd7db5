// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

template <typename F> __global__ void transform(const float *in, float *out, int n, F f)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (!(i < n)) return;
    out[i] = f(in[i]);
}

extern "C" void solve(const float *in, float *out, float a, float b, int n, cudaStream_t stream)
{
    auto affine = [=] __device__(float v) { return v * a + b; };
    transform<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n, affine);
}
