// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

struct Swish
{
    float beta;
    __device__ float operator()(float gate, float up) const { return gate / (1.0f + expf(-beta * gate)) * up; }
};

template <typename T, typename Op> __global__ void zip(const T *a, const T *b, T *out, int n, Op op)
{
    const int id = threadIdx.x + blockIdx.x * blockDim.x;
    if (id < n) out[id] = op(a[id], b[id]);
}

extern "C" void solve(const float *gate, const float *up, float *out, int n, cudaStream_t stream)
{
    Swish op{1.0f};
    zip<float, Swish><<<(n + 511) / 512, 512, 0, stream>>>(gate, up, out, n, op);
}
