// SPDX-License-Identifier: Apache-2.0
// A tiled product: 64×64 of c a block, 16×32 of them a warp, on the tensor cores. The sums are float32 as before.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kTile = 64, kDepth = 32, kThreads = 256, kPad = 8;

// Eight neighbours of a row at once, where all of them exist and lie aligned; zeros, which add nothing, beyond the
// matrix.
__device__ void loadChunk(__half *to, const __half *source, int row, int col, int rows, int cols)
{
    if (row < rows && col < cols && cols % 8 == 0) {
        *reinterpret_cast<uint4 *>(to) = *reinterpret_cast<const uint4 *>(source + size_t(row) * cols + col);
        return;
    }
    for (int i = 0; i < 8; ++i)
        to[i] = row < rows && col + i < cols ? source[size_t(row) * cols + col + i] : __float2half(0.0f);
}

__global__ void product(const __half *a, const __half *b, float *c, int m, int n, int k)
{
    // Rows padded by 16 bytes: the rows of a fragment fall on different banks, and each fragment starts on 32 bytes, as
    // wmma asks.
    __shared__ __align__(32) __half aTile[kTile][kDepth + kPad], bTile[kDepth][kTile + kPad];
    __shared__ __align__(32) float cTile[kTile][kTile + 4];
    const int firstRow = blockIdx.y * kTile, firstCol = blockIdx.x * kTile;
    const int aRow = threadIdx.x / 4, aCol = threadIdx.x % 4 * 8, bRow = threadIdx.x / 8, bCol = threadIdx.x % 8 * 8;
    const int warp = threadIdx.x / 32, warpRow = warp / 2 * 16, warpCol = warp % 2 * 32;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2];
    for (auto &sum : sums)
        wmma::fill_fragment(sum, 0.0f);
    for (int start = 0; start < k; start += kDepth) {
        loadChunk(&aTile[aRow][aCol], a, firstRow + aRow, start + aCol, m, k);
        loadChunk(&bTile[bRow][bCol], b, start + bRow, firstCol + bCol, k, n);
        __syncthreads();
        for (int p = 0; p < kDepth; p += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
            wmma::load_matrix_sync(left, &aTile[warpRow][p], kDepth + kPad);
            for (int j = 0; j < 2; ++j) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
                wmma::load_matrix_sync(right, &bTile[p][warpCol + 16 * j], kTile + kPad);
                wmma::mma_sync(sums[j], left, right, sums[j]);
            }
        }
        __syncthreads();
    }
    // Which lane holds which element is not specified: the way to the edge tests goes through shared memory.
    for (int j = 0; j < 2; ++j)
        wmma::store_matrix_sync(&cTile[warpRow][warpCol + 16 * j], sums[j], kTile + 4, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < kTile * kTile; i += kThreads) {
        const int row = firstRow + i / kTile, col = firstCol + i % kTile;
        if (row < m && col < n)
            c[size_t(row) * n + col] = cTile[i / kTile][i % kTile];
    }
}

extern "C" void solve(const __half *a, const __half *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    product<<<blocks, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
