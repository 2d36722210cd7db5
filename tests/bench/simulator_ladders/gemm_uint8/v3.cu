// SPDX-License-Identifier: Apache-2.0
// The tensor cores multiply: four warps with 32 × 32 elements of c each, their fragments read word by word.
#include <cuda_runtime.h>

constexpr int tile = 64;
constexpr int depth = 16;         // words of four bytes
constexpr int stride = depth + 4; // eight rows and four words of a fragment meet all banks
constexpr int threads = 128;

// Four bytes of a row of a rows × k matrix, zeros outside of it.
__device__ unsigned wordAt(const unsigned char *from, int row, int byte, int rows, int k)
{
    if (row >= rows || byte >= k)
        return 0;
    const unsigned char *at = from + size_t(row) * k + byte;
    if (k % 4 == 0)
        return *reinterpret_cast<const unsigned *>(at);
    unsigned word = 0;
    for (int e = 0; e < 4 && byte + e < k; ++e)
        word |= unsigned(at[e]) << (8 * e);
    return word;
}

// sums += a · b for 16 × 32 bytes of a and 32 × 8 of b.
__device__ void multiplyAdd(int (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void __launch_bounds__(threads)
    multiply(const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, int *__restrict__ c, int m,
             int n, int k)
{
    __shared__ unsigned left[tile][stride];
    __shared__ unsigned right[tile][stride];
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    const int warpRow = threadIdx.x / 64 * 32;
    const int warpCol = threadIdx.x / 32 % 2 * 32;
    const int group = threadIdx.x % 32 / 4;
    const int lane = threadIdx.x % 4; // in its group
    int sums[2][4][4] = {};
    for (int first = 0; first < k; first += 4 * depth) {
        for (int i = threadIdx.x; i < tile * depth; i += threads) {
            const int row = i / depth;
            const int word = i % depth;
            left[row][word] = wordAt(a, firstRow + row, first + 4 * word, m, k);
            right[row][word] = wordAt(b, firstCol + row, first + 4 * word, n, k);
        }
        __syncthreads();
#pragma unroll
        for (int l = 0; l < depth; l += 8) {
            unsigned x[2][4], y[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    x[i][e] = left[warpRow + 16 * i + e % 2 * 8 + group][l + e / 2 * 4 + lane];
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e)
                    y[j][e] = right[warpCol + 8 * j + group][l + e * 4 + lane];
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    multiplyAdd(sums[i][j], x[i], y[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int row = firstRow + warpRow + 16 * i + e / 2 * 8 + group;
                const int col = firstCol + warpCol + 8 * j + 2 * lane + e % 2;
                if (row < m && col < n)
                    c[size_t(row) * n + col] = sums[i][j][e];
            }
}

extern "C" void solve(const unsigned char *a, const unsigned char *b, int *c, int m, int n, int k, cudaStream_t stream)
{
    multiply<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), threads, 0, stream>>>(a, b, c, m, n, k);
}
