// SPDX-License-Identifier: Apache-2.0
// Products on tensor cores: each float32 is the sum of two TF32 numbers, and three of the four partial products count.
#include <cuda_runtime.h>

constexpr int kTile = 64;  // of rows and of columns of c a block computes
constexpr int kDepth = 16; // of k a block holds at a time
constexpr int kThreads = 256;
constexpr int kRowTiles = 2, kColTiles = 2; // 16 × 8 products a warp: 32 rows, 16 columns; the warps lie 2 × 4

struct alignas(16) Tile
{
    float left[kTile][kDepth + 4]; // paddings chosen so that the 32 lanes' fragment reads lie in 32 banks
    float right[kDepth][kTile + 8];
};

// value = high + low to 21 bits of mantissa or more.
struct Split
{
    unsigned high, low;
};

__device__ unsigned toTf32(float value)
{
    unsigned result;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(result) : "f"(value));
    return result;
}

__device__ Split split(float value)
{
    const unsigned high = toTf32(value);
    return {high, toTf32(value - __uint_as_float(high))};
}

// sum += left (16 × 8) · right (8 × 8)
__device__ void multiplyAdd(float (&sum)[4], const unsigned (&left)[4], const unsigned (&right)[2])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
}

__device__ void load(Tile &tile, const float *a, const float *b, int m, int n, int k, int firstRow, int firstCol, int p)
{
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
        const int row = firstRow + i / kDepth, inner = p + i % kDepth;
        tile.left[i / kDepth][i % kDepth] = row < m && inner < k ? a[size_t(row) * k + inner] : 0.0f;
    }
    for (int i = threadIdx.x; i < kDepth * kTile; i += kThreads) {
        const int inner = p + i / kTile, col = firstCol + i % kTile;
        tile.right[i / kTile][i % kTile] = inner < k && col < n ? b[size_t(inner) * n + col] : 0.0f;
    }
}

// A warp's part of the tile. Which element a lane holds is laid down by the instruction: `group` and `member` as its
// description names them.
__device__ void multiply(const Tile &tile, int warpRow, int warpCol, float (&sum)[kRowTiles][kColTiles][4])
{
    const int group = threadIdx.x % 32 / 4, member = threadIdx.x % 4;
    for (int q = 0; q < kDepth; q += 8) {
        unsigned rightHigh[kColTiles][2], rightLow[kColTiles][2];
        for (int j = 0; j < kColTiles; ++j) {
            for (int r = 0; r < 2; ++r) {
                const Split value = split(tile.right[q + member + 4 * r][warpCol + 8 * j + group]);
                rightHigh[j][r] = value.high;
                rightLow[j][r] = value.low;
            }
        }
        for (int i = 0; i < kRowTiles; ++i) {
            unsigned leftHigh[4], leftLow[4];
            for (int r = 0; r < 4; ++r) {
                const Split value = split(tile.left[warpRow + 16 * i + group + r % 2 * 8][q + member + r / 2 * 4]);
                leftHigh[r] = value.high;
                leftLow[r] = value.low;
            }
            for (int j = 0; j < kColTiles; ++j) { // the small products first; low · low is below float32's last bit
                multiplyAdd(sum[i][j], leftLow, rightHigh[j]);
                multiplyAdd(sum[i][j], leftHigh, rightLow[j]);
                multiplyAdd(sum[i][j], leftHigh, rightHigh[j]);
            }
        }
    }
}

__global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ Tile tile;
    const int firstRow = blockIdx.y * kTile, firstCol = blockIdx.x * kTile;
    const int warp = threadIdx.x / 32, warpRow = warp / 4 * 32, warpCol = warp % 4 * 16;
    float sum[kRowTiles][kColTiles][4] = {};
    for (int p = 0; p < k; p += kDepth) {
        load(tile, a, b, m, n, k, firstRow, firstCol, p);
        __syncthreads();
        multiply(tile, warpRow, warpCol, sum);
        __syncthreads();
    }
    const int group = threadIdx.x % 32 / 4, member = threadIdx.x % 4;
    for (int i = 0; i < kRowTiles; ++i) {
        for (int j = 0; j < kColTiles; ++j) {
            for (int r = 0; r < 4; ++r) {
                const int row = firstRow + warpRow + 16 * i + group + r / 2 * 8;
                const int col = firstCol + warpCol + 8 * j + 2 * member + r % 2;
                if (row < m && col < n) c[size_t(row) * n + col] = sum[i][j][r];
            }
        }
    }
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    matmul<<<blocks, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
