// SPDX-License-Identifier: Apache-2.0
// The host interface's types for our own, plain C++ translation units: the same header that candidates see.
#pragma once

#include "../include/cuda_runtime_api.h"
