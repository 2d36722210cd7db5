// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory, as the pipeline primitives name them.
#pragma once

#include "cuda_runtime.h"
#include "kernelskill/async_copy.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

static __device__ __forceinline__ void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes,
                                                               size_t zeroFill = 0)
{
    const unsigned source = static_cast<unsigned>(bytes - zeroFill);
    if (bytes == 4)
        kernelskill_copy::one<4>(shared, global, source);
    else if (bytes == 8)
        kernelskill_copy::one<8>(shared, global, source);
    else
        kernelskill_copy::one<16>(shared, global, source);
}
static __device__ __forceinline__ void __pipeline_commit()
{
    kernelskill_copy::commit();
}
// Waits until at most `prior` of the latest groups are still on their way; at most seven.
static __device__ __forceinline__ void __pipeline_wait_prior(size_t prior)
{
    kernelskill_copy::waitPrior(prior);
}

#pragma clang attribute pop
