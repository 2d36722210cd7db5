// SPDX-License-Identifier: Apache-2.0
// An array as textures read it: rows in device memory, one after the other.
#pragma once

#include "cuda_interface.h"

#include <cstddef>

struct cudaArray
{
    void *data = nullptr;
    std::size_t pitch = 0, elementBytes = 0;
    cudaExtent extent{};
    cudaChannelFormatDesc format{};
    unsigned flags = 0;
};
