// SPDX-License-Identifier: Apache-2.0
// 32 dimensions of 32 and 32 points at a time in shared memory: coalesced reads.
#include <cuda_runtime.h>

constexpr int tile = 32;

__global__ void distances(const float *x, const float *y, float *d, int n, int m, int dims)
{
    __shared__ float left[tile][tile + 1];
    __shared__ float right[tile][tile + 1]; // neighbouring threads read neighbouring rows
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i = blockIdx.y * tile + ty;
    const int j = blockIdx.x * tile + tx;
    const int loaded = blockIdx.x * tile + ty; // the point of y this thread reads
    float sum = 0.0f;
    for (int first = 0; first < dims; first += tile) {
        const int l = first + tx;
        left[ty][tx] = i < n && l < dims ? x[size_t(i) * dims + l] : 0.0f;
        right[ty][tx] = loaded < m && l < dims ? y[size_t(loaded) * dims + l] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int e = 0; e < tile; ++e) {
            const float difference = left[ty][e] - right[tx][e];
            sum += difference * difference;
        }
        __syncthreads();
    }
    if (i < n && j < m)
        d[size_t(i) * m + j] = sum;
}

extern "C" void solve(const float *x, const float *y, float *d, int n, int m, int dims, cudaStream_t stream)
{
    distances<<<dim3((m + tile - 1) / tile, (n + tile - 1) / tile), dim3(tile, tile), 0, stream>>>(x, y, d, n, m, dims);
}
