// SPDX-License-Identifier: Apache-2.0
// Where a program allocates, so that what it never frees is told with its line: forms of the allocating functions that
// take their caller's place. The plain ones stay for pointers to functions and for C linkage; overload resolution
// prefers a function with a condition that holds.
#pragma once

#if defined(__clang__) && !defined(KERNELSKILL_OWN_UNIT)

extern "C" void __kernelskillAllocationPlace(const char *file, int line); // for this thread's calls until the next

#define KS_PREFERRED __attribute__((enable_if(true, "")))
#define KS_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

template <class Function, class... Arguments>
static inline cudaError_t __kernelskillAllocate(const char *file, int line, Function function, Arguments... arguments)
{
    __kernelskillAllocationPlace(file, line);
    const cudaError_t error = function(arguments...);
    __kernelskillAllocationPlace(nullptr, 0);
    return error;
}

KS_PREFERRED static inline cudaError_t cudaMalloc(void **pointer, size_t bytes, KS_PLACE)
{
    cudaError_t (*const plain)(void **, size_t) = cudaMalloc;
    return __kernelskillAllocate(file, line, plain, pointer, bytes);
}
template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes, KS_PLACE)
{
    return cudaMalloc(reinterpret_cast<void **>(pointer), bytes, file, line);
}
KS_PREFERRED static inline cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height,
                                                       KS_PLACE)
{
    cudaError_t (*const plain)(void **, size_t *, size_t, size_t) = cudaMallocPitch;
    return __kernelskillAllocate(file, line, plain, pointer, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height, KS_PLACE)
{
    return cudaMallocPitch(reinterpret_cast<void **>(pointer), pitch, width, height, file, line);
}
KS_PREFERRED static inline cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent, KS_PLACE)
{
    cudaError_t (*const plain)(cudaPitchedPtr *, cudaExtent) = cudaMalloc3D;
    return __kernelskillAllocate(file, line, plain, pointer, extent);
}
KS_PREFERRED static inline cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format,
                                                       size_t width, size_t height = 0, unsigned int flags = 0,
                                                       KS_PLACE)
{
    cudaError_t (*const plain)(cudaArray_t *, const cudaChannelFormatDesc *, size_t, size_t, unsigned int) =
        cudaMallocArray;
    return __kernelskillAllocate(file, line, plain, array, format, width, height, flags);
}
KS_PREFERRED static inline cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format,
                                                         cudaExtent extent, unsigned int flags = 0, KS_PLACE)
{
    cudaError_t (*const plain)(cudaArray_t *, const cudaChannelFormatDesc *, cudaExtent, unsigned int) =
        cudaMalloc3DArray;
    return __kernelskillAllocate(file, line, plain, array, format, extent, flags);
}

#undef KS_PLACE
#undef KS_PREFERRED

#else

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void **>(pointer), bytes);
}
template <class T> static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch(reinterpret_cast<void **>(pointer), pitch, width, height);
}

#endif
