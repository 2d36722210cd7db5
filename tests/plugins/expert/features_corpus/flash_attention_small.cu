// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

constexpr int kDim = 64, kKeys = 32, kQueries = 64;

__global__ void attention(const float *q, const float *k, const float *v, float *o, int n, float scale)
{
    __shared__ float ks[kKeys][kDim];
    __shared__ float vs[kKeys][kDim];
    const int i = blockIdx.x * kQueries + threadIdx.x;
    float mine[kDim], acc[kDim];
    for (int c = 0; c < kDim; ++c) {
        mine[c] = q[i * kDim + c] * scale;
        acc[c] = 0.0f;
    }
    float m = -1e30f, l = 0.0f;
    for (int j0 = 0; j0 < n; j0 += kKeys) {
        for (int t = threadIdx.x; t < kKeys * kDim; t += kQueries) {
            ks[t / kDim][t % kDim] = k[j0 * kDim + t];
            vs[t / kDim][t % kDim] = v[j0 * kDim + t];
        }
        __syncthreads();
        for (int j = 0; j < kKeys; ++j) {
            float s = 0.0f;
            for (int c = 0; c < kDim; ++c)
                s += mine[c] * ks[j][c];
            const float top = fmaxf(m, s);
            const float keep = __expf(m - top), p = __expf(s - top);
            l = l * keep + p;
            for (int c = 0; c < kDim; ++c)
                acc[c] = acc[c] * keep + p * vs[j][c];
            m = top;
        }
        __syncthreads();
    }
    for (int c = 0; c < kDim; ++c)
        o[i * kDim + c] = acc[c] / l;
}

extern "C" void solve(const float *q, const float *k, const float *v, float *o, int n, cudaStream_t stream)
{
    attention<<<n / kQueries, kQueries, 0, stream>>>(q, k, v, o, n, 0.125f);
}
