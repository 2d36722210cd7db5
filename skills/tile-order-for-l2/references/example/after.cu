// SPDX-License-Identifier: Apache-2.0
// Blocks run through the planes of one tile before they go on to the next tile.
#include <cuda_runtime.h>

constexpr int kWidth = 32, kHeight = 8;

// blockIdx.x runs fastest, hence it is the plane: blocks that share planes run at the same time.
__global__ void heatStep(const float *x, float *y, int depth, int rows, int cols)
{
    const int plane = blockIdx.x;
    const int row = blockIdx.z * kHeight + threadIdx.y, col = blockIdx.y * kWidth + threadIdx.x;
    if (row >= rows || col >= cols) return;
    const size_t inPlane = size_t(rows) * cols;
    const size_t at = plane * inPlane + size_t(row) * cols + col;
    const float centre = x[at];
    float sum = -6.0f * centre;
    sum += col > 0 ? x[at - 1] : 0.0f;
    sum += col < cols - 1 ? x[at + 1] : 0.0f;
    sum += row > 0 ? x[at - cols] : 0.0f;
    sum += row < rows - 1 ? x[at + cols] : 0.0f;
    sum += plane > 0 ? x[at - inPlane] : 0.0f;
    sum += plane < depth - 1 ? x[at + inPlane] : 0.0f;
    y[at] = centre + 0.1f * sum;
}

extern "C" void solve(const float *x, float *y, int depth, int rows, int cols, cudaStream_t stream)
{
    const dim3 blocks(depth, (cols + kWidth - 1) / kWidth, (rows + kHeight - 1) / kHeight);
    heatStep<<<blocks, dim3(kWidth, kHeight), 0, stream>>>(x, y, depth, rows, cols);
}
