// SPDX-License-Identifier: Apache-2.0
// Two kernels. The first does the cheap particles and lists the fast ones; the second integrates the list, and its
// warps are full. The order of the list differs from run to run, the results do not.
#include <cuda_runtime.h>

constexpr float kLimit = 1.5f;

__device__ float slowedDown(float speed)
{
    for (int step = 0; step < 64; ++step)
        speed -= speed / (1.0f + speed * speed) * (1.0f / 16.0f);
    return speed;
}

__global__ void copyAndList(const float *x, float *y, int count, int *list, int *listed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float speed = i < count ? x[i] : 0.0f;
    const bool isFast = fabsf(speed) >= kLimit;
    if (i < count && !isFast)
        y[i] = speed;

    // Room in the list: one atomic a block. All blocks add to the same counter, and such atomics go one after another.
    __shared__ int place, first;
    if (threadIdx.x == 0)
        place = 0;
    __syncthreads();
    const int mine = isFast ? atomicAdd(&place, 1) : 0;
    __syncthreads();
    if (threadIdx.x == 0)
        first = place == 0 ? 0 : atomicAdd(listed, place);
    __syncthreads();
    if (isFast)
        list[first + mine] = i;
}

// The host does not know how many are listed: a fixed grid strides over them.
__global__ void integrateListed(const float *x, float *y, const int *list, const int *listed)
{
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < *listed; k += gridDim.x * blockDim.x)
        y[list[k]] = slowedDown(x[list[k]]);
}

struct Scratch
{
    int *listed = nullptr, *list = nullptr;
    int capacity = 0;
};

// Allocated once and kept: an allocation in every call would cost more than the kernels.
Scratch scratchFor(int count)
{
    static Scratch scratch;
    if (count > scratch.capacity) {
        cudaFree(scratch.listed);
        cudaMalloc(&scratch.listed, (size_t(count) + 1) * sizeof(int));
        scratch.list = scratch.listed + 1;
        scratch.capacity = count;
    }
    return scratch;
}

extern "C" void solve(const float *x, float *y, int count, cudaStream_t stream)
{
    constexpr int threads = 256, integratingBlocks = 132 * 8;
    const Scratch scratch = scratchFor(count);
    cudaMemsetAsync(scratch.listed, 0, sizeof(int), stream);
    copyAndList<<<(count + threads - 1) / threads, threads, 0, stream>>>(x, y, count, scratch.list, scratch.listed);
    integrateListed<<<integratingBlocks, threads, 0, stream>>>(x, y, scratch.list, scratch.listed);
}
