// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>

namespace w = nvcuda::wmma;

__global__ void gemm(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int N, int K)
{
    __shared__ __align__(32) __nv_bfloat16 sa[32 * 16], sb[16 * 32];
    const int warp = threadIdx.x / 32, wy = warp / 2, wx = warp % 2;
    w::fragment<w::accumulator, 16, 16, 16, float> acc;
    w::fill_fragment(acc, 0.0f);
    for (int k = 0; k < K; k += 16) {
        if (threadIdx.x < 64) {
            const int r = threadIdx.x / 2, c = threadIdx.x % 2 * 8;
            *(uint4 *)&sa[r * 16 + c] = *(const uint4 *)&A[(blockIdx.y * 32 + r) * K + k + c];
        } else {
            const int t = threadIdx.x - 64, r = t / 4, c = t % 4 * 8;
            *(uint4 *)&sb[r * 32 + c] = *(const uint4 *)&B[(k + r) * N + blockIdx.x * 32 + c];
        }
        __syncthreads();
        w::fragment<w::matrix_a, 16, 16, 16, __nv_bfloat16, w::row_major> fa;
        w::fragment<w::matrix_b, 16, 16, 16, __nv_bfloat16, w::row_major> fb;
        w::load_matrix_sync(fa, sa + wy * 256, 16);
        w::load_matrix_sync(fb, sb + wx * 16, 32);
        w::mma_sync(acc, fa, fb, acc);
        __syncthreads();
    }
    w::store_matrix_sync(C + (blockIdx.y * 32 + wy * 16) * N + blockIdx.x * 32 + wx * 16, acc, N, w::mem_row_major);
}

extern "C" void solve(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K, cudaStream_t stream)
{
    gemm<<<dim3(N / 32, M / 32), 128, 0, stream>>>(A, B, C, N, K);
}
