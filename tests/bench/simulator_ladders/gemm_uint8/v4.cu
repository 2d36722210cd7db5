// SPDX-License-Identifier: Apache-2.0
// Tiles of 128 × 128 in two buffers: while one is multiplied, asynchronous copies fill the other; ldmatrix reads four
// quarters of a fragment at once.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int tile = 128;
constexpr int depth = 64;          // bytes
constexpr int stride = depth + 16; // eight rows of 16 bytes meet all banks
constexpr int threads = 256;       // eight warps, two by four, with 64 × 32 elements of c each

struct Parts
{
    unsigned char a[tile][stride], b[tile][stride];
};

// 128 rows of 64 bytes of a rows × k matrix, zeros outside of it; asynchronous where rows start at multiples of 16.
__device__ void load(unsigned char (&to)[tile][stride], const unsigned char *from, int row, int byte, int rows, int k)
{
    for (int i = threadIdx.x; i < tile * depth / 16; i += threads) {
        const int r = i / (depth / 16);
        const int l = i % (depth / 16) * 16;
        const unsigned char *at = from + size_t(row + r) * k + byte + l;
        if (k % 16 == 0) {
            const bool inside = row + r < rows && byte + l < k;
            __pipeline_memcpy_async(&to[r][l], inside ? at : from, 16, inside ? 0 : 16);
            continue;
        }
        for (int e = 0; e < 16; ++e)
            to[r][l + e] = row + r < rows && byte + l + e < k ? at[e] : 0;
    }
}

__device__ void loadMatrices(unsigned (&to)[4], const unsigned char *from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(unsigned(__cvta_generic_to_shared(from)))
                 : "memory");
}

// sums += a · b for 16 × 32 bytes of a and 32 × 8 of b.
__device__ void multiplyAdd(int (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ void accumulate(int (&sums)[4][4][4], const Parts &parts, int warpRow, int warpCol)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int l = 0; l < depth; l += 32) {
        unsigned x[4][4], y[2][4]; // y: two neighbouring columns of fragments each
#pragma unroll
        for (int i = 0; i < 4; ++i)
            loadMatrices(x[i], &parts.a[warpRow + 16 * i + lane % 16][l + lane / 16 * 16]);
#pragma unroll
        for (int j = 0; j < 2; ++j)
            loadMatrices(y[j], &parts.b[warpCol + 16 * j + lane / 16 * 8 + lane % 8][l + lane / 8 % 2 * 16]);
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                multiplyAdd(sums[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
    }
}

__device__ void store(int *c, int row, int col, int m, int n, int first, int second)
{
    if (row >= m || col >= n)
        return;
    int *at = c + size_t(row) * n + col;
    if (n % 2 == 0) {
        *reinterpret_cast<int2 *>(at) = make_int2(first, second);
        return;
    }
    at[0] = first;
    if (col + 1 < n)
        at[1] = second;
}

__global__ void __launch_bounds__(threads, 2)
    multiply(const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, int *__restrict__ c, int m,
             int n, int k)
{
    __shared__ __align__(128) Parts parts[2];
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    const int warpRow = threadIdx.x / 128 * 64;
    const int warpCol = threadIdx.x / 32 % 4 * 32;
    int sums[4][4][4] = {};
    load(parts[0].a, a, firstRow, 0, m, k);
    load(parts[0].b, b, firstCol, 0, n, k);
    __pipeline_commit();
    for (int first = 0, now = 0; first < k; first += depth, now ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads(); // this tile has come, and nobody reads the other buffer any more
        if (first + depth < k) {
            load(parts[now ^ 1].a, a, firstRow, first + depth, m, k);
            load(parts[now ^ 1].b, b, firstCol, first + depth, n, k);
            __pipeline_commit();
        }
        accumulate(sums, parts[now], warpRow, warpCol);
    }
    const int row = firstRow + warpRow + threadIdx.x % 32 / 4;
    const int col = firstCol + warpCol + threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            store(c, row + 16 * i, col + 8 * j, m, n, sums[i][j][0], sums[i][j][1]);
            store(c, row + 16 * i + 8, col + 8 * j, m, n, sums[i][j][2], sums[i][j][3]);
        }
}

extern "C" void solve(const unsigned char *a, const unsigned char *b, int *c, int m, int n, int k, cudaStream_t stream)
{
    multiply<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), threads, 0, stream>>>(a, b, c, m, n, k);
}
