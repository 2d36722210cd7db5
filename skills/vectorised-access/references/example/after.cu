// SPDX-License-Identifier: Apache-2.0
// A thread moves one float4 of each array. Counts and pointers that do not allow it take the scalar kernel.
#include <cstdint>
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void axpby(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ z, int count)
{
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < count) z[i] = 2.0f * x[i] + 3.0f * y[i];
}

__global__ void axpbyVectors(const float4 *__restrict__ x, const float4 *__restrict__ y, float4 *__restrict__ z,
                             int vectors)
{
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= vectors) return;
    const float4 x4 = x[i], y4 = y[i];
    z[i] = make_float4(2.0f * x4.x + 3.0f * y4.x, 2.0f * x4.y + 3.0f * y4.y, 2.0f * x4.z + 3.0f * y4.z,
                       2.0f * x4.w + 3.0f * y4.w);
}

bool isAligned(const void *pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0;
}

extern "C" void solve(const float *x, const float *y, float *z, int count, cudaStream_t stream)
{
    if (count % 4 == 0 && isAligned(x) && isAligned(y) && isAligned(z)) {
        const int vectors = count / 4;
        axpbyVectors<<<(vectors + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
            reinterpret_cast<const float4 *>(x), reinterpret_cast<const float4 *>(y), reinterpret_cast<float4 *>(z),
            vectors);
    } else {
        axpby<<<(count + kThreads - 1) / kThreads, kThreads, 0, stream>>>(x, y, z, count);
    }
}
