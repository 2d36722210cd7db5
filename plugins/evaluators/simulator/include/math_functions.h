// SPDX-License-Identifier: Apache-2.0
// Everything of this name comes with cuda_runtime.h.
#pragma once
#include "cuda_runtime.h"
