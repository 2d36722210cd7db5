// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void hgemm(const half *A, const half2 *B, half2 *C, int M, int N2, int K)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= N2 || row >= M) return;
    half2 acc = __float2half2_rn(0.0f);
    for (int k = 0; k < K; ++k)
        acc = __hfma2(__half2half2(A[row * K + k]), B[k * N2 + col], acc);
    C[row * N2 + col] = acc;
}

extern "C" void solve(const half *A, const half *B, half *C, int M, int N, int K, cudaStream_t stream)
{
    hgemm<<<dim3((N / 2 + 31) / 32, (M + 7) / 8), dim3(32, 8), 0, stream>>>(A, (const half2 *)B, (half2 *)C, M, N / 2, K);
}
