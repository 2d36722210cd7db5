// SPDX-License-Identifier: Apache-2.0
// A block takes some rows and 2048 columns and adds to y: eight times as many blocks, enough for every multiprocessor.
#include <cuda_runtime.h>

constexpr int warps = 8;       // of a block
constexpr int rowsPerWarp = 4;
constexpr int colsPerBlock = 2048;
constexpr int rowsPerBlock = warps * rowsPerWarp;

__device__ float warpSum(float value)
{
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}

__device__ float dot(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__global__ void multiply(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int rows,
                         int cols)
{
    const int first = blockIdx.x * rowsPerBlock + threadIdx.y * rowsPerWarp;
    const int begin = blockIdx.y * colsPerBlock;
    const int end = min(begin + colsPerBlock, cols);
    const float *row[rowsPerWarp];
#pragma unroll
    for (int i = 0; i < rowsPerWarp; ++i)
        row[i] = a + size_t(min(first + i, rows - 1)) * cols;
    const int vectorEnd = cols % 4 == 0 ? end : begin;
    float sum[rowsPerWarp] = {};
#pragma unroll 4
    for (int c = begin + 4 * threadIdx.x; c < vectorEnd; c += 128) {
        const float4 part = *reinterpret_cast<const float4 *>(x + c);
#pragma unroll
        for (int i = 0; i < rowsPerWarp; ++i)
            sum[i] += dot(*reinterpret_cast<const float4 *>(row[i] + c), part);
    }
    for (int c = vectorEnd + threadIdx.x; c < end; c += 32)
#pragma unroll
        for (int i = 0; i < rowsPerWarp; ++i)
            sum[i] += row[i][c] * x[c];
#pragma unroll
    for (int i = 0; i < rowsPerWarp; ++i) {
        sum[i] = warpSum(sum[i]);
        if (threadIdx.x == 0 && first + i < rows)
            atomicAdd(y + first + i, sum[i]);
    }
}

extern "C" void solve(const float *a, const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const dim3 blocks((rows + rowsPerBlock - 1) / rowsPerBlock, (cols + colsPerBlock - 1) / colsPerBlock);
    cudaMemsetAsync(y, 0, size_t(rows) * sizeof(float), stream);
    multiply<<<blocks, dim3(32, warps), 0, stream>>>(a, x, y, rows, cols);
}
