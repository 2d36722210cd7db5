// SPDX-License-Identifier: Apache-2.0
// What nvcc's headers have on the host's side beside the C++ library.
#pragma once

// clang has its own for the device.
#define KS_HOST_MIN_MAX(type)                                                                                          \
    static inline __host__ type max(type a, type b)                                                                    \
    {                                                                                                                  \
        return a > b ? a : b;                                                                                          \
    }                                                                                                                  \
    static inline __host__ type min(type a, type b)                                                                    \
    {                                                                                                                  \
        return a < b ? a : b;                                                                                          \
    }
KS_HOST_MIN_MAX(int)
KS_HOST_MIN_MAX(float)
KS_HOST_MIN_MAX(double)
#undef KS_HOST_MIN_MAX
