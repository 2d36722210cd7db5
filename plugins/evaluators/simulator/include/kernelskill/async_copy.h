// SPDX-License-Identifier: Apache-2.0
// cp.async for whoever names it differently: the pipeline primitives, cooperative groups, cuda::memcpy_async.
#pragma once

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace kernelskill_copy {

static __device__ __forceinline__ void commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
static __device__ __forceinline__ void waitForAll()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}
// Waits until at most `prior` of the latest groups are still on their way; at most seven.
static __device__ __forceinline__ void waitPrior(size_t prior)
{
    switch (prior) {
    case 0:
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        break;
    case 1:
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        break;
    case 2:
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        break;
    case 3:
        asm volatile("cp.async.wait_group 3;" ::: "memory");
        break;
    case 4:
        asm volatile("cp.async.wait_group 4;" ::: "memory");
        break;
    case 5:
        asm volatile("cp.async.wait_group 5;" ::: "memory");
        break;
    case 6:
        asm volatile("cp.async.wait_group 6;" ::: "memory");
        break;
    default:
        asm volatile("cp.async.wait_group 7;" ::: "memory");
        break;
    }
}
template <int Bytes>
static __device__ __forceinline__ void one(void *shared, const void *global, unsigned source = Bytes)
{
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if constexpr (Bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(source) : "memory");
    else if constexpr (Bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(global), "r"(source) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global), "r"(source) : "memory");
}
template <int Bytes>
static __device__ __forceinline__ void strided(unsigned rank, unsigned size, char *to, const char *from, size_t bytes)
{
    for (size_t at = size_t(rank) * Bytes; at + Bytes <= bytes; at += size_t(size) * Bytes)
        one<Bytes>(to + at, from + at);
    for (size_t at = bytes / Bytes * Bytes + rank; at < bytes; at += size)
        to[at] = from[at];
}
// A copy that `size` threads share, in the widest pieces the addresses allow. Between other spaces it is a plain copy.
static __device__ __forceinline__ void together(unsigned rank, unsigned size, void *to, const void *from, size_t bytes)
{
    auto *const target = static_cast<char *>(to);
    const auto *const source = static_cast<const char *>(from);
    const size_t both = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from);
    if (!__isShared(to) || !__isGlobal(from) || both % 4 != 0) {
        for (size_t at = rank; at < bytes; at += size)
            target[at] = source[at];
    } else if (both % 16 == 0) {
        strided<16>(rank, size, target, source, bytes);
    } else if (both % 8 == 0) {
        strided<8>(rank, size, target, source, bytes);
    } else {
        strided<4>(rank, size, target, source, bytes);
    }
}

} // namespace kernelskill_copy

#pragma clang attribute pop
