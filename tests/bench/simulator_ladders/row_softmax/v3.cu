// SPDX-License-Identifier: Apache-2.0
// The row stays in shared memory between the passes, so device memory is read once (rows too long for that are
// read again).
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int longestCached = 8192;

template <bool largestOf> __device__ float blockReduce(float value, float *partial)
{
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_xor_sync(~0u, value, step);
        value = largestOf ? fmaxf(value, other) : value + other;
    }
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = partial[0];
    for (int w = 1; w < warps; ++w)
        value = largestOf ? fmaxf(value, partial[w]) : value + partial[w];
    __syncthreads();
    return value;
}

template <bool cached> __global__ void rowSoftmax(const float *x, float *y, int cols)
{
    extern __shared__ float row[];
    __shared__ float partial[warps];
    const int t = threadIdx.x;
    const float *in = x + size_t(blockIdx.x) * cols;
    float *out = y + size_t(blockIdx.x) * cols;

    float largest = in[0];
    for (int c = t; c < cols; c += threads) {
        const float v = in[c];
        if (cached)
            row[c] = v;
        largest = fmaxf(largest, v);
    }
    largest = blockReduce<true>(largest, partial);

    float sum = 0.0f;
    for (int c = t; c < cols; c += threads) {
        const float e = __expf((cached ? row[c] : in[c]) - largest);
        if (cached)
            row[c] = e;
        sum += e;
    }
    const float scale = 1.0f / blockReduce<false>(sum, partial);

    for (int c = t; c < cols; c += threads)
        out[c] = (cached ? row[c] : __expf(in[c] - largest)) * scale;
}

extern "C" void solve(const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    if (cols <= longestCached)
        rowSoftmax<true><<<rows, threads, cols * sizeof(float), stream>>>(x, y, cols);
    else
        rowSoftmax<false><<<rows, threads, 0, stream>>>(x, y, cols);
}
