// SPDX-License-Identifier: Apache-2.0
// The primitives are in cuda_pipeline.h.
#pragma once
#include "cuda_pipeline.h"
