// SPDX-License-Identifier: Apache-2.0
// 128 × 128 points a block, 8 × 8 pairs a thread, 16 bytes an access, and two buffers with the next dimensions on their
// way through registers.
#include <cuda_runtime.h>

constexpr int tile = 128;
constexpr int depth = 16;
constexpr int threads = 256;
constexpr int stride = tile + 4;
constexpr int loads = tile * depth / 4 / threads; // reads of four dimensions a thread: 2

struct Parts
{
    float left[depth][stride], right[depth][stride];
};

// Four dimensions of a point, zeros outside.
__device__ float4 fourAt(const float *from, int point, int l, int points, int dims)
{
    if (point >= points || l >= dims)
        return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float *at = from + size_t(point) * dims + l;
    if (dims % 4 == 0)
        return *reinterpret_cast<const float4 *>(at);
    return make_float4(at[0], l + 1 < dims ? at[1] : 0.0f, l + 2 < dims ? at[2] : 0.0f, l + 3 < dims ? at[3] : 0.0f);
}

__device__ void load(float4 (&next)[loads], const float *from, int point, int first, int points, int dims)
{
#pragma unroll
    for (int i = 0; i < loads; ++i)
        next[i] = fourAt(from, point + threadIdx.x / 4 + i * (threads / 4), first + threadIdx.x % 4 * 4, points, dims);
}

__device__ void put(float (&to)[depth][stride], const float4 (&next)[loads])
{
    const int l = threadIdx.x % 4 * 4;
#pragma unroll
    for (int i = 0; i < loads; ++i) {
        const int point = threadIdx.x / 4 + i * (threads / 4);
        to[l][point] = next[i].x;
        to[l + 1][point] = next[i].y;
        to[l + 2][point] = next[i].z;
        to[l + 3][point] = next[i].w;
    }
}

// Elements 4 · place … and 64 further.
__device__ void eight(float (&to)[8], const float *row, int place)
{
    const float4 a = *reinterpret_cast<const float4 *>(row + 4 * place);
    const float4 b = *reinterpret_cast<const float4 *>(row + 64 + 4 * place);
    to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
    to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
}

__device__ void storeFour(float *d, int row, int col, int n, int m, float square, const float *squares,
                          const float *sums)
{
    float v[4];
#pragma unroll
    for (int j = 0; j < 4; ++j)
        v[j] = fmaxf(square + squares[j] - 2.0f * sums[j], 0.0f);
    if (row >= n || col >= m)
        return;
    float *at = d + size_t(row) * m + col;
    if (m % 4 == 0) {
        *reinterpret_cast<float4 *>(at) = make_float4(v[0], v[1], v[2], v[3]);
        return;
    }
#pragma unroll
    for (int j = 0; j < 4; ++j)
        if (col + j < m)
            at[j] = v[j];
}

__global__ void __launch_bounds__(threads, 2)
    distances(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ d, int n, int m, int dims)
{
    __shared__ __align__(16) Parts parts[2];
    __shared__ __align__(16) float squares[2][tile]; // of the rows' points and of the columns'
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    const int own = threadIdx.x % tile; // the point whose square this thread adds up
    float square = 0.0f;
    float sums[8][8] = {};
    float4 nextLeft[loads], nextRight[loads];
    load(nextLeft, x, firstRow, 0, n, dims);
    load(nextRight, y, firstCol, 0, m, dims);
    for (int first = 0, now = 0; first < dims; first += depth, now ^= 1) {
        put(parts[now].left, nextLeft);
        put(parts[now].right, nextRight);
        __syncthreads(); // one is enough: the other buffer is written before the next
        const float *points = (threadIdx.x < tile ? parts[now].left[0] : parts[now].right[0]) + own;
        load(nextLeft, x, firstRow, first + depth, n, dims);
        load(nextRight, y, firstCol, first + depth, m, dims);
#pragma unroll
        for (int l = 0; l < depth; ++l) {
            float u[8], v[8];
            eight(u, parts[now].left[l], ty);
            eight(v, parts[now].right[l], tx);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sums[i][j] += u[i] * v[j];
            const float value = points[l * stride];
            square += value * value;
        }
    }
    squares[threadIdx.x / tile][own] = square;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int row = i / 4 * 64 + 4 * ty + i % 4;
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            const int col = j / 4 * 64 + 4 * tx;
            storeFour(d, firstRow + row, firstCol + col, n, m, squares[0][row], &squares[1][col], &sums[i][j]);
        }
    }
}

extern "C" void solve(const float *x, const float *y, float *d, int n, int m, int dims, cudaStream_t stream)
{
    distances<<<dim3((m + tile - 1) / tile, (n + tile - 1) / tile), threads, 0, stream>>>(x, y, d, n, m, dims);
}
