// SPDX-License-Identifier: Apache-2.0
// Shapes of copies, made from their numbers.
#pragma once

#include "driver_types.h"

static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return {width, height, depth};
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return {x, y, z};
}
static inline cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width, size_t height)
{
    return {pointer, pitch, width, height};
}
