// SPDX-License-Identifier: Apache-2.0
// The part of cuda_runtime.h that is not precompiled: functions that host and device have under one name. Read back
// from a precompiled header the compiler takes the two for one and loses the former.
#pragma once

#include "kernelskill/device_calls.h"
#include "kernelskill/host_extras.h"
#include "kernelskill/managed_variables.h"
