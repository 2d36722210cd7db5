// SPDX-License-Identifier: Apache-2.0
// Register tiles: 4 × 4 scores and 4 × 4 sums a thread, as in a matrix product; the weights of a tile of 64 keys pass
// through shared memory, and the largest score is looked at once a tile.
#include <cuda_runtime.h>

#include <math.h>

constexpr int dim = 64;
constexpr int tile = 64;     // queries of a block, and keys at a time
constexpr int threads = 256; // 16 × 16, four rows and four columns each

using Square = float[tile][dim];

// Row by row; rows beyond the end are zero.
__device__ void load(Square &to, const float *from, int first, int tokens)
{
    for (int i = threadIdx.x; i < tile * dim / 4; i += threads) {
        const int token = first + i / (dim / 4);
        const int column = i % (dim / 4) * 4;
        *reinterpret_cast<float4 *>(&to[i / (dim / 4)][column]) =
            token < tokens ? *reinterpret_cast<const float4 *>(from + size_t(token) * dim + column)
                           : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}

// Transposed: a warp writes 32 neighbouring words of shared memory for each element of what its lanes read.
__device__ void loadTransposed(Square &to, const float *from, int first, int tokens)
{
    const int row = threadIdx.x % tile;
    for (int column = threadIdx.x / tile * 4; column < dim; column += threads / tile * 4) {
        const float4 value = first + row < tokens
                                 ? *reinterpret_cast<const float4 *>(from + size_t(first + row) * dim + column)
                                 : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        to[column][row] = value.x;
        to[column + 1][row] = value.y;
        to[column + 2][row] = value.z;
        to[column + 3][row] = value.w;
    }
}

__device__ void read(float (&to)[4], const float *from)
{
    const float4 value = *reinterpret_cast<const float4 *>(from);
    to[0] = value.x;
    to[1] = value.y;
    to[2] = value.z;
    to[3] = value.w;
}

__global__ void __launch_bounds__(threads)
    attention(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
              float *__restrict__ y, int tokens)
{
    __shared__ __align__(16) Square query;  // transposed
    __shared__ __align__(16) Square other;  // keys, transposed, then values
    __shared__ __align__(16) Square weight; // [query][key]
    const size_t head = size_t(blockIdx.y) * tokens * dim;
    const int firstQuery = blockIdx.x * tile;
    const int tx = threadIdx.x % 16 * 4;
    const int ty = threadIdx.x / 16 * 4;
    float largest[4], sum[4] = {}, result[4][4] = {};
#pragma unroll
    for (int i = 0; i < 4; ++i)
        largest[i] = -INFINITY;
    loadTransposed(query, q + head, firstQuery, tokens);
    for (int first = 0; first < tokens; first += tile) {
        loadTransposed(other, k + head, first, tokens);
        __syncthreads();
        float score[4][4] = {}, a[4], b[4];
#pragma unroll 8
        for (int d = 0; d < dim; ++d) {
            read(a, &query[d][ty]);
            read(b, &other[d][tx]);
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    score[i][j] += a[i] * b[j];
        }
        __syncthreads();
        load(other, v + head, first, tokens);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float highest = largest[i];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                score[i][j] = first + tx + j < tokens ? score[i][j] * 0.125f : -INFINITY;
                highest = fmaxf(highest, score[i][j]);
            }
            for (int step = 8; step > 0; step /= 2)
                highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, step));
            const float scale = expf(largest[i] - highest);
            largest[i] = highest;
            sum[i] *= scale;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                result[i][j] *= scale;
                score[i][j] = expf(score[i][j] - highest);
                sum[i] += score[i][j];
            }
            *reinterpret_cast<float4 *>(&weight[ty + i][tx]) =
                make_float4(score[i][0], score[i][1], score[i][2], score[i][3]);
        }
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < tile; j += 4) {
            float p[4][4];
#pragma unroll
            for (int i = 0; i < 4; ++i)
                read(p[i], &weight[ty + i][j]);
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                read(b, &other[j + n][tx]);
#pragma unroll
                for (int i = 0; i < 4; ++i)
#pragma unroll
                    for (int c = 0; c < 4; ++c)
                        result[i][c] += p[i][n] * b[c];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        for (int step = 8; step > 0; step /= 2)
            sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], step);
        if (firstQuery + ty + i < tokens)
            *reinterpret_cast<float4 *>(y + head + size_t(firstQuery + ty + i) * dim + tx) =
                make_float4(result[i][0] / sum[i], result[i][1] / sum[i], result[i][2] / sum[i], result[i][3] / sum[i]);
    }
}

extern "C" void solve(const float *q, const float *k, const float *v, float *y, int heads, int tokens,
                      cudaStream_t stream)
{
    attention<<<dim3((tokens + tile - 1) / tile, heads), threads, 0, stream>>>(q, k, v, y, tokens);
}
