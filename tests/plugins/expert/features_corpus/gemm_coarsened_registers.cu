// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

template <int Cols> __global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = (blockIdx.x * blockDim.x + threadIdx.x) * Cols;
    if (row >= M || col + Cols > N) return;
    float acc[Cols] = {0.0f};
    for (int k = 0; k < K; ++k) {
        const float left = A[row * K + k];
#pragma unroll
        for (int j = 0; j < Cols; ++j)
            acc[j] += left * B[k * N + col + j];
    }
#pragma unroll
    for (int j = 0; j < Cols; ++j)
        C[row * N + col + j] = acc[j];
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, cudaStream_t stream)
{
    matmul<4><<<dim3((N / 4 + 31) / 32, (M + 7) / 8), dim3(32, 8), 0, stream>>>(A, B, C, M, N, K);
}
