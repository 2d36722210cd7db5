// SPDX-License-Identifier: Apache-2.0
// A tiled product: 64×64 of c a block, 4×4 of them a thread, on the float32 units.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

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
    __shared__ __align__(32) __half aTile[kTile][kDepth + kPad], bTile[kDepth][kTile + kPad];
    const int firstRow = blockIdx.y * kTile, firstCol = blockIdx.x * kTile;
    const int aRow = threadIdx.x / 4, aCol = threadIdx.x % 4 * 8, bRow = threadIdx.x / 8, bCol = threadIdx.x % 8 * 8;
    const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;

    float sums[4][4] = {};
    for (int start = 0; start < k; start += kDepth) {
        loadChunk(&aTile[aRow][aCol], a, firstRow + aRow, start + aCol, m, k);
        loadChunk(&bTile[bRow][bCol], b, start + bRow, firstCol + bCol, k, n);
        __syncthreads();
        for (int p = 0; p < kDepth; ++p)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    sums[i][j] += __half2float(aTile[ty + 16 * i][p]) * __half2float(bTile[p][tx + 16 * j]);
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const int row = firstRow + ty + 16 * i, col = firstCol + tx + 16 * j;
            if (row < m && col < n)
                c[size_t(row) * n + col] = sums[i][j];
        }
}

extern "C" void solve(const __half *a, const __half *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    product<<<blocks, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
