// SPDX-License-Identifier: Apache-2.0
// Four threads a query, each with sixteen of the 64 dimensions: four times as many warps and fewer registers; two
// shuffles make a score of its four parts.
#include <cuda_runtime.h>

#include <math.h>

constexpr int dim = 64;
constexpr int parts = 4;            // threads a query
constexpr int share = dim / parts;  // dimensions of a thread: part p has 16·g + 4·p + (0 … 3) for g = 0 … 3
constexpr int queries = 64;         // of a block
constexpr int threads = queries * parts;
constexpr int tile = 32;            // keys in shared memory at a time

__device__ int dimension(int part, int n)
{
    return n / 4 * 16 + part * 4 + n % 4;
}

// Tokens first … first + tile − 1, without those beyond the end.
__device__ void load(float (&to)[tile][dim], const float *from, int first, int tokens)
{
    for (int i = threadIdx.x; i < min(tile, tokens - first) * dim; i += threads)
        to[i / dim][i % dim] = from[size_t(first) * dim + i];
}

__global__ void __launch_bounds__(threads)
    attention(const float *q, const float *k, const float *v, float *y, int tokens)
{
    __shared__ __align__(16) float keys[tile][dim];
    __shared__ __align__(16) float values[tile][dim];
    const size_t head = size_t(blockIdx.y) * tokens * dim;
    const int i = blockIdx.x * queries + threadIdx.x / parts;
    const int part = threadIdx.x % parts;
    float query[share], result[share];
#pragma unroll
    for (int n = 0; n < share; ++n) {
        query[n] = i < tokens ? q[head + size_t(i) * dim + dimension(part, n)] : 0.0f;
        result[n] = 0.0f;
    }
    float largest = -INFINITY, sum = 0.0f;
    for (int first = 0; first < tokens; first += tile) {
        load(keys, k + head, first, tokens);
        load(values, v + head, first, tokens);
        __syncthreads();
        for (int j = 0; j < min(tile, tokens - first); ++j) {
            float s = 0.0f;
#pragma unroll
            for (int n = 0; n < share; ++n)
                s += query[n] * keys[j][dimension(part, n)];
            s += __shfl_xor_sync(0xffffffffu, s, 1);
            s += __shfl_xor_sync(0xffffffffu, s, 2);
            s *= 0.125f;
            if (s > largest) {
                const float scale = expf(largest - s);
                largest = s;
                sum *= scale;
#pragma unroll
                for (int n = 0; n < share; ++n)
                    result[n] *= scale;
            }
            const float weight = expf(s - largest);
            sum += weight;
#pragma unroll
            for (int n = 0; n < share; ++n)
                result[n] += weight * values[j][dimension(part, n)];
        }
        __syncthreads();
    }
    if (i < tokens)
#pragma unroll
        for (int n = 0; n < share; ++n)
            y[head + size_t(i) * dim + dimension(part, n)] = result[n] / sum;
}

extern "C" void solve(const float *q, const float *k, const float *v, float *y, int heads, int tokens,
                      cudaStream_t stream)
{
    attention<<<dim3((tokens + queries - 1) / queries, heads), threads, 0, stream>>>(q, k, v, y, tokens);
}
