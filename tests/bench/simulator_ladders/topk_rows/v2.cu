// SPDX-License-Identifier: Apache-2.0
// One pass: every thread of the row's block keeps its own four in registers, and a tree in shared memory joins them.
#include <cfloat>
#include <cuda_runtime.h>

constexpr int threads = 256;

__device__ void insert(float (&best)[4], float value)
{
    if (value <= best[3])
        return;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float greater = fmaxf(best[i], value);
        value = fminf(best[i], value);
        best[i] = greater;
    }
}

__global__ void greatest(const float *x, float *y, int cols)
{
    __shared__ float lists[4][threads];
    const int t = threadIdx.x;
    const float *in = x + size_t(blockIdx.x) * cols;
    float best[4] = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (int c = t; c < cols; c += threads)
        insert(best, in[c]);
    for (int i = 0; i < 4; ++i)
        lists[i][t] = best[i];
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half) {
            for (int i = 0; i < 4; ++i)
                insert(best, lists[i][t + half]);
            for (int i = 0; i < 4; ++i)
                lists[i][t] = best[i];
        }
        __syncthreads();
    }
    if (t < 4)
        y[size_t(blockIdx.x) * 4 + t] = lists[t][0];
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    greatest<<<rows, threads, 0, stream>>>(x, y, cols);
}
