// SPDX-License-Identifier: Apache-2.0
// Four warps share a segment with four rows in flight each, read past the caches, and join in shared memory.
#include <cuda_runtime.h>

constexpr int warps = 4;
constexpr int batch = 4;

__device__ int begin(const int *offsets, int segment)
{
    return 32 * segment + offsets[segment];
}

__device__ void add(float4 &sum, float4 v)
{
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
}

__device__ void add(float &sum, float v)
{
    sum += v;
}

// Type is float4, or float where rows do not start at multiples of 16 bytes; width is in elements of it.
template <typename Type>
__global__ void __launch_bounds__(32 * warps)
    sumSegments(const int *__restrict__ offsets, const Type *__restrict__ values, Type *__restrict__ y, int width)
{
    __shared__ Type part[warps][32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int s = blockIdx.x;
    const int first = begin(offsets, s) + warp;
    const int last = begin(offsets, s + 1);
    for (int start = 0; start < width; start += 32) {
        const int f = start + lane;
        Type sum = {};
        if (f < width)
            for (int r = first; r < last; r += batch * warps) {
                Type v[batch];
#pragma unroll
                for (int j = 0; j < batch; ++j) // the last row again where there are fewer, so that none waits
                    v[j] = __ldcs(&values[size_t(min(r + j * warps, last - 1)) * width + f]);
#pragma unroll
                for (int j = 0; j < batch; ++j)
                    add(sum, r + j * warps < last ? v[j] : Type{});
            }
        part[warp][lane] = sum;
        __syncthreads();
        if (warp == 0 && f < width) {
#pragma unroll
            for (int w = 1; w < warps; ++w)
                add(sum, part[w][lane]);
            y[size_t(s) * width + f] = sum;
        }
        __syncthreads(); // before the next features
    }
}

bool aligned(const void *pointer)
{
    return reinterpret_cast<size_t>(pointer) % sizeof(float4) == 0;
}

extern "C" void solve(const int *offsets, const float *values, float *y, int segments, int features,
                      cudaStream_t stream)
{
    if (features % 4 == 0 && aligned(values) && aligned(y))
        sumSegments<float4><<<segments, 32 * warps, 0, stream>>>(offsets, reinterpret_cast<const float4 *>(values),
                                                                 reinterpret_cast<float4 *>(y), features / 4);
    else
        sumSegments<float><<<segments, 32 * warps, 0, stream>>>(offsets, values, y, features);
}
