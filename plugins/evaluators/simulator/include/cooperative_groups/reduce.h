// SPDX-License-Identifier: Apache-2.0
// reduce() comes with cooperative_groups.h.
#pragma once
#include "../cooperative_groups.h"
