// SPDX-License-Identifier: Apache-2.0
// The block loads a tile, waits for it, multiplies it, and loads the next.
#include <cuda_runtime.h>

constexpr int kTile = 64;  // of rows and of columns of c a block computes
constexpr int kDepth = 16; // of k a block holds at a time
constexpr int kThreads = 256;

struct alignas(16) Tile
{
    // 4 more: rows stay aligned, and those that lanes read together start in different banks
    float left[kTile][kDepth + 4];
    float right[kDepth][kTile];
};

// Four floats, of which only the first `valid` exist; the others are 0.
__device__ void copyFour(float *to, const float *from, int valid, bool aligned)
{
    if (aligned && valid >= 4) {
        *reinterpret_cast<float4 *>(to) = *reinterpret_cast<const float4 *>(from);
        return;
    }
    for (int i = 0; i < 4; ++i)
        to[i] = i < valid ? from[i] : 0.0f;
}

// A thread copies four floats of each side. An address outside the matrix is never read, but stays inside the
// allocation.
__device__ void loadTile(Tile &tile, const float *a, const float *b, int m, int n, int k, int firstRow, int firstCol,
                         int first, bool aligned)
{
    const int leftRow = threadIdx.x / 4, leftCol = threadIdx.x % 4 * 4;
    const int row = firstRow + leftRow, inner = first + leftCol;
    const int leftValid = row < m ? k - inner : 0;
    copyFour(&tile.left[leftRow][leftCol], leftValid > 0 ? a + size_t(row) * k + inner : a, leftValid, aligned);

    const int rightRow = threadIdx.x / 16, rightCol = threadIdx.x % 16 * 4;
    const int col = firstCol + rightCol;
    const int rightValid = first + rightRow < k ? n - col : 0;
    copyFour(&tile.right[rightRow][rightCol], rightValid > 0 ? b + size_t(first + rightRow) * n + col : b, rightValid,
             aligned);
}

__device__ void multiply(const Tile &tile, float (&sum)[4][4])
{
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    for (int q = 0; q < kDepth; q += 4) {
        float left[4][4], right[4][4];
        for (int i = 0; i < 4; ++i) {
            *reinterpret_cast<float4 *>(left[i]) = *reinterpret_cast<const float4 *>(&tile.left[4 * ty + i][q]);
            *reinterpret_cast<float4 *>(right[i]) = *reinterpret_cast<const float4 *>(&tile.right[q + i][4 * tx]);
        }
        for (int p = 0; p < 4; ++p)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    sum[i][j] += left[i][p] * right[p][j];
    }
}

__global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ Tile tile;
    const int firstRow = blockIdx.y * kTile, firstCol = blockIdx.x * kTile;
    const bool aligned = k % 4 == 0 && n % 4 == 0;
    float sum[4][4] = {};
    for (int first = 0; first < k; first += kDepth) {
        loadTile(tile, a, b, m, n, k, firstRow, firstCol, first, aligned);
        __syncthreads();
        multiply(tile, sum);
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            const int row = firstRow + threadIdx.x / 16 * 4 + i, col = firstCol + threadIdx.x % 16 * 4 + j;
            if (row < m && col < n) c[size_t(row) * n + col] = sum[i][j];
        }
    }
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    matmul<<<blocks, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
