// SPDX-License-Identifier: Apache-2.0
// Tiles in shared memory, 4 x 4 outputs a thread: eight shared reads for sixteen multiply-adds.
#include <cuda_runtime.h>

constexpr int kTile = 64;             // outputs of a block in either direction
constexpr int kDepth = 16;            // of the summed dimension at a time
constexpr int kBlock = 4;             // outputs of a thread in either direction
constexpr int kSide = kTile / kBlock; // threads of a block in either direction
constexpr int kThreads = kSide * kSide;
constexpr int kLoads = kTile * kDepth / kThreads; // elements of either tile that a thread fetches

__global__ void __launch_bounds__(kThreads)
    matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k)
{
    __shared__ float a_tile[kDepth][kTile + 2]; // turned; padded so that the stores of a column spread over banks
    __shared__ float b_tile[kDepth][kTile];
    const int thread = threadIdx.x;
    const int tx = thread % kSide, ty = thread / kSide;
    const int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
    float sums[kBlock][kBlock] = {};
    for (int start = 0; start < k; start += kDepth) {
#pragma unroll
        for (int j = 0; j < kLoads; ++j) {
            const int i = thread + j * kThreads;
            const int a_row = i / kDepth, a_col = i % kDepth, b_row = i / kTile, b_col = i % kTile;
            a_tile[a_col][a_row] =
                first_row + a_row < m && start + a_col < k ? a[size_t(first_row + a_row) * k + start + a_col] : 0.0f;
            b_tile[b_row][b_col] =
                start + b_row < k && first_col + b_col < n ? b[size_t(start + b_row) * n + first_col + b_col] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < kDepth; ++p) {
            float a_part[kBlock], b_part[kBlock];
#pragma unroll
            for (int i = 0; i < kBlock; ++i) {
                a_part[i] = a_tile[p][ty * kBlock + i];
                b_part[i] = b_tile[p][tx + i * kSide];
            }
#pragma unroll
            for (int i = 0; i < kBlock; ++i)
#pragma unroll
                for (int j = 0; j < kBlock; ++j)
                    sums[i][j] += a_part[i] * b_part[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kBlock; ++i)
#pragma unroll
        for (int j = 0; j < kBlock; ++j) {
            const int row = first_row + ty * kBlock + i, col = first_col + tx + j * kSide;
            if (row < m && col < n) c[size_t(row) * n + col] = sums[i][j];
        }
}

extern "C" void solve(const float *a, const float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    matmul<<<blocks, kThreads, 0, stream>>>(a, b, c, m, n, k);
}
