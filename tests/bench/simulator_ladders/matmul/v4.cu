// SPDX-License-Identifier: Apache-2.0
// Tiles of 128×128, 8×8 elements of c a thread, 16-byte loads, two shared buffers: the next tile is on its way while
// this one is multiplied, and one barrier a tile is enough.
#include <cuda_runtime.h>

constexpr int tile = 128;
constexpr int depth = 8;
constexpr int threads = 256;
constexpr int pitch = tile + 4; // keeps rows 16-byte aligned and spreads the transposed stores over the banks

template <bool aligned> __device__ float4 loadFour(const float *base, int row, int col, int rows, int cols)
{
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (row >= rows)
        return v;
    const float *p = base + size_t(row) * cols + col;
    if (aligned) {
        if (col < cols)
            v = *reinterpret_cast<const float4 *>(p);
        return v;
    }
    if (col < cols)
        v.x = p[0];
    if (col + 1 < cols)
        v.y = p[1];
    if (col + 2 < cols)
        v.z = p[2];
    if (col + 3 < cols)
        v.w = p[3];
    return v;
}

template <bool aligned>
__global__ void __launch_bounds__(threads, 2)
    matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k)
{
    __shared__ __align__(16) float left[2][depth][pitch];
    __shared__ __align__(16) float right[2][depth][pitch];
    const int t = threadIdx.x;
    const int tx = t % 16;
    const int ty = t / 16;
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    const int leftRow = t / 2, leftDepth = t % 2 * 4;      // 128 rows of 8
    const int rightDepth = t / 32, rightCol = t % 32 * 4;  // 8 rows of 128

    float sum[8][8] = {};
    float4 nextLeft = loadFour<aligned>(a, firstRow + leftRow, leftDepth, m, k);
    float4 nextRight = loadFour<aligned>(b, rightDepth, firstCol + rightCol, k, n);
    int buffer = 0;
    for (int start = 0; start < k; start += depth) {
        left[buffer][leftDepth + 0][leftRow] = nextLeft.x;
        left[buffer][leftDepth + 1][leftRow] = nextLeft.y;
        left[buffer][leftDepth + 2][leftRow] = nextLeft.z;
        left[buffer][leftDepth + 3][leftRow] = nextLeft.w;
        *reinterpret_cast<float4 *>(&right[buffer][rightDepth][rightCol]) = nextRight;
        __syncthreads();
        if (start + depth < k) {
            nextLeft = loadFour<aligned>(a, firstRow + leftRow, start + depth + leftDepth, m, k);
            nextRight = loadFour<aligned>(b, start + depth + rightDepth, firstCol + rightCol, k, n);
        }
#pragma unroll
        for (int p = 0; p < depth; ++p) {
            float l[8], r[8];
            *reinterpret_cast<float4 *>(l) = *reinterpret_cast<const float4 *>(&left[buffer][p][ty * 4]);
            *reinterpret_cast<float4 *>(l + 4) = *reinterpret_cast<const float4 *>(&left[buffer][p][64 + ty * 4]);
            *reinterpret_cast<float4 *>(r) = *reinterpret_cast<const float4 *>(&right[buffer][p][tx * 4]);
            *reinterpret_cast<float4 *>(r + 4) = *reinterpret_cast<const float4 *>(&right[buffer][p][64 + tx * 4]);
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sum[i][j] += l[i] * r[j];
        }
        buffer ^= 1;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int row = firstRow + i / 4 * 64 + ty * 4 + i % 4;
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int col = firstCol + h * 64 + tx * 4;
            if (row >= m)
                continue;
            if (aligned) {
                if (col < n)
                    *reinterpret_cast<float4 *>(c + size_t(row) * n + col) =
                        make_float4(sum[i][h * 4], sum[i][h * 4 + 1], sum[i][h * 4 + 2], sum[i][h * 4 + 3]);
            } else {
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    if (col + j < n)
                        c[size_t(row) * n + col + j] = sum[i][h * 4 + j];
            }
        }
    }
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const dim3 blocks((n + tile - 1) / tile, (m + tile - 1) / tile);
    if (n % 4 == 0 && k % 4 == 0)
        matmul<true><<<blocks, threads, 0, stream>>>(a, b, c, m, n, k);
    else
        matmul<false><<<blocks, threads, 0, stream>>>(a, b, c, m, n, k);
}
