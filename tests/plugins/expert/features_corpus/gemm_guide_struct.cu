// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

typedef struct
{
    int width;
    int height;
    float *elements;
} Matrix;

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C)
{
    float Cvalue = 0;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = 0; e < A.width; ++e)
        Cvalue += A.elements[row * A.width + e] * B.elements[e * B.width + col];
    C.elements[row * C.width + col] = Cvalue;
}

extern "C" void solve(float *a, float *b, float *c, int m, int n, int k, cudaStream_t stream)
{
    Matrix A = {k, m, a}, B = {n, k, b}, C = {n, m, c};
    dim3 dimBlock(16, 16);
    dim3 dimGrid(n / dimBlock.x, m / dimBlock.y);
    MatMulKernel<<<dimGrid, dimBlock, 0, stream>>>(A, B, C);
}
