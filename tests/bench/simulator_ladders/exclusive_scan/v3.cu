// SPDX-License-Identifier: Apache-2.0
// 16 elements a thread with 16 bytes an access, and warps scan by shuffles; the totals are a quarter as many.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int quarters = 4;
constexpr int tile = 4 * quarters * threads;
constexpr int mostBlocks = 1 << 19; // enough for any count

__device__ int totals[mostBlocks];

__device__ int4 fourAt(const int *x, int i, int count, bool vectors)
{
    if (vectors && i + 3 < count)
        return *reinterpret_cast<const int4 *>(x + i);
    return make_int4(i < count ? x[i] : 0, i + 1 < count ? x[i + 1] : 0, i + 2 < count ? x[i + 2] : 0,
                     i + 3 < count ? x[i + 3] : 0);
}

__device__ void store(int *y, int i, int count, bool vectors, int4 v)
{
    if (vectors && i + 3 < count) {
        *reinterpret_cast<int4 *>(y + i) = v;
        return;
    }
    if (i < count)
        y[i] = v.x;
    if (i + 1 < count)
        y[i + 1] = v.y;
    if (i + 2 < count)
        y[i + 2] = v.z;
    if (i + 3 < count)
        y[i + 3] = v.w;
}

// The sum of the values of the lanes up to this one.
__device__ int scanWarp(int value)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const int before = __shfl_up_sync(~0u, value, distance);
        if (lane >= distance)
            value += before;
    }
    return value;
}

// Turns the tile's values into what stands before each of them in the tile; quarter j of it is contiguous, and so are
// the four values of a thread within. Returns the total.
__device__ int scanTile(int4 (&v)[quarters])
{
    __shared__ int sums[quarters * warps]; // of the warps in each quarter: 32
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    int before[quarters];
#pragma unroll
    for (int j = 0; j < quarters; ++j) {
        const int own = v[j].x + v[j].y + v[j].z + v[j].w;
        const int sum = scanWarp(own);
        before[j] = sum - own;
        if (lane == 31)
            sums[j * warps + warp] = sum;
    }
    __syncthreads();
    const int group = sums[lane];
    const int scanned = scanWarp(group); // every warp for itself
#pragma unroll
    for (int j = 0; j < quarters; ++j) {
        int sum = before[j] + __shfl_sync(~0u, scanned - group, j * warps + warp);
        const int4 own = v[j];
        v[j].x = sum;
        v[j].y = sum += own.x;
        v[j].z = sum += own.y;
        v[j].w = sum + own.z;
    }
    return __shfl_sync(~0u, scanned, 31);
}

__global__ void __launch_bounds__(threads) sumTiles(const int *__restrict__ x, int count, bool vectors)
{
    __shared__ int part[warps];
    const int first = blockIdx.x * tile + 4 * threadIdx.x;
    int sum = 0;
#pragma unroll
    for (int j = 0; j < quarters; ++j) {
        const int4 v = fourAt(x, first + 4 * threads * j, count, vectors);
        sum += v.x + v.y + v.z + v.w;
    }
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < warps; ++w)
            sum += part[w];
        totals[blockIdx.x] = sum;
    }
}

// One block of 1024, 1024 totals at a time.
__global__ void __launch_bounds__(1024) scanTotals(int blocks)
{
    __shared__ int sums[32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    int carry = 0;
    for (int first = 0; first < blocks; first += 1024) {
        const int i = first + threadIdx.x;
        const int own = i < blocks ? totals[i] : 0;
        const int sum = scanWarp(own);
        if (lane == 31)
            sums[warp] = sum;
        __syncthreads();
        const int group = sums[lane];
        const int scanned = scanWarp(group);
        const int before = __shfl_sync(~0u, scanned - group, warp);
        if (i < blocks)
            totals[i] = carry + before + sum - own;
        carry += __shfl_sync(~0u, scanned, 31);
        __syncthreads(); // before the next sums
    }
}

__global__ void __launch_bounds__(threads)
    scanTiles(const int *__restrict__ x, int *__restrict__ y, int count, bool vectors)
{
    const int first = blockIdx.x * tile + 4 * threadIdx.x;
    int4 v[quarters];
#pragma unroll
    for (int j = 0; j < quarters; ++j)
        v[j] = fourAt(x, first + 4 * threads * j, count, vectors);
    scanTile(v);
    const int before = totals[blockIdx.x];
#pragma unroll
    for (int j = 0; j < quarters; ++j)
        store(y, first + 4 * threads * j, count, vectors,
              make_int4(before + v[j].x, before + v[j].y, before + v[j].z, before + v[j].w));
}

bool aligned(const void *pointer)
{
    return reinterpret_cast<size_t>(pointer) % sizeof(int4) == 0;
}

extern "C" void solve(const int *x, int *y, int count, cudaStream_t stream)
{
    const bool vectors = aligned(x) && aligned(y);
    const int blocks = (count - 1) / tile + 1;
    sumTiles<<<blocks, threads, 0, stream>>>(x, count, vectors);
    scanTotals<<<1, 1024, 0, stream>>>(blocks);
    scanTiles<<<blocks, threads, 0, stream>>>(x, y, count, vectors);
}
