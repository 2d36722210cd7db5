// SPDX-License-Identifier: Apache-2.0
// 16-byte reads, and a tile's elements come together in shared memory, so that they leave in whole lines.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int quarters = 4;
constexpr int tile = 4 * quarters * threads;
constexpr int mostTiles = 1 << 16; // enough for 2^28 elements

__device__ int places[mostTiles];

__device__ int4 fourAt(const int *x, int i, int count, bool vectors)
{
    if (vectors && i + 3 < count)
        return *reinterpret_cast<const int4 *>(x + i);
    return make_int4(i < count ? x[i] : 0, i + 1 < count ? x[i + 1] : 0, i + 2 < count ? x[i + 2] : 0,
                     i + 3 < count ? x[i + 3] : 0);
}

__device__ int positives(int4 v)
{
    return (v.x > 0) + (v.y > 0) + (v.z > 0) + (v.w > 0);
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

// Brings the tile's positive elements together in `packed`; returns how many there are. The caller has a barrier before
// it reads them.
__device__ int pack(int *packed, const int4 (&v)[quarters])
{
    __shared__ int sums[quarters * warps]; // of the warps in each quarter: 32
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    int before[quarters];
#pragma unroll
    for (int j = 0; j < quarters; ++j) {
        const int own = positives(v[j]);
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
        int to = before[j] + __shfl_sync(~0u, scanned - group, j * warps + warp);
        if (v[j].x > 0)
            packed[to++] = v[j].x;
        if (v[j].y > 0)
            packed[to++] = v[j].y;
        if (v[j].z > 0)
            packed[to++] = v[j].z;
        if (v[j].w > 0)
            packed[to++] = v[j].w;
    }
    return __shfl_sync(~0u, scanned, 31);
}

__global__ void __launch_bounds__(threads) countPositive(const int *__restrict__ x, int count, bool vectors)
{
    __shared__ int found[warps];
    const int first = blockIdx.x * tile + 4 * threadIdx.x;
    int own = 0;
#pragma unroll
    for (int j = 0; j < quarters; ++j)
        own += positives(fourAt(x, first + 4 * threads * j, count, vectors));
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_xor_sync(~0u, own, step);
    if (threadIdx.x % 32 == 0)
        found[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        own = 0;
        for (int w = 0; w < warps; ++w)
            own += found[w];
        places[blockIdx.x] = own;
    }
}

__global__ void scanPlaces(int *kept, int tiles)
{
    __shared__ int sums[32];
    const int t = threadIdx.x;
    int before = 0;
    for (int first = 0; first < tiles; first += 1024) {
        const int own = first + t < tiles ? places[first + t] : 0;
        const int sum = scanWarp(own);
        if (t % 32 == 31)
            sums[t / 32] = sum;
        __syncthreads();
        const int group = sums[t % 32];
        const int scanned = scanWarp(group);
        const int earlier = __shfl_sync(~0u, scanned - group, t / 32);
        if (first + t < tiles)
            places[first + t] = before + earlier + sum - own;
        before += __shfl_sync(~0u, scanned, 31);
        __syncthreads(); // before the next sums
    }
    if (t == 0)
        kept[0] = before;
}

__global__ void __launch_bounds__(threads)
    copyPositive(const int *__restrict__ x, int *__restrict__ y, int count, bool vectors)
{
    __shared__ int packed[tile];
    const int first = blockIdx.x * tile + 4 * threadIdx.x;
    int4 v[quarters];
#pragma unroll
    for (int j = 0; j < quarters; ++j)
        v[j] = fourAt(x, first + 4 * threads * j, count, vectors);
    const int found = pack(packed, v);
    __syncthreads();
    int *to = y + places[blockIdx.x];
    for (int i = threadIdx.x; i < found; i += threads)
        to[i] = packed[i];
}

__global__ void fillRest(int *y, const int *kept, int count)
{
    for (int i = kept[0] + blockIdx.x * threads + threadIdx.x; i < count; i += gridDim.x * threads)
        y[i] = 0;
}

extern "C" void solve(const int *x, int *y, int *kept, int count, cudaStream_t stream)
{
    const int tiles = (count + tile - 1) / tile;
    const bool vectors = reinterpret_cast<size_t>(x) % sizeof(int4) == 0;
    countPositive<<<tiles, threads, 0, stream>>>(x, count, vectors);
    scanPlaces<<<1, 1024, 0, stream>>>(kept, tiles);
    copyPositive<<<tiles, threads, 0, stream>>>(x, y, count, vectors);
    fillRest<<<tiles, threads, 0, stream>>>(y, kept, count);
}
