// SPDX-License-Identifier: Apache-2.0
// Tiles of 4096: a warp takes 512 elements and finds the places by ballots, so a tile needs a barrier or two only.
#include <cuda_runtime.h>

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int rounds = 16;
constexpr int tile = rounds * threads;
constexpr int mostTiles = 1 << 16; // enough for 2^28 elements

__device__ int places[mostTiles];

__global__ void __launch_bounds__(threads) countPositive(const int *__restrict__ x, int count)
{
    __shared__ int found[warps];
    const int first = blockIdx.x * tile + threadIdx.x;
    int own = 0;
#pragma unroll
    for (int j = 0; j < rounds; ++j)
        if (first + j * threads < count && x[first + j * threads] > 0)
            ++own;
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
    __shared__ int sums[1024];
    const int t = threadIdx.x;
    int before = 0;
    for (int first = 0; first < tiles; first += 1024) {
        const int own = first + t < tiles ? places[first + t] : 0;
        sums[t] = own;
        __syncthreads();
        for (int distance = 1; distance < 1024; distance *= 2) {
            const int other = t >= distance ? sums[t - distance] : 0;
            __syncthreads();
            sums[t] += other;
            __syncthreads();
        }
        if (first + t < tiles)
            places[first + t] = before + sums[t] - own;
        before += sums[1023];
        __syncthreads();
    }
    if (t == 0)
        kept[0] = before;
}

__global__ void __launch_bounds__(threads) copyPositive(const int *__restrict__ x, int *__restrict__ y, int count)
{
    __shared__ int found[warps];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int first = blockIdx.x * tile + warp * 32 * rounds + lane;
    int v[rounds];
    int sum = 0;
#pragma unroll
    for (int j = 0; j < rounds; ++j) {
        v[j] = first + 32 * j < count ? x[first + 32 * j] : 0;
        sum += __popc(__ballot_sync(~0u, v[j] > 0));
    }
    if (lane == 0)
        found[warp] = sum;
    __syncthreads();
    int to = places[blockIdx.x];
    for (int w = 0; w < warp; ++w)
        to += found[w];
#pragma unroll
    for (int j = 0; j < rounds; ++j) {
        const unsigned mask = __ballot_sync(~0u, v[j] > 0);
        if (v[j] > 0)
            y[to + __popc(mask & ((1u << lane) - 1))] = v[j];
        to += __popc(mask);
    }
}

__global__ void fillRest(int *y, const int *kept, int count)
{
    for (int i = kept[0] + blockIdx.x * threads + threadIdx.x; i < count; i += gridDim.x * threads)
        y[i] = 0;
}

extern "C" void solve(const int *x, int *y, int *kept, int count, cudaStream_t stream)
{
    const int tiles = (count + tile - 1) / tile;
    countPositive<<<tiles, threads, 0, stream>>>(x, count);
    scanPlaces<<<1, 1024, 0, stream>>>(kept, tiles);
    copyPositive<<<tiles, threads, 0, stream>>>(x, y, count);
    fillRest<<<tiles, threads, 0, stream>>>(y, kept, count);
}
