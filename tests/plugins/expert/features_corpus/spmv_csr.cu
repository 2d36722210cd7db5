// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

__global__ void spmv(const int *row_start, const int *column, const float *value, const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int e = row_start[row]; e < row_start[row + 1]; ++e)
            sum += value[e] * x[column[e]];
        y[row] = sum;
    }
}

extern "C" void solve(const int *row_start, const int *column, const float *value, const float *x, float *y, int rows,
                      cudaStream_t stream)
{
    spmv<<<(rows + 127) / 128, 128, 0, stream>>>(row_start, column, value, x, y, rows);
}
