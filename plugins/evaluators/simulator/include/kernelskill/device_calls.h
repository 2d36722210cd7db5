// SPDX-License-Identifier: Apache-2.0
// printf, malloc, free and assert on the device: calls that the simulator serves itself.
#pragma once

extern "C" {
// Calls of the device run time that the simulator serves itself.
__device__ int vprintf(const char *format, const char *arguments);
__device__ void free(void *pointer) __attribute__((nothrow));
__device__ void *malloc(size_t bytes) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t charSize);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line, const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
__device__ int printf(const char *format, ...);
} // extern "C"
namespace std {
__device__ static inline void free(void *pointer)
{
    ::free(pointer);
}
__device__ static inline void *malloc(size_t bytes)
{
    return ::malloc(bytes);
}
} // namespace std
