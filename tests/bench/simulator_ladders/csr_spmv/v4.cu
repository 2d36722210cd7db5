// SPDX-License-Identifier: Apache-2.0
// Four elements a load: a block reads from the last multiple of four before its first element to the next one after
// its last, which the arrays' length, a multiple of 32, allows; four reads of x a thread are on their way at a time.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int rowsPerBlock = 64;
constexpr int lanes = threads / rowsPerBlock; // of a row, for the sums
constexpr int most = 32 * rowsPerBlock + 32;  // elements of that many rows

__device__ int begin(const int *shift, int row)
{
    return 32 * row + shift[row];
}

__global__ void __launch_bounds__(threads)
    multiply(const int *__restrict__ shift, const int *__restrict__ columns, const float *__restrict__ values,
             const float *__restrict__ x, float *__restrict__ y, int rows)
{
    __shared__ __align__(16) float products[most + 8];
    const int firstRow = blockIdx.x * rowsPerBlock;
    const int first = begin(shift, firstRow) / 4 * 4;
    const int count = begin(shift, min(firstRow + rowsPerBlock, rows)) - first;
    for (int i = 4 * threadIdx.x; i < count; i += 4 * threads) {
        const int4 column = *reinterpret_cast<const int4 *>(columns + first + i);
        const float4 value = *reinterpret_cast<const float4 *>(values + first + i);
        *reinterpret_cast<float4 *>(products + i) = make_float4(value.x * x[column.x], value.y * x[column.y],
                                                                value.z * x[column.z], value.w * x[column.w]);
    }
    __syncthreads();
    const int r = firstRow + threadIdx.x / lanes;
    const int lane = threadIdx.x % lanes;
    float sum = 0.0f;
    if (r < rows) {
        const int end = begin(shift, r + 1) - first;
        for (int i = begin(shift, r) - first + lane; i < end; i += lanes)
            sum += products[i];
    }
    for (int step = lanes / 2; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (r < rows && lane == 0)
        y[r] = sum;
}

extern "C" void solve(const int *shift, const int *columns, const float *values, const float *x, float *y, int rows,
                      cudaStream_t stream)
{
    multiply<<<(rows + rowsPerBlock - 1) / rowsPerBlock, threads, 0, stream>>>(shift, columns, values, x, y, rows);
}
