// SPDX-License-Identifier: Apache-2.0
// Balanced: a block's threads share its 64 rows' elements evenly, whatever the rows' lengths; the products wait in
// shared memory until four lanes add those of each row.
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
    __shared__ float products[most];
    const int firstRow = blockIdx.x * rowsPerBlock;
    const int first = begin(shift, firstRow);
    const int count = begin(shift, min(firstRow + rowsPerBlock, rows)) - first;
    for (int i = threadIdx.x; i < count; i += threads)
        products[i] = values[first + i] * x[columns[first + i]];
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
