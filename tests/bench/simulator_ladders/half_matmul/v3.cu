// SPDX-License-Identifier: Apache-2.0
// Tensor cores: tiles of 128 × 128 × 32 in shared memory, eight elements a copy, products by warp-wide 16 × 16 × 16.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

constexpr int tile = 128; // rows and columns of a block
constexpr int depth = 32;
constexpr int threads = 256; // eight warps, two by four, with 64 × 32 elements of c each
constexpr int aStride = depth + 8;
constexpr int bStride = tile + 8;

struct Parts
{
    __half a[tile][aStride], b[depth][bStride];
};

// height × width elements from (row, col) on of a rows × cols matrix, zeros outside of it.
template <int height, int width, int stride>
__device__ void load(__half (&to)[height][stride], const __half *from, int row, int col, int rows, int cols)
{
    for (int i = threadIdx.x; i < height * width / 8; i += threads) {
        const int r = i / (width / 8), c = i % (width / 8) * 8;
        const __half *at = from + size_t(row + r) * cols + col + c;
        if (cols % 8 == 0) {
            const bool inside = row + r < rows && col + c < cols;
            *reinterpret_cast<uint4 *>(&to[r][c]) = inside ? *reinterpret_cast<const uint4 *>(at) : uint4{0, 0, 0, 0};
            continue;
        }
        for (int e = 0; e < 8; ++e)
            to[r][c + e] = row + r < rows && col + c + e < cols ? at[e] : __float2half(0.0f);
    }
}

using Sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>[4][2];

__device__ void accumulate(Sums &sums, const Parts &parts, int warpRow, int warpCol)
{
#pragma unroll
    for (int l = 0; l < depth; l += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left[4];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right[2];
#pragma unroll
        for (int i = 0; i < 4; ++i)
            wmma::load_matrix_sync(left[i], &parts.a[warpRow + 16 * i][l], aStride);
#pragma unroll
        for (int j = 0; j < 2; ++j)
            wmma::load_matrix_sync(right[j], &parts.b[l][warpCol + 16 * j], bStride);
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 2; ++j)
                wmma::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
    }
}

// Straight to c where all of it is inside and aligned, else by way of the warp's 256 words of shared memory.
__device__ void store(const wmma::fragment<wmma::accumulator, 16, 16, 16, float> &sums, float *c, int row, int col,
                      int m, int n, float *own)
{
    if (n % 8 == 0 && row + 16 <= m && col + 16 <= n) {
        wmma::store_matrix_sync(c + size_t(row) * n + col, sums, n, wmma::mem_row_major);
        return;
    }
    wmma::store_matrix_sync(own, sums, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x % 32; i < 256; i += 32)
        if (row + i / 16 < m && col + i % 16 < n)
            c[size_t(row + i / 16) * n + col + i % 16] = own[i];
    __syncwarp();
}

__global__ void __launch_bounds__(threads)
    multiply(const __half *__restrict__ a, const __half *__restrict__ b, float *__restrict__ c, int m, int n, int k)
{
    __shared__ __align__(128) Parts parts;
    const int firstRow = blockIdx.y * tile;
    const int firstCol = blockIdx.x * tile;
    const int warp = threadIdx.x / 32;
    const int warpRow = warp / 4 * 64;
    const int warpCol = warp % 4 * 32;
    Sums sums;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
            wmma::fill_fragment(sums[i][j], 0.0f);
    for (int first = 0; first < k; first += depth) {
        load<tile, depth>(parts.a, a, firstRow, first, m, k);
        load<depth, tile>(parts.b, b, first, firstCol, k, n);
        __syncthreads();
        accumulate(sums, parts, warpRow, warpCol);
        __syncthreads();
    }
    float *own = reinterpret_cast<float *>(&parts) + warp * 256;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
            store(sums[i][j], c, firstRow + warpRow + 16 * i, firstCol + warpCol + 16 * j, m, n, own);
}

extern "C" void solve(const __half *a, const __half *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    multiply<<<dim3((n + tile - 1) / tile, (m + tile - 1) / tile), threads, 0, stream>>>(a, b, c, m, n, k);
}
