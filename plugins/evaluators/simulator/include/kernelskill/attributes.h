// SPDX-License-Identifier: Apache-2.0
// The keywords of CUDA C++ as attributes of the compiler; nothing for plain C++, which shares some of these headers.
#pragma once

#define __HOST_DEFINES_H__ // what public code asks for before it defines these itself

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// On the host's side the variable itself is what the host works with: the run time knows it by its section, and carries
// its value to the device before each launch and back afterwards.
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device)) __attribute__((section("kernelskill_managed")))
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __builtin_align__(n) __attribute__((aligned(n)))
// The compiler has no such attribute.
#define __cluster_dims__(...)                                                                                          \
    _Pragma("GCC error \"__cluster_dims__ needs nvcc here; give the size of clusters at the launch instead (cudaLaunchKernelEx, cudaLaunchAttributeClusterDimension)\"")
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#endif
#define __device_builtin__

// The compiler wants alignas before everything else of a declaration, people write `__shared__ alignas(16) float tile[64];`.
// As an attribute of the other kind it may stand anywhere; what it is of may be a type or a number.
#if defined(__cplusplus) && defined(__clang__)
namespace kernelskill_alignment {
template <class T> constexpr unsigned long of()
{
    return alignof(T);
}
template <unsigned long bytes> constexpr unsigned long of()
{
    return bytes;
}
} // namespace kernelskill_alignment
#define alignas(...) __attribute__((aligned(::kernelskill_alignment::of<__VA_ARGS__>())))
#endif
