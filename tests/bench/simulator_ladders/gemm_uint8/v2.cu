// SPDX-License-Identifier: Apache-2.0
// Tiles of 64 × 64 by way of shared memory, 4 × 4 elements of c a thread: half a read of shared memory a dp4a.
#include <cuda_runtime.h>

constexpr int tile = 64;
constexpr int depth = 16; // words of four bytes
constexpr int each = 4;   // rows and columns a thread
constexpr int threads = 256;

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

__global__ void __launch_bounds__(threads)
    multiply(const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, int *__restrict__ c, int m,
             int n, int k)
{
    __shared__ unsigned left[depth][tile + 1];
    __shared__ unsigned right[depth][tile + 1];
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    unsigned sums[each][each] = {};
    for (int first = 0; first < k; first += 4 * depth) {
        for (int i = threadIdx.x; i < tile * depth; i += threads) {
            const int row = i / depth;
            const int word = i % depth;
            left[word][row] = wordAt(a, firstRow + row, first + 4 * word, m, k);
            right[word][row] = wordAt(b, firstCol + row, first + 4 * word, n, k);
        }
        __syncthreads();
#pragma unroll
        for (int l = 0; l < depth; ++l) {
            unsigned x[each], y[each];
#pragma unroll
            for (int i = 0; i < each; ++i) {
                x[i] = left[l][ty + 16 * i];
                y[i] = right[l][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < each; ++i)
#pragma unroll
                for (int j = 0; j < each; ++j)
                    sums[i][j] = __dp4a(x[i], y[j], sums[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
        for (int j = 0; j < each; ++j) {
            const int row = firstRow + ty + 16 * i;
            const int col = firstCol + tx + 16 * j;
            if (row < m && col < n)
                c[size_t(row) * n + col] = int(sums[i][j]);
        }
}

extern "C" void solve(const unsigned char *a, const unsigned char *b, int *c, int m, int n, int k, cudaStream_t stream)
{
    multiply<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), threads, 0, stream>>>(a, b, c, m, n, k);
}
