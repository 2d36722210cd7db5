// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory, as the pipeline primitives name them.
#pragma once

#include "cuda_runtime.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

static __device__ __forceinline__ void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes,
                                                               size_t zeroFill = 0)
{
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const unsigned source = static_cast<unsigned>(bytes - zeroFill);
    if (bytes == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global), "r"(source) : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(global), "r"(source) : "memory");
    else
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(source) : "memory");
}
static __device__ __forceinline__ void __pipeline_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits until at most `prior` of the latest groups are still on their way; a constant below eight.
static __device__ __forceinline__ void __pipeline_wait_prior(size_t prior)
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

#pragma clang attribute pop
