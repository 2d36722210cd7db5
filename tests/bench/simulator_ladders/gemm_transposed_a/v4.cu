// SPDX-License-Identifier: Apache-2.0
// Three buffers filled by asynchronous copies: two tiles are on their way while one is multiplied.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int tile = 128;
constexpr int depth = 16;
constexpr int threads = 256;
constexpr int stages = 3; // 16 KiB each

struct Parts
{
    float left[depth][tile], right[depth][tile];
};

// 16 rows and 128 columns of a rows × cols matrix, zeros outside of it; asynchronous where vectors are possible.
__device__ void load(float (&to)[depth][tile], const float *from, int row, int col, int rows, int cols, bool vectors)
{
#pragma unroll
    for (int i = threadIdx.x; i < depth * tile / 4; i += threads) {
        const int r = i / (tile / 4);
        const int c = i % (tile / 4) * 4;
        const float *at = from + size_t(row + r) * cols + col + c;
        if (vectors) {
            const bool inside = row + r < rows && col + c < cols;
            __pipeline_memcpy_async(&to[r][c], inside ? at : from, sizeof(float4), inside ? 0 : sizeof(float4));
            continue;
        }
#pragma unroll
        for (int e = 0; e < 4; ++e)
            to[r][c + e] = row + r < rows && col + c + e < cols ? at[e] : 0.0f;
    }
}

// Elements 4 · place … and 64 further.
__device__ void eight(float (&to)[8], const float *row, int place)
{
    const float4 u = *reinterpret_cast<const float4 *>(row + 4 * place);
    const float4 v = *reinterpret_cast<const float4 *>(row + 64 + 4 * place);
    to[0] = u.x, to[1] = u.y, to[2] = u.z, to[3] = u.w;
    to[4] = v.x, to[5] = v.y, to[6] = v.z, to[7] = v.w;
}

__device__ void accumulate(float (&sums)[8][8], const float (&left)[depth][tile], const float (&right)[depth][tile])
{
#pragma unroll
    for (int l = 0; l < depth; ++l) {
        float x[8], y[8];
        eight(x, left[l], threadIdx.x / 16);
        eight(y, right[l], threadIdx.x % 16);
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
            for (int j = 0; j < 8; ++j)
                sums[i][j] += x[i] * y[j];
    }
}

__device__ void store(float *c, int firstRow, int firstCol, int m, int n, bool vectors, const float (&sums)[8][8])
{
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            const int row = firstRow + i / 4 * 64 + threadIdx.x / 16 * 4 + i % 4;
            const int col = firstCol + j / 4 * 64 + threadIdx.x % 16 * 4;
            if (row >= m || col >= n)
                continue;
            float *at = c + size_t(row) * n + col;
            if (vectors) {
                *reinterpret_cast<float4 *>(at) =
                    make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
                continue;
            }
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (col + e < n)
                    at[e] = sums[i][j + e];
        }
}

__global__ void __launch_bounds__(threads, 2)
    multiply(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k,
             bool vectors)
{
    __shared__ __align__(16) Parts parts[stages];
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    float sums[8][8] = {};
#pragma unroll
    for (int s = 0; s < stages - 1; ++s) {
        load(parts[s].left, a, s * depth, firstRow, k, m, vectors);
        load(parts[s].right, b, s * depth, firstCol, k, n, vectors);
        __pipeline_commit();
    }
    int now = 0;
    int free = stages - 1; // the buffer that was multiplied last
    for (int first = 0; first < k; first += depth) {
        __pipeline_wait_prior(stages - 2);
        __syncthreads(); // this tile has come, and nobody reads the free buffer any more
        const int ahead = first + (stages - 1) * depth;
        if (ahead < k) {
            load(parts[free].left, a, ahead, firstRow, k, m, vectors);
            load(parts[free].right, b, ahead, firstCol, k, n, vectors);
        }
        __pipeline_commit(); // an empty one at the end, so that the count stays right
        accumulate(sums, parts[now].left, parts[now].right);
        free = now;
        now = now + 1 < stages ? now + 1 : 0;
    }
    store(c, firstRow, firstCol, m, n, vectors, sums);
}

bool aligned(const void *pointer)
{
    return reinterpret_cast<size_t>(pointer) % sizeof(float4) == 0;
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const bool vectors = m % 4 == 0 && n % 4 == 0 && aligned(a) && aligned(b) && aligned(c);
    multiply<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), threads, 0, stream>>>(a, b, c, m, n, k, vectors);
}
