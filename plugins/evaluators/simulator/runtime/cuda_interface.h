// SPDX-License-Identifier: Apache-2.0
// The host interface's types for our own, plain C++ translation units: the same header that candidates see.
#pragma once

#define KERNELSKILL_OWN_UNIT // no places of allocations
#include "../include/cuda_runtime_api.h"
