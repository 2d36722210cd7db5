// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ void mma_16816(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// C[m][n] = A[m][k] · B[n][k]ᵀ, one warp a 16×8 tile.
__global__ void mma_gemm(const half *A, const half *B, float *C, int M, int N, int K)
{
    const int lane = threadIdx.x, group = lane >> 2, pair = (lane & 3) * 2;
    const int m0 = blockIdx.y * 16, n0 = blockIdx.x * 8;
    float d[4] = {0, 0, 0, 0};
    for (int k = 0; k < K; k += 16) {
        uint32_t a[4], b[2];
        a[0] = *reinterpret_cast<const uint32_t *>(&A[(m0 + group) * K + k + pair]);
        a[1] = *reinterpret_cast<const uint32_t *>(&A[(m0 + group + 8) * K + k + pair]);
        a[2] = *reinterpret_cast<const uint32_t *>(&A[(m0 + group) * K + k + pair + 8]);
        a[3] = *reinterpret_cast<const uint32_t *>(&A[(m0 + group + 8) * K + k + pair + 8]);
        b[0] = *reinterpret_cast<const uint32_t *>(&B[(n0 + group) * K + k + pair]);
        b[1] = *reinterpret_cast<const uint32_t *>(&B[(n0 + group) * K + k + pair + 8]);
        mma_16816(d, a, b);
    }
    C[(m0 + group) * N + n0 + pair] = d[0];
    C[(m0 + group) * N + n0 + pair + 1] = d[1];
    C[(m0 + group + 8) * N + n0 + pair] = d[2];
    C[(m0 + group + 8) * N + n0 + pair + 1] = d[3];
}

extern "C" void solve(const half *A, const half *B, float *C, int M, int N, int K, cudaStream_t stream)
{
    mma_gemm<<<dim3(N / 8, M / 16), 32, 0, stream>>>(A, B, C, M, N, K);
}
