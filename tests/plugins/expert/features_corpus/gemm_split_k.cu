// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

template <int T> __global__ void split_k(const float *A, const float *B, float *C, int M, int N, int K, int chunk)
{
    __shared__ float a[T][T + 1], b[T][T];
    const int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    const int first = blockIdx.z * chunk, last = min(K, first + chunk);
    float acc = 0.0f;
    for (int k0 = first; k0 < last; k0 += T) {
        a[threadIdx.y][threadIdx.x] = row < M && k0 + threadIdx.x < last ? A[row * K + k0 + threadIdx.x] : 0.0f;
        b[threadIdx.y][threadIdx.x] = col < N && k0 + threadIdx.y < last ? B[(k0 + threadIdx.y) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < T; ++k)
            acc = fmaf(a[threadIdx.y][k], b[k][threadIdx.x], acc);
        __syncthreads();
    }
    if (row < M && col < N) atomicAdd(&C[row * N + col], acc);
}

extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K, cudaStream_t stream)
{
    const int splits = 8, chunk = (K + splits - 1) / splits;
    cudaMemsetAsync(C, 0, sizeof(float) * M * N, stream);
    split_k<16><<<dim3((N + 15) / 16, (M + 15) / 16, splits), dim3(16, 16), 0, stream>>>(A, B, C, M, N, K, chunk);
}
