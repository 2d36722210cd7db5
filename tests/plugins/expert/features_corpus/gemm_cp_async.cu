// SPDX-License-Identifier: Apache-2.0
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int T = 32;

__global__ void matmul(const float *A, const float *B, float *C, int N, int K)
{
    __shared__ __align__(16) float a[2][T][T];
    __shared__ __align__(16) float b[2][T][T];
    const int t = threadIdx.x, r = t / 8, q = (t % 8) * 4;
    const int row0 = blockIdx.y * T, col0 = blockIdx.x * T;
    auto fetch = [&](int stage, int k0) {
        __pipeline_memcpy_async(&a[stage][r][q], &A[(row0 + r) * K + k0 + q], 16);
        __pipeline_memcpy_async(&b[stage][r][q], &B[(k0 + r) * N + col0 + q], 16);
        __pipeline_commit();
    };
    float acc[4] = {};
    fetch(0, 0);
    for (int k0 = 0, stage = 0; k0 < K; k0 += T, stage ^= 1) {
        if (k0 + T < K) fetch(stage ^ 1, k0 + T);
        __pipeline_wait_prior(k0 + T < K ? 1 : 0);
        __syncthreads();
        for (int k = 0; k < T; ++k)
            for (int j = 0; j < 4; ++j)
                acc[j] += a[stage][r][k] * b[stage][k][q + j];
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j)
        C[(row0 + r) * N + col0 + q + j] = acc[j];
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, cudaStream_t stream)
{
    matmul<<<dim3(N / T, M / T), 256, 0, stream>>>(A, B, C, N, K);
}
