// SPDX-License-Identifier: Apache-2.0
// One pass: a tile learns what stands before it from the tiles before, which publish their totals and then their sums.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int quarters = 4;
constexpr int tile = 4 * quarters * threads;
constexpr int mostTiles = 1 << 19; // enough for any count

// What a tile has published: the kind in the upper half, the number in the lower.
using State = unsigned long long;
constexpr unsigned total = 1;  // of the tile alone
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

// What stands before a tile, asked of 32 tiles at a time by one whole warp.
__device__ int sumBefore(int own)
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
    scan(const int *__restrict__ x, int *__restrict__ y, int count, bool vectors)
{
    __shared__ int shared;
    if (threadIdx.x == 0)
        shared = atomicAdd(&nextTile, 1); // in order, so that the tiles before this one have begun
    __syncthreads();
    const int own = shared;
    __syncthreads(); // before its next use
    const int first = own * tile + 4 * threadIdx.x;
    int4 v[quarters];
#pragma unroll
    for (int j = 0; j < quarters; ++j)
        v[j] = fourAt(x, first + 4 * threads * j, count, vectors);
    const int sum = scanTile(v);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            publish(own, own == 0 ? through : total, sum);
        __syncwarp();
        const int found = own == 0 ? 0 : sumBefore(own);
        if (threadIdx.x == 0) {
            if (own > 0)
                publish(own, through, found + sum);
            shared = found;
        }
    }
    __syncthreads();
    const int before = shared;
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
    const int tiles = (count - 1) / tile + 1;
    reset<<<(tiles + threads - 1) / threads, threads, 0, stream>>>(tiles);
    scan<<<tiles, threads, 0, stream>>>(x, y, count, aligned(x) && aligned(y));
}
