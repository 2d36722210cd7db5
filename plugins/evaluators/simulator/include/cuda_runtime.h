// SPDX-License-Identifier: Apache-2.0
// CUDA C++ for the simulator: a clean-room header that the front end forces into every candidate, as nvcc does with its
// own.
//
// The compiler brings most of the language (launches, built-in variables, intrinsics) in headers of its own; they call
// device library functions named __nv_*, which we define. Everything here carries no debug information on purpose: an
// instruction inlined from these headers then belongs to the line of the candidate that asked for it.
#pragma once
#ifndef KERNELSKILL_CUDA_RUNTIME_H
#define KERNELSKILL_CUDA_RUNTIME_H

// Plain C++ gets the host interface alone. Guards of the names that public code asks for.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__

#if !defined(__CUDA__)
#include "kernelskill/attributes.h"
#include "vector_types.h"

#include "cuda_runtime_api.h"
#include "vector_functions.h"
#elif !defined(__clang__)
#error "Device code for the simulator is compiled by clang, or by nvcc with its own headers."
#else

#define CUDA_VERSION 12030
#define CUDART_VERSION_MAJOR 12
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 3
#define __NVCC_COMPATIBLE__ 1

// Must precede <cmath>, so that std::exp and its kin resolve to device code on the device.
#include <__clang_cuda_math_forward_declares.h>

#define __CUDACC__
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <utility>
#endif

#include "kernelskill/attributes.h"

#include "vector_types.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#include "vector_functions.h"

#include "cuda_runtime_api.h"

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>

#include "kernelskill/libdevice_bits.h"

#include "kernelskill/libdevice_float.h"

#include "kernelskill/libdevice_double.h"
#include "kernelskill/libdevice_special.h"

// The compiler's wrappers below write __forceinline__ for device functions.
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

#include "kernelskill/atomics.h"
#include "kernelskill/device_extras.h"
#include "kernelskill/integer_extremes.h"
#include "kernelskill/texture_fetch.h"

#ifndef KERNELSKILL_PRECOMPILING
#include "kernelskill/not_precompiled.h"
#endif

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const
{
    return {x, y, z};
}
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const
{
    return {x, y, z};
}
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const
{
    return {x, y, z};
}
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const
{
    return dim3(x, y, z);
}
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const
{
    return {x, y, z};
}

#include <__clang_cuda_cmath.h>
#include "kernelskill/reduce_sync.h"

#include "kernelskill/float_overloads.h"

// Kernels may use new and delete without asking for them: the compiler's wrapper of this header brings them.
#include <new>
#pragma clang attribute pop

#undef KS_FUNCTION

#endif
#endif
