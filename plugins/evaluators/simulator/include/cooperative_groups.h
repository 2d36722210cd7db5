// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: the block, tiles of a warp, the active lanes, the grid.
#pragma once

#include "cuda_runtime.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

class thread_block
{
public:
    __device__ static void sync() { __syncthreads(); }
    __device__ static unsigned int thread_rank()
    {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    __device__ static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ static unsigned int num_threads() { return size(); }
    __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ static dim3 dim_threads() { return group_dim(); }
};
static __device__ __forceinline__ thread_block this_thread_block()
{
    return {};
}

// A part of a warp of a size known to the compiler: 1, 2, 4, 8, 16 or 32 neighbouring lanes.
template <unsigned int Size, class Parent = thread_block> class thread_block_tile
{
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 lanes");
    __device__ static unsigned int lane() { return thread_block::thread_rank() & 31u; }
    __device__ static unsigned int mask()
    {
        return Size == 32 ? 0xffffffffu : ((1u << (Size & 31u)) - 1u) << (lane() & ~(Size - 1u));
    }

public:
    __device__ static void sync() { __syncwarp(mask()); }
    __device__ static unsigned int thread_rank() { return lane() & (Size - 1u); }
    __device__ static constexpr unsigned int size() { return Size; }
    __device__ static constexpr unsigned int num_threads() { return Size; }
    __device__ static unsigned int meta_group_rank() { return thread_block::thread_rank() / Size; }
    __device__ static unsigned int meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
    template <class T> __device__ T shfl(T value, int source) const { return __shfl_sync(mask(), value, source, Size); }
    template <class T> __device__ T shfl_up(T value, unsigned int delta) const
    {
        return __shfl_up_sync(mask(), value, delta, Size);
    }
    template <class T> __device__ T shfl_down(T value, unsigned int delta) const
    {
        return __shfl_down_sync(mask(), value, delta, Size);
    }
    template <class T> __device__ T shfl_xor(T value, unsigned int lanes) const
    {
        return __shfl_xor_sync(mask(), value, static_cast<int>(lanes), Size);
    }
    __device__ int any(int predicate) const { return __any_sync(mask(), predicate); }
    __device__ int all(int predicate) const { return __all_sync(mask(), predicate); }
    __device__ unsigned int ballot(int predicate) const
    {
        return (__ballot_sync(mask(), predicate) & mask()) >> (lane() & ~(Size - 1u));
    }
};
template <unsigned int Size, class Parent>
static __device__ __forceinline__ thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return {};
}

class coalesced_group
{
    unsigned int m_mask;

public:
    __device__ explicit coalesced_group(unsigned int mask) : m_mask(mask) {}
    __device__ void sync() const { __syncwarp(m_mask); }
    __device__ unsigned int size() const { return static_cast<unsigned>(__popc(m_mask)); }
    __device__ unsigned int num_threads() const { return size(); }
    __device__ unsigned int thread_rank() const
    {
        return static_cast<unsigned>(__popc(m_mask & ((1u << (thread_block::thread_rank() & 31u)) - 1u)));
    }
    template <class T> __device__ T shfl(T value, unsigned int source) const
    {
        unsigned int lane = 0;
        for (unsigned int rest = m_mask, n = 0; rest; rest &= rest - 1, ++n) {
            if (n == source) lane = static_cast<unsigned>(__ffs(static_cast<int>(rest))) - 1;
        }
        return __shfl_sync(m_mask, value, static_cast<int>(lane));
    }
    __device__ int any(int predicate) const { return __any_sync(m_mask, predicate); }
    __device__ int all(int predicate) const { return __all_sync(m_mask, predicate); }
};
static __device__ __forceinline__ coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

// All blocks of a cooperative launch. The barrier counts arrivals in device memory: the last block of a phase opens the
// next.
__device__ inline unsigned int __ks_grid_barrier[2];
class grid_group
{
public:
    __device__ static bool is_valid() { return true; }
    __device__ static unsigned long long num_blocks()
    {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    __device__ static unsigned long long block_rank()
    {
        return blockIdx.x + gridDim.x * (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
    }
    __device__ static unsigned long long size() { return num_blocks() * thread_block::size(); }
    __device__ static unsigned long long num_threads() { return size(); }
    __device__ static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __device__ static void sync()
    {
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            volatile unsigned int *phase = &__ks_grid_barrier[1];
            const unsigned int before = *phase;
            __threadfence();
            if (atomicAdd(&__ks_grid_barrier[0], 1u) == static_cast<unsigned>(num_blocks()) - 1u) {
                __ks_grid_barrier[0] = 0;
                __threadfence();
                atomicAdd(&__ks_grid_barrier[1], 1u);
            } else {
                while (*phase == before)
                    __nanosleep(100);
            }
            __threadfence();
        }
        __syncthreads();
    }
};
static __device__ __forceinline__ grid_group this_grid()
{
    return {};
}

template <class Group> static __device__ __forceinline__ void sync(const Group &group)
{
    group.sync();
}

template <class T> struct plus
{
    __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T> struct greater
{
    __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T> struct less
{
    __device__ T operator()(T a, T b) const { return a < b ? a : b; }
};
template <unsigned int Size, class Parent, class T, class Operation>
static __device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent> &tile, T value, Operation operation)
{
#pragma unroll
    for (unsigned int lanes = Size / 2; lanes > 0; lanes /= 2)
        value = operation(value, tile.shfl_xor(value, lanes));
    return value;
}

} // namespace cooperative_groups

#pragma clang attribute pop
