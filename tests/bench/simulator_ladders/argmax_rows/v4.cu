// SPDX-License-Identifier: Apache-2.0
// Few long rows leave half of the device idle: sixteen blocks share a row, and a second kernel compares what they found.
#include <cuda_runtime.h>

#include <math.h>

constexpr int threads = 256;
constexpr int parts = 16;      // of a row
constexpr int mostRows = 512;  // that are shared; more rows fill the device by themselves

struct Find
{
    float value;
    int index;
};

__device__ Find partial[mostRows * parts];

__device__ Find better(Find a, Find b)
{
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

__device__ Find warpBest(Find best)
{
    for (int step = 16; step > 0; step /= 2)
        best = better(best, {__shfl_xor_sync(~0u, best.value, step), __shfl_xor_sync(~0u, best.index, step)});
    return best;
}

// A thread sees its columns in ascending order, so the first of several stays.
__device__ void see(Find &best, float value, int index)
{
    if (value > best.value)
        best = {value, index};
}

// The best of columns begin … end - 1; begin is a multiple of four. Holds on thread 0.
__device__ Find search(const float *row, int begin, int end, int cols)
{
    __shared__ Find finds[threads / 32];
    const int t = threadIdx.x;
    Find best{-INFINITY, cols};
    const int vectorEnd = cols % 4 == 0 ? end : begin;
#pragma unroll 8
    for (int c = begin + 4 * t; c < vectorEnd; c += 4 * threads) {
        const float4 v = *reinterpret_cast<const float4 *>(row + c);
        see(best, v.x, c);
        see(best, v.y, c + 1);
        see(best, v.z, c + 2);
        see(best, v.w, c + 3);
    }
    for (int c = vectorEnd + t; c < end; c += threads)
        see(best, row[c], c);
    best = warpBest(best);
    if (t % 32 == 0)
        finds[t / 32] = best;
    __syncthreads();
    if (t == 0)
        for (int w = 1; w < threads / 32; ++w)
            best = better(best, finds[w]);
    return best;
}

__global__ void __launch_bounds__(threads) searchPart(const float *__restrict__ x, int cols, int wide)
{
    const int begin = min(int(blockIdx.x) * wide, cols);
    const Find best = search(x + size_t(blockIdx.y) * cols, begin, min(begin + wide, cols), cols);
    if (threadIdx.x == 0)
        partial[blockIdx.y * parts + blockIdx.x] = best;
}

__global__ void compareParts(int *__restrict__ index, float *__restrict__ value, int rows)
{
    const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (r >= rows)
        return;
    const Find best = warpBest(partial[r * parts + threadIdx.x % parts]);
    if (threadIdx.x % 32 == 0) {
        index[r] = best.index;
        value[r] = best.value;
    }
}

__global__ void __launch_bounds__(threads)
    searchRow(const float *__restrict__ x, int *__restrict__ index, float *__restrict__ value, int cols)
{
    const Find best = search(x + size_t(blockIdx.x) * cols, 0, cols, cols);
    if (threadIdx.x == 0) {
        index[blockIdx.x] = best.index;
        value[blockIdx.x] = best.value;
    }
}

extern "C" void solve(const float *x, int *index, float *value, int rows, int cols, cudaStream_t stream)
{
    if (rows > mostRows || cols < 16384) {
        searchRow<<<rows, threads, 0, stream>>>(x, index, value, cols);
        return;
    }
    const int wide = ((cols + parts - 1) / parts + 3) / 4 * 4;
    searchPart<<<dim3(parts, rows), threads, 0, stream>>>(x, cols, wide);
    compareParts<<<(rows + 3) / 4, 128, 0, stream>>>(index, value, rows);
}
