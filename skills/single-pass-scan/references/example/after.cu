// SPDX-License-Identifier: Apache-2.0
// One kernel: a tile publishes its sum, looks back at its predecessors until one knows its whole prefix, and goes on.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kPerThread = 8;
constexpr int kTile = kThreads * kPerThread;

// A warp owns 256 neighbouring elements, 32 at a time, so that its accesses are contiguous. Absent ones count as 0.
__device__ int place(int tile, int k)
{
    return tile * kTile + (threadIdx.x / 32 * kPerThread + k) * 32 + threadIdx.x % 32;
}

__device__ void load(const int *x, int n, int tile, int (&values)[kPerThread])
{
    for (int k = 0; k < kPerThread; ++k)
        values[k] = place(tile, k) < n ? x[place(tile, k)] : 0;
}

// Makes of a warp's elements their inclusive scan; returns their sum.
__device__ int warpScan(int (&values)[kPerThread])
{
    int before = 0;
    for (int k = 0; k < kPerThread; ++k) {
        for (int offset = 1; offset < 32; offset *= 2) {
            const int below = __shfl_up_sync(0xffffffffu, values[k], offset);
            if (threadIdx.x % 32 >= offset) values[k] += below;
        }
        values[k] += before;
        before = __shfl_sync(0xffffffffu, values[k], 31);
    }
    return before;
}

// The sum of the warps before this one; `total` is that of all.
__device__ int sumBefore(int warpTotal, int &total)
{
    __shared__ int totals[kWarps];
    if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = warpTotal;
    __syncthreads();
    int before = 0;
    total = 0;
    for (int warp = 0; warp < kWarps; ++warp) {
        if (warp == threadIdx.x / 32) before = total;
        total += totals[warp];
    }
    return before;
}

// One 64-bit word holds both, so that nobody sees a state without its value: state in the upper half, value in the
// lower.
enum State : unsigned long long { Empty = 0, HasSum = 1, HasPrefix = 2 };

__device__ void publish(volatile unsigned long long *word, State state, int value)
{
    *word = state << 32 | static_cast<unsigned>(value);
}

// The sum of all tiles before `tile`: a warp looks at 32 predecessors at a time, lane 0 at the nearest.
__device__ int lookBack(const volatile unsigned long long *words, int tile)
{
    const int lane = threadIdx.x;
    int prefix = 0;
    for (int last = tile - 1; last >= 0; last -= 32) {
        unsigned long long word = HasPrefix << 32; // in front of the first tile: prefix 0
        do {
            if (last - lane >= 0) word = words[last - lane];
        } while (__any_sync(0xffffffffu, word >> 32 == Empty));
        // What lies up to the nearest tile that knows its prefix counts; beyond it everything is in that prefix.
        const unsigned known = __ballot_sync(0xffffffffu, word >> 32 == HasPrefix);
        const int nearest = known != 0 ? __ffs(known) - 1 : 31;
        int part = lane <= nearest ? static_cast<int>(word) : 0;
        for (int offset = 16; offset > 0; offset /= 2)
            part += __shfl_xor_sync(0xffffffffu, part, offset);
        prefix += part;
        if (known != 0) break;
    }
    return prefix;
}

// words[0] hands out tiles in the order in which blocks start, so a tile's predecessors are always under way.
__global__ void scan(const int *x, int *y, unsigned long long *words, int n)
{
    __shared__ int sharedTile, sharedPrefix;
    if (threadIdx.x == 0) sharedTile = static_cast<int>(atomicAdd(&words[0], 1ull));
    __syncthreads();
    const int tile = sharedTile;
    unsigned long long *states = words + 1;

    int values[kPerThread], total;
    load(x, n, tile, values);
    const int before = sumBefore(warpScan(values), total);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) publish(&states[tile], tile == 0 ? HasPrefix : HasSum, total);
        const int prefix = lookBack(states, tile);
        if (threadIdx.x == 0) {
            publish(&states[tile], HasPrefix, prefix + total);
            sharedPrefix = prefix;
        }
    }
    __syncthreads();
    for (int k = 0; k < kPerThread; ++k) {
        if (place(tile, k) < n) y[place(tile, k)] = sharedPrefix + before + values[k];
    }
}

extern "C" void solve(const int *x, int *y, int n, cudaStream_t stream)
{
    const int tiles = (n + kTile - 1) / kTile;
    static unsigned long long *words = nullptr;
    static int capacity = 0;
    if (capacity < tiles) {
        cudaFree(words);
        cudaMalloc(&words, (tiles + 1) * sizeof(unsigned long long));
        capacity = tiles;
    }
    cudaMemsetAsync(words, 0, (tiles + 1) * sizeof(unsigned long long), stream);
    scan<<<tiles, kThreads, 0, stream>>>(x, y, words, n);
}
