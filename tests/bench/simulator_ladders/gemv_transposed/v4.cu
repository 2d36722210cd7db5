// SPDX-License-Identifier: Apache-2.0
// Sixteen streaming 16-byte reads in flight a thread, straight to registers; small pieces, so that there are many blocks.
#include <cuda_runtime.h>

constexpr int threads = 128;
constexpr int flight = 16;
constexpr int piece = 64; // rows of a block

__device__ void add(float4 &sum, float4 v, float factor)
{
    sum.x += v.x * factor;
    sum.y += v.y * factor;
    sum.z += v.z * factor;
    sum.w += v.w * factor;
}

__global__ void __launch_bounds__(threads, 4)
    gemvVector(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int rows, int cols)
{
    __shared__ float factors[piece];
    const int begin = blockIdx.y * piece;
    const int many = min(piece, rows - begin);
    if (int(threadIdx.x) < many)
        factors[threadIdx.x] = x[begin + threadIdx.x];
    __syncthreads();
    const int c = 4 * (blockIdx.x * threads + threadIdx.x);
    if (c >= cols)
        return;
    const int quads = cols / 4;
    const float4 *from = reinterpret_cast<const float4 *>(a + size_t(begin) * cols + c);
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    int i = 0;
    for (; i + flight <= many; i += flight) {
        float4 v[flight];
#pragma unroll
        for (int j = 0; j < flight; ++j)
            v[j] = __ldcs(from + size_t(i + j) * quads);
#pragma unroll
        for (int j = 0; j < flight; ++j)
            add(sum, v[j], factors[i + j]);
    }
    for (; i < many; ++i)
        add(sum, __ldcs(from + size_t(i) * quads), factors[i]);
    atomicAdd(&y[c], sum.x);
    atomicAdd(&y[c + 1], sum.y);
    atomicAdd(&y[c + 2], sum.z);
    atomicAdd(&y[c + 3], sum.w);
}

__global__ void __launch_bounds__(threads)
    gemvTransposed(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int rows, int cols)
{
    const int c = blockIdx.x * threads + threadIdx.x;
    if (c >= cols)
        return;
    const int begin = blockIdx.y * piece;
    const int end = min(begin + piece, rows);
    float sum = 0.0f;
    for (int r = begin; r < end; ++r)
        sum += a[size_t(r) * cols + c] * x[r];
    atomicAdd(&y[c], sum);
}

extern "C" void solve(const float *a, const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    const int pieces = (rows + piece - 1) / piece;
    cudaMemsetAsync(y, 0, size_t(cols) * sizeof(float), stream);
    if (cols % 4 == 0 && reinterpret_cast<size_t>(a) % sizeof(float4) == 0)
        gemvVector<<<dim3((cols / 4 + threads - 1) / threads, pieces), threads, 0, stream>>>(a, x, y, rows, cols);
    else
        gemvTransposed<<<dim3((cols + threads - 1) / threads, pieces), threads, 0, stream>>>(a, x, y, rows, cols);
}
