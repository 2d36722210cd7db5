// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: the block, parts of a warp, the active lanes, the grid.
#pragma once

#include "cuda_runtime.h"
#include "kernelskill/shuffle_words.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

namespace details {

enum class Kind : unsigned int { Lanes, Block, Grid };
static __device__ __forceinline__ unsigned int rankInBlock()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
static __device__ __forceinline__ unsigned int threadsOfBlock()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
static __device__ __forceinline__ unsigned int lane()
{
    unsigned int value;
    asm("mov.u32 %0, %%laneid;" : "=r"(value));
    return value;
}
static __device__ __forceinline__ unsigned int lanesBelow()
{
    return (1u << lane()) - 1u;
}
// The lane of a mask that has so many of its lanes below it.
static __device__ __forceinline__ int laneOfRank(unsigned int mask, unsigned int rank)
{
    for (; rank > 0; --rank)
        mask &= mask - 1;
    return __ffs(static_cast<int>(mask)) - 1;
}

} // namespace details

class thread_block;
class coalesced_group;
class grid_group;

// Any of them. What a group is made of is the same for all, so that they convert by slicing.
class thread_group
{
protected:
    details::Kind m_kind;
    unsigned int m_mask;                  // of Lanes
    unsigned int m_rank = 0, m_count = 1; // among its siblings, of Lanes
    __device__ thread_group(details::Kind kind, unsigned int mask, unsigned int rank = 0, unsigned int count = 1)
        : m_kind(kind), m_mask(mask), m_rank(rank), m_count(count)
    {
    }
    friend __device__ thread_group tiled_partition(const thread_group &parent, unsigned int size);

public:
    __device__ void sync() const;
    __device__ unsigned long long size() const;
    __device__ unsigned long long num_threads() const { return size(); }
    __device__ unsigned long long thread_rank() const;
    __device__ bool is_valid() const { return true; }
};

class thread_block : public thread_group
{
public:
    __device__ thread_block() : thread_group(details::Kind::Block, 0) {}
    __device__ static void sync() { __syncthreads(); }
    struct arrival_token
    {
    };
    __device__ static arrival_token barrier_arrive() { return {}; }
    __device__ static void barrier_wait(arrival_token &&) { __syncthreads(); }
    __device__ static unsigned int thread_rank() { return details::rankInBlock(); }
    __device__ static unsigned int size() { return details::threadsOfBlock(); }
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

// Lanes of one warp by their mask: what tiles and coalesced groups have in common.
class lanes_group : public thread_group
{
protected:
    using thread_group::thread_group;
    // The lane `distance` ranks away; the calling lane's own where there is none.
    __device__ int laneAt(int rank) const
    {
        return rank >= 0 && rank < static_cast<int>(num_threads())
                   ? details::laneOfRank(m_mask, static_cast<unsigned>(rank))
                   : static_cast<int>(details::lane());
    }

public:
    __device__ void sync() const { __syncwarp(m_mask); }
    __device__ unsigned int size() const { return static_cast<unsigned>(__popc(static_cast<int>(m_mask))); }
    __device__ unsigned int num_threads() const { return size(); }
    __device__ unsigned int thread_rank() const
    {
        return static_cast<unsigned>(__popc(static_cast<int>(m_mask & details::lanesBelow())));
    }
    __device__ unsigned int meta_group_rank() const { return m_rank; }
    __device__ unsigned int meta_group_size() const { return m_count; }
    __device__ int any(int predicate) const { return __any_sync(m_mask, predicate); }
    __device__ int all(int predicate) const { return __all_sync(m_mask, predicate); }
    __device__ unsigned int ballot(int predicate) const { return packed(__ballot_sync(m_mask, predicate)); }
    template <class T> __device__ T shfl(T value, unsigned int source) const
    {
        return fromLane(value, laneAt(static_cast<int>(source % num_threads())));
    }
    template <class T> __device__ T shfl_up(T value, unsigned int delta) const
    {
        return fromLane(value, laneAt(static_cast<int>(thread_rank()) - static_cast<int>(delta)));
    }
    template <class T> __device__ T shfl_down(T value, unsigned int delta) const
    {
        return fromLane(value, laneAt(static_cast<int>(thread_rank() + delta)));
    }
    template <class T> __device__ unsigned int match_any(T value) const
    {
        return packed(__match_any_sync(m_mask, value));
    }
    template <class T> __device__ unsigned int match_all(T value, int &predicate) const
    {
        return packed(__match_all_sync(m_mask, value, &predicate));
    }

private:
    template <class T> __device__ T fromLane(T value, int source) const
    {
        return kernelskill_shuffle::words(value, [&](int word) { return __shfl_sync(m_mask, word, source); });
    }
    // A mask of lanes as a mask of ranks.
    __device__ unsigned int packed(unsigned int lanes) const
    {
        unsigned int ranks = 0;
        for (unsigned int rest = m_mask, rank = 0; rest; rest &= rest - 1, ++rank)
            ranks |= (lanes & rest & (0u - rest)) ? 1u << rank : 0u;
        return ranks;
    }
};

class coalesced_group : public lanes_group
{
public:
    __device__ explicit coalesced_group(unsigned int mask, unsigned int rank = 0, unsigned int count = 1)
        : lanes_group(details::Kind::Lanes, mask, rank, count)
    {
    }
    // Divides the group by ranks, or by what its threads say.
    __device__ coalesced_group part(unsigned int lanes, unsigned int rank, unsigned int count) const
    {
        return coalesced_group(m_mask & lanes, rank, count);
    }
    __device__ unsigned int lanes() const { return m_mask; }
};
static __device__ __forceinline__ coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

// Room for tiles of several warps; here they need none of the caller's.
template <unsigned int MaximumBlockSize = 1024u> struct block_tile_memory
{
    char room[1];
};
template <unsigned int MaximumBlockSize>
static __device__ __forceinline__ thread_block this_thread_block(block_tile_memory<MaximumBlockSize> &)
{
    return {};
}

template <unsigned int Size, class Parent = void> class thread_block_tile;
namespace details {
// Where a thread is in what a tile is a part of, and of how many.
template <class Parent> struct PartOf
{
    __device__ static unsigned int rank() { return rankInBlock(); }
    __device__ static unsigned int threads() { return threadsOfBlock(); }
};
template <unsigned int Size, class Parent> struct PartOf<thread_block_tile<Size, Parent>>
{
    __device__ static unsigned int rank() { return rankInBlock() & (Size - 1u); }
    __device__ static unsigned int threads() { return Size; }
};
} // namespace details

// Neighbouring threads in a number known to the compiler: 1, 2, 4, 8, 16 or 32 lanes of a warp, or whole warps, which
// have a barrier of their own but exchange no registers.
template <unsigned int Size, class Parent> class thread_block_tile : public thread_group
{
    static_assert(Size >= 1 && Size <= 1024 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, … 1024 threads");
    __device__ static unsigned int lane() { return details::rankInBlock() & 31u; }
    __device__ static unsigned int mask()
    {
        static_assert(Size <= 32, "a tile of several warps exchanges no registers");
        return Size == 32 ? 0xffffffffu : ((1u << (Size & 31u)) - 1u) << (lane() & ~(Size - 1u));
    }
    __device__ static unsigned int lanesOrAll()
    {
        if constexpr (Size <= 32) return mask();
        return 0xffffffffu;
    }

public:
    __device__ thread_block_tile()
        : thread_group(details::Kind::Lanes, lanesOrAll(), meta_group_rank(), meta_group_size())
    {
    }
    template <class Other> __device__ thread_block_tile(const thread_block_tile<Size, Other> &) : thread_block_tile() {}
    __device__ static void sync()
    {
        // A barrier has a number from 0 to 15; __syncthreads has the first.
        if constexpr (Size <= 32)
            __syncwarp(mask());
        else
            asm volatile("barrier.sync %0, %1;" ::"r"((meta_group_rank() + 1u) & 15u), "r"(Size) : "memory");
    }
    __device__ static unsigned int thread_rank() { return details::rankInBlock() & (Size - 1u); }
    __device__ static constexpr unsigned int size() { return Size; }
    __device__ static constexpr unsigned int num_threads() { return Size; }
    // Among the tiles of what it is a part of.
    __device__ static unsigned int meta_group_rank() { return details::PartOf<Parent>::rank() / Size; }
    __device__ static unsigned int meta_group_size() { return (details::PartOf<Parent>::threads() + Size - 1) / Size; }
    template <class T> __device__ T shfl(T value, int source) const
    {
        return kernelskill_shuffle::words(value, [&](int word) { return __shfl_sync(mask(), word, source, Size); });
    }
    template <class T> __device__ T shfl_up(T value, unsigned int delta) const
    {
        return kernelskill_shuffle::words(value, [&](int word) { return __shfl_up_sync(mask(), word, delta, Size); });
    }
    template <class T> __device__ T shfl_down(T value, unsigned int delta) const
    {
        return kernelskill_shuffle::words(value, [&](int word) { return __shfl_down_sync(mask(), word, delta, Size); });
    }
    template <class T> __device__ T shfl_xor(T value, unsigned int lanes) const
    {
        return kernelskill_shuffle::words(
            value, [&](int word) { return __shfl_xor_sync(mask(), word, static_cast<int>(lanes), Size); });
    }
    __device__ int any(int predicate) const { return __any_sync(mask(), predicate); }
    __device__ int all(int predicate) const { return __all_sync(mask(), predicate); }
    __device__ unsigned int ballot(int predicate) const { return here(__ballot_sync(mask(), predicate)); }
    template <class T> __device__ unsigned int match_any(T value) const
    {
        return here(__match_any_sync(mask(), value));
    }
    template <class T> __device__ unsigned int match_all(T value, int &predicate) const
    {
        return here(__match_all_sync(mask(), value, &predicate));
    }

private:
    __device__ static unsigned int here(unsigned int lanes) { return (lanes & mask()) >> (lane() & ~(Size - 1u)); }
};
template <unsigned int Size, class Parent>
static __device__ __forceinline__ thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return {};
}
// The same with a size known only when it runs, of a block or of a part of a warp.
__device__ inline thread_group tiled_partition(const thread_group &parent, unsigned int size)
{
    const unsigned int first = parent.m_kind == details::Kind::Block ? details::rankInBlock() & 31u & ~(size - 1u) : 0;
    if (parent.m_kind == details::Kind::Block) {
        const unsigned int mask = size >= 32 ? 0xffffffffu : ((1u << size) - 1u) << first;
        return thread_group(details::Kind::Lanes, mask, details::rankInBlock() / size,
                            (details::threadsOfBlock() + size - 1) / size);
    }
    unsigned int mask = 0, rank = 0;
    const unsigned int own = static_cast<unsigned>(parent.thread_rank()) / size;
    for (unsigned int rest = parent.m_mask; rest; rest &= rest - 1, ++rank)
        mask |= rank / size == own ? rest & (0u - rest) : 0u;
    return thread_group(details::Kind::Lanes, mask, own, (static_cast<unsigned>(parent.size()) + size - 1) / size);
}
static __device__ __forceinline__ coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size)
{
    unsigned int mask = 0, rank = 0;
    const unsigned int own = parent.thread_rank() / size;
    for (unsigned int rest = parent.lanes(); rest; rest &= rest - 1, ++rank)
        mask |= rank / size == own ? rest & (0u - rest) : 0u;
    return parent.part(mask, own, (parent.size() + size - 1) / size);
}
namespace details {
template <class Group> static __device__ __forceinline__ unsigned int lanesOf(const Group &group)
{
    return group.ballot(1) << (lane() - group.thread_rank());
}
static __device__ __forceinline__ unsigned int lanesOf(const coalesced_group &group)
{
    return group.lanes();
}
} // namespace details
// Threads of a part of a warp that say the same; ranks of the parts follow their first lanes.
template <class Group, class Label>
static __device__ __forceinline__ coalesced_group labeled_partition(const Group &group, Label label)
{
    const unsigned int lanes = details::lanesOf(group);
    const unsigned int mine = __match_any_sync(lanes, label) & lanes;
    const unsigned int leaders = __ballot_sync(lanes, (mine & details::lanesBelow()) == 0) & lanes;
    const unsigned int below = leaders & ((mine & (0u - mine)) - 1u);
    return coalesced_group(mine, static_cast<unsigned>(__popc(static_cast<int>(below))),
                           static_cast<unsigned>(__popc(static_cast<int>(leaders))));
}
template <class Group>
static __device__ __forceinline__ coalesced_group binary_partition(const Group &group, bool predicate)
{
    const unsigned int lanes = details::lanesOf(group);
    const unsigned int yes = __ballot_sync(lanes, predicate) & lanes;
    return coalesced_group(predicate ? yes : lanes & ~yes, predicate ? 1 : 0, 2);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// The blocks of a cluster, which run side by side and reach each other's shared memory.
class cluster_group
{
public:
    struct arrival_token
    {
    };
    __device__ static void sync()
    {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    __device__ static arrival_token barrier_arrive()
    {
        __cluster_barrier_arrive();
        return {};
    }
    __device__ static void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
    __device__ static void barrier_wait() { __cluster_barrier_wait(); }
    __device__ static dim3 block_index() { return __clusterRelativeBlockIdx(); }
    __device__ static unsigned int block_rank() { return __clusterRelativeBlockRank(); }
    __device__ static dim3 thread_index()
    {
        const dim3 block = block_index();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                    block.z * blockDim.z + threadIdx.z);
    }
    __device__ static unsigned int thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    __device__ static dim3 dim_blocks() { return __clusterDim(); }
    __device__ static unsigned int num_blocks() { return __clusterSizeInBlocks(); }
    __device__ static dim3 dim_threads()
    {
        const dim3 blocks = dim_blocks();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    __device__ static unsigned int num_threads() { return num_blocks() * thread_block::size(); }
    __device__ static unsigned int size() { return num_threads(); }
    // The same variable in the shared memory of another block of the cluster.
    template <class T> __device__ static T *map_shared_rank(T *address, int rank)
    {
        return static_cast<T *>(__cluster_map_shared_rank(address, rank));
    }
    __device__ static unsigned int query_shared_rank(const void *address)
    {
        return __cluster_query_shared_rank(address);
    }
};
static __device__ __forceinline__ cluster_group this_cluster()
{
    return {};
}
#endif

// All blocks of a cooperative launch. The barrier counts arrivals in device memory: the last block of a phase opens the
// next.
__device__ inline unsigned int __ks_grid_barrier[2];
class grid_group : public thread_group
{
public:
    __device__ grid_group() : thread_group(details::Kind::Grid, 0) {}
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
    __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
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

__device__ inline void thread_group::sync() const
{
    if (m_kind == details::Kind::Block)
        thread_block::sync();
    else if (m_kind == details::Kind::Grid)
        grid_group::sync();
    else
        __syncwarp(m_mask);
}
__device__ inline unsigned long long thread_group::size() const
{
    if (m_kind == details::Kind::Block) return thread_block::size();
    if (m_kind == details::Kind::Grid) return grid_group::size();
    return static_cast<unsigned>(__popc(static_cast<int>(m_mask)));
}
__device__ inline unsigned long long thread_group::thread_rank() const
{
    if (m_kind == details::Kind::Block) return thread_block::thread_rank();
    if (m_kind == details::Kind::Grid) return grid_group::thread_rank();
    return static_cast<unsigned>(__popc(static_cast<int>(m_mask & details::lanesBelow())));
}

template <class Group> static __device__ __forceinline__ void sync(const Group &group)
{
    group.sync();
}
template <class Group> static __device__ __forceinline__ unsigned long long thread_rank(const Group &group)
{
    return group.thread_rank();
}
template <class Group> static __device__ __forceinline__ unsigned long long group_size(const Group &group)
{
    return group.size();
}
// One thread of the group, the same for all of them.
template <class Group, class Function, class... Arguments>
static __device__ __forceinline__ void invoke_one(const Group &group, Function &&function, Arguments &&...arguments)
{
    if (group.thread_rank() == 0) function(static_cast<Arguments &&>(arguments)...);
}

} // namespace cooperative_groups

#pragma clang attribute pop

#include "cooperative_groups/reduce.h"
