// SPDX-License-Identifier: Apache-2.0
// Three tiles in shared memory: while one is multiplied, asynchronous copies bring the next two.
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

constexpr int kTile = 64;  // of rows and of columns of c a block computes
constexpr int kDepth = 16; // of k a block holds at a time
constexpr int kThreads = 256;
constexpr int kStages = 3; // tiles in shared memory: one in use, two on their way

struct alignas(16) Tile
{
    // 4 more: rows stay aligned, and those that lanes read together start in different banks
    float left[kTile][kDepth + 4];
    float right[kDepth][kTile];
};

// Starts to copy four floats, of which only the first `valid` exist; the others become 0. 16 bytes at a time bypass L1
// and need aligned addresses on both sides; what is not aligned goes as four copies of 4 bytes.
__device__ void copyFour(float *to, const float *from, int valid, bool aligned)
{
    if (aligned) {
        __pipeline_memcpy_async(to, from, 16, valid >= 4 ? 0 : 16);
        return;
    }
    for (int i = 0; i < 4; ++i)
        __pipeline_memcpy_async(to + i, i < valid ? from + i : from, 4, i < valid ? 0 : 4);
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
    __shared__ Tile tiles[kStages];
    const int firstRow = blockIdx.y * kTile, firstCol = blockIdx.x * kTile;
    const bool aligned = k % 4 == 0 && n % 4 == 0;
    const int steps = (k + kDepth - 1) / kDepth;
    const auto start = [&](int step) {
        if (step < steps) loadTile(tiles[step % kStages], a, b, m, n, k, firstRow, firstCol, step * kDepth, aligned);
        __pipeline_commit(); // also when empty: each step is then one group, and the count below holds to the end
    };
    for (int step = 0; step < kStages - 1; ++step)
        start(step);
    float sum[4][4] = {};
    for (int step = 0; step < steps; ++step) {
        __pipeline_wait_prior(kStages - 2); // this thread's part of the tile is there
        __syncthreads();                    // everyone's is, and nobody reads the tile before this one any more
        start(step + kStages - 1);
        multiply(tiles[step % kStages], sum);
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
