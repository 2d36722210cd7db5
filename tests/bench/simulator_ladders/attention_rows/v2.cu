// SPDX-License-Identifier: Apache-2.0
// One pass: whenever a score exceeds the largest so far, what has been added up is scaled down (online softmax).
#include <cuda_runtime.h>

#include <math.h>

constexpr int dim = 64;
constexpr int queries = 64; // of a block, one a thread
constexpr int tile = 32;    // keys in shared memory at a time

// Tokens first … first + tile − 1, without those beyond the end.
__device__ void load(float (&to)[tile][dim], const float *from, int first, int tokens)
{
    for (int i = threadIdx.x; i < min(tile, tokens - first) * dim; i += queries)
        to[i / dim][i % dim] = from[size_t(first) * dim + i];
}

__device__ float score(const float (&query)[dim], const float (&key)[dim])
{
    float sum = 0.0f;
#pragma unroll
    for (int d = 0; d < dim; ++d)
        sum += query[d] * key[d];
    return sum * 0.125f;
}

__global__ void __launch_bounds__(queries)
    attention(const float *q, const float *k, const float *v, float *y, int tokens)
{
    __shared__ __align__(16) float keys[tile][dim];
    __shared__ __align__(16) float values[tile][dim];
    const size_t head = size_t(blockIdx.y) * tokens * dim;
    const int i = blockIdx.x * queries + threadIdx.x;
    float query[dim], result[dim];
#pragma unroll
    for (int d = 0; d < dim; ++d) {
        query[d] = i < tokens ? q[head + size_t(i) * dim + d] : 0.0f;
        result[d] = 0.0f;
    }
    float largest = -INFINITY, sum = 0.0f;
    for (int first = 0; first < tokens; first += tile) {
        load(keys, k + head, first, tokens);
        load(values, v + head, first, tokens);
        __syncthreads();
        for (int j = 0; j < min(tile, tokens - first); ++j) {
            const float s = score(query, keys[j]);
            if (s > largest) {
                const float scale = expf(largest - s);
                largest = s;
                sum *= scale;
#pragma unroll
                for (int d = 0; d < dim; ++d)
                    result[d] *= scale;
            }
            const float weight = expf(s - largest);
            sum += weight;
#pragma unroll
            for (int d = 0; d < dim; ++d)
                result[d] += weight * values[j][d];
        }
        __syncthreads();
    }
    if (i < tokens)
#pragma unroll
        for (int d = 0; d < dim; ++d)
            y[head + size_t(i) * dim + d] = result[d] / sum;
}

extern "C" void solve(const float *q, const float *k, const float *v, float *y, int heads, int tokens,
                      cudaStream_t stream)
{
    attention<<<dim3((tokens + queries - 1) / queries, heads), queries, 0, stream>>>(q, k, v, y, tokens);
}
