// SPDX-License-Identifier: Apache-2.0
// Bias and GELU are applied to the sums in registers, on their way to memory.
#include <cuda_runtime.h>

constexpr int kTile = 64;  // of rows and of columns of c a block computes
constexpr int kDepth = 16; // of k a block holds at a time
constexpr int kThreads = 256;

struct alignas(16) Tile
{
    float left[kTile][kDepth + 4]; // 4 more: rows that lanes read together start in different banks
    float right[kDepth][kTile];
};

// The products of rows `firstRow`… of a and columns `firstCol`… of b over p from `begin` to `end`; 4 × 4 sums a thread.
__device__ void multiply(Tile &tile, const float *a, const float *b, int m, int n, int k, int firstRow, int firstCol,
                         int begin, int end, float (&sum)[4][4])
{
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    for (int p = begin; p < end; p += kDepth) {
        for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
            const int row = firstRow + i / kDepth, inner = p + i % kDepth;
            tile.left[i / kDepth][i % kDepth] = row < m && inner < end ? a[size_t(row) * k + inner] : 0.0f;
        }
        for (int i = threadIdx.x; i < kDepth * kTile; i += kThreads) {
            const int inner = p + i / kTile, col = firstCol + i % kTile;
            tile.right[i / kTile][i % kTile] = inner < end && col < n ? b[size_t(inner) * n + col] : 0.0f;
        }
        __syncthreads();
        for (int q = 0; q < kDepth; ++q) {
            const float4 right = *reinterpret_cast<const float4 *>(&tile.right[q][4 * tx]);
            for (int i = 0; i < 4; ++i) {
                const float left = tile.left[4 * ty + i][q];
                sum[i][0] += left * right.x;
                sum[i][1] += left * right.y;
                sum[i][2] += left * right.z;
                sum[i][3] += left * right.w;
            }
        }
        __syncthreads();
    }
}

__device__ float gelu(float v)
{
    // v/2 (1 + tanh u) = v / (1 + exp(-2u)), with the exponential as a power of 2
    const float u = 0.7978845608f * v * (1.0f + 0.044715f * v * v);
    return __fdividef(v, 1.0f + exp2f(-2.885390082f * u));
}

__global__ void matmulBiasGelu(const float *a, const float *b, const float *bias, float *c, int m, int n, int k)
{
    __shared__ Tile tile;
    const int firstRow = blockIdx.y * kTile, firstCol = blockIdx.x * kTile;
    float sum[4][4] = {};
    multiply(tile, a, b, m, n, k, firstRow, firstCol, 0, k, sum);
    for (int j = 0; j < 4; ++j) {
        const int col = firstCol + threadIdx.x % 16 * 4 + j;
        const float offset = col < n ? bias[col] : 0.0f; // once a column
        for (int i = 0; i < 4; ++i) sum[i][j] = gelu(sum[i][j] + offset);
    }
    // Stores of neighbouring words stay side by side: what waits between them goes to L2 on its own.
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            const int row = firstRow + threadIdx.x / 16 * 4 + i, col = firstCol + threadIdx.x % 16 * 4 + j;
            if (row < m && col < n) c[size_t(row) * n + col] = sum[i][j];
        }
    }
}

extern "C" void solve(const float *a, const float *b, const float *bias, float *c, int m, int n, int k,
                      cudaStream_t stream)
{
    const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    matmulBiasGelu<<<blocks, kThreads, 0, stream>>>(a, b, bias, c, m, n, k);
}
