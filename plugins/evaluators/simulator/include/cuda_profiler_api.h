// SPDX-License-Identifier: Apache-2.0
// The profiler interface comes with cuda_runtime.h.
#pragma once
#include "cuda_runtime_api.h"
