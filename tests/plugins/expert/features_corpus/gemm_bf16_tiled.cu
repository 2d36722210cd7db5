// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_runtime.h>

using bf16 = __nv_bfloat16;

__global__ void matmul(const bf16 *A, const bf16 *B, bf16 *C, int M, int N, int K)
{
    extern __shared__ bf16 memory[];
    bf16 *As = memory;
    bf16 *Bs = memory + 32 * 32;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 32) {
        As[ty * 32 + tx] = A[row * K + k0 + tx];
        Bs[ty * 32 + tx] = B[(k0 + ty) * N + col];
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            sum += __bfloat162float(As[ty * 32 + k]) * __bfloat162float(Bs[k * 32 + tx]);
        __syncthreads();
    }
    C[row * N + col] = __float2bfloat16(sum);
}

extern "C" void solve(const bf16 *A, const bf16 *B, bf16 *C, int M, int N, int K, cudaStream_t stream)
{
    matmul<<<dim3(N / 32, M / 32), dim3(32, 32), 2 * 32 * 32 * sizeof(bf16), stream>>>(A, B, C, M, N, K);
}
