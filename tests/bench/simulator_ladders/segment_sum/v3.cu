// SPDX-License-Identifier: Apache-2.0
// One warp a segment, 16 bytes a read: a lane adds up four features.
#include <cuda_runtime.h>

constexpr int warps = 8;

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
    sumSegments(const int *__restrict__ offsets, const Type *__restrict__ values, Type *__restrict__ y, int segments,
                int width)
{
    const int s = blockIdx.x * warps + threadIdx.x / 32;
    if (s >= segments)
        return;
    const int first = begin(offsets, s);
    const int last = begin(offsets, s + 1);
    for (int f = threadIdx.x % 32; f < width; f += 32) {
        Type sum = {};
        for (int r = first; r < last; ++r)
            add(sum, values[size_t(r) * width + f]);
        y[size_t(s) * width + f] = sum;
    }
}

bool aligned(const void *pointer)
{
    return reinterpret_cast<size_t>(pointer) % sizeof(float4) == 0;
}

extern "C" void solve(const int *offsets, const float *values, float *y, int segments, int features,
                      cudaStream_t stream)
{
    const int blocks = (segments + warps - 1) / warps;
    if (features % 4 == 0 && aligned(values) && aligned(y))
        sumSegments<float4><<<blocks, 32 * warps, 0, stream>>>(
            offsets, reinterpret_cast<const float4 *>(values), reinterpret_cast<float4 *>(y), segments, features / 4);
    else
        sumSegments<float><<<blocks, 32 * warps, 0, stream>>>(offsets, values, y, segments, features);
}
