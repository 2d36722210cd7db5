// SPDX-License-Identifier: Apache-2.0
// Eight lanes a row: fewer idle lanes, four rows a warp.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int lanes = 8; // of a row

__device__ int begin(const int *shift, int row)
{
    return 32 * row + shift[row];
}

__global__ void multiply(const int *shift, const int *columns, const float *values, const float *x, float *y, int rows)
{
    const int r = (blockIdx.x * threads + threadIdx.x) / lanes;
    const int lane = threadIdx.x % lanes;
    float sum = 0.0f;
    if (r < rows) {
        const int end = begin(shift, r + 1);
        for (int i = begin(shift, r) + lane; i < end; i += lanes)
            sum += values[i] * x[columns[i]];
    }
    for (int step = lanes / 2; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (r < rows && lane == 0)
        y[r] = sum;
}

extern "C" void solve(const int *shift, const int *columns, const float *values, const float *x, float *y, int rows,
                      cudaStream_t stream)
{
    constexpr int perBlock = threads / lanes;
    multiply<<<(rows + perBlock - 1) / perBlock, threads, 0, stream>>>(shift, columns, values, x, y, rows);
}
