// SPDX-License-Identifier: Apache-2.0
// One block of 256 threads a row, with a tree in shared memory at the end.
#include <cuda_runtime.h>

#include <math.h>

constexpr int threads = 256;

struct Find
{
    float value;
    int index;
};

__device__ Find better(Find a, Find b)
{
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

__global__ void argmax(const float *x, int *index, float *value, int cols)
{
    __shared__ Find finds[threads];
    const int t = threadIdx.x;
    const float *row = x + size_t(blockIdx.x) * cols;
    Find best{-INFINITY, cols};
    for (int c = t; c < cols; c += threads)
        best = better(best, {row[c], c});
    finds[t] = best;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half)
            finds[t] = better(finds[t], finds[t + half]);
        __syncthreads();
    }
    if (t == 0) {
        index[blockIdx.x] = finds[0].index;
        value[blockIdx.x] = finds[0].value;
    }
}

extern "C" void solve(const float *x, int *index, float *value, int rows, int cols, cudaStream_t stream)
{
    argmax<<<rows, threads, 0, stream>>>(x, index, value, cols);
}
