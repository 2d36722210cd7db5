// SPDX-License-Identifier: Apache-2.0
// One block works through one row: coalesced reads, tree reductions in shared memory, still three passes.
#include <cuda_runtime.h>

constexpr int threads = 256;

__global__ void rowSoftmax(const float *x, float *y, int cols)
{
    __shared__ float partial[threads];
    const int t = threadIdx.x;
    const float *in = x + size_t(blockIdx.x) * cols;
    float *out = y + size_t(blockIdx.x) * cols;

    float largest = in[0];
    for (int c = t; c < cols; c += threads)
        largest = fmaxf(largest, in[c]);
    partial[t] = largest;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half)
            partial[t] = fmaxf(partial[t], partial[t + half]);
        __syncthreads();
    }
    largest = partial[0];
    __syncthreads();

    float sum = 0.0f;
    for (int c = t; c < cols; c += threads)
        sum += expf(in[c] - largest);
    partial[t] = sum;
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
        if (t < half)
            partial[t] += partial[t + half];
        __syncthreads();
    }
    sum = partial[0];

    for (int c = t; c < cols; c += threads)
        out[c] = expf(in[c] - largest) / sum;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    rowSoftmax<<<rows, threads, 0, stream>>>(x, y, cols);
}
