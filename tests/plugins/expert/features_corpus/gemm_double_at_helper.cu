// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

struct View
{
    const double *data;
    int rows, cols;
    __device__ double at(int r, int c) const { return data[r * cols + c]; }
};

__device__ int global_column() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int global_row() { return blockIdx.y * blockDim.y + threadIdx.y; }

__global__ void product(View a, View b, double *c)
{
    const int row = global_row(), col = global_column();
    if (row >= a.rows || col >= b.cols) return;
    double sum = 0.0;
    for (int k = 0; k < a.cols; ++k)
        sum += a.at(row, k) * b.at(k, col);
    c[row * b.cols + col] = sum;
}

extern "C" void solve(const double *a, const double *b, double *c, int m, int n, int k, cudaStream_t stream)
{
    product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16), 0, stream>>>(View{a, m, k}, View{b, k, n}, c);
}
