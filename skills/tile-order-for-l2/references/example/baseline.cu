// SPDX-License-Identifier: Apache-2.0
// Blocks run through a whole plane before they go on to the next plane.
#include <cuda_runtime.h>

constexpr int kWidth = 32, kHeight = 8;

// blockIdx.x runs fastest, then blockIdx.y: the neighbour in the next plane comes a whole plane later.
__global__ void heatStep(const float *x, float *y, int depth, int rows, int cols)
{
    const int plane = blockIdx.z;
    const int row = blockIdx.y * kHeight + threadIdx.y, col = blockIdx.x * kWidth + threadIdx.x;
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
    const dim3 blocks((cols + kWidth - 1) / kWidth, (rows + kHeight - 1) / kHeight, depth);
    heatStep<<<blocks, dim3(kWidth, kHeight), 0, stream>>>(x, y, depth, rows, cols);
}
