// SPDX-License-Identifier: Apache-2.0
// One pass over x: a tile learns how many elements stand before it from the counts that the tiles before publish.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int quarters = 4;
constexpr int tile = 4 * quarters * threads;
constexpr int mostTiles = 1 << 16; // enough for 2^28 elements

// What a tile has published: the kind in the upper half, the number in the lower.
using State = unsigned long long;
constexpr unsigned total = 1;   // of the tile alone
constexpr unsigned through = 2; // of everything up to its end

__device__ State states[mostTiles];
__device__ int nextTile;

__device__ void publish(int at, unsigned kind, int number)
{
    *static_cast<volatile State *>(&states[at]) = State(kind) << 32 | unsigned(number);
}

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

// How many elements stand before a tile, asked of 32 tiles at a time by one whole warp.
__device__ int foundBefore(int own)
{
    const int lane = threadIdx.x % 32;
    int sum = 0;
    for (int nearest = own - 1;; nearest -= 32) {
        const int at = nearest - lane;
        State state = State(through) << 32; // before the first tile
        do {
            if (at >= 0)
                state = *static_cast<volatile State *>(&states[at]);
        } while (__any_sync(~0u, state >> 32 == 0));
        const unsigned done = __ballot_sync(~0u, state >> 32 == through);
        const int last = done == 0 ? 31 : __ffs(int(done)) - 1;
        int number = lane <= last ? int(unsigned(state)) : 0;
        for (int step = 16; step > 0; step /= 2)
            number += __shfl_xor_sync(~0u, number, step);
        sum += number;
        if (done != 0)
            return sum;
    }
}

__global__ void reset(int tiles)
{
    const int i = blockIdx.x * threads + threadIdx.x;
    if (i < tiles)
        states[i] = 0;
    if (i == 0)
        nextTile = 0;
}

__global__ void __launch_bounds__(threads)
    compact(const int *__restrict__ x, int *__restrict__ y, int *__restrict__ kept, int count, int tiles, bool vectors)
{
    __shared__ int packed[tile];
    __shared__ int ownTile, place;
    if (threadIdx.x == 0)
        ownTile = atomicAdd(&nextTile, 1); // in order, so that the tiles before this one have begun
    __syncthreads();
    const int own = ownTile;
    const int first = own * tile + 4 * threadIdx.x;
    int4 v[quarters];
#pragma unroll
    for (int j = 0; j < quarters; ++j)
        v[j] = fourAt(x, first + 4 * threads * j, count, vectors);
    const int found = pack(packed, v);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            publish(own, own == 0 ? through : total, found);
        __syncwarp();
        const int before = own == 0 ? 0 : foundBefore(own);
        if (threadIdx.x == 0) {
            if (own > 0)
                publish(own, through, before + found);
            if (own == tiles - 1)
                kept[0] = before + found;
            place = before;
        }
    }
    __syncthreads();
    int *to = y + place;
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
    reset<<<(tiles + threads - 1) / threads, threads, 0, stream>>>(tiles);
    compact<<<tiles, threads, 0, stream>>>(x, y, kept, count, tiles, vectors);
    fillRest<<<tiles, threads, 0, stream>>>(y, kept, count);
}
