// SPDX-License-Identifier: Apache-2.0
// Four rows a warp: what is read of x serves four rows, and four times as many loads are on their way.
#include <cuda_runtime.h>

constexpr int warps = 8;       // of a block
constexpr int rowsPerWarp = 4;
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
    const float *row[rowsPerWarp];
#pragma unroll
    for (int i = 0; i < rowsPerWarp; ++i)
        row[i] = a + size_t(min(first + i, rows - 1)) * cols;
    const int fours = cols % 4 == 0 ? cols / 4 : 0;
    float sum[rowsPerWarp] = {};
    for (int c = threadIdx.x; c < fours; c += 32) {
        const float4 part = reinterpret_cast<const float4 *>(x)[c];
#pragma unroll
        for (int i = 0; i < rowsPerWarp; ++i)
            sum[i] += dot(reinterpret_cast<const float4 *>(row[i])[c], part);
    }
    for (int c = 4 * fours + threadIdx.x; c < cols; c += 32)
#pragma unroll
        for (int i = 0; i < rowsPerWarp; ++i)
            sum[i] += row[i][c] * x[c];
#pragma unroll
    for (int i = 0; i < rowsPerWarp; ++i) {
        sum[i] = warpSum(sum[i]);
        if (threadIdx.x == 0 && first + i < rows)
            y[first + i] = sum[i];
    }
}

extern "C" void solve(const float *a, const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    multiply<<<(rows + rowsPerBlock - 1) / rowsPerBlock, dim3(32, warps), 0, stream>>>(a, x, y, rows, cols);
}
