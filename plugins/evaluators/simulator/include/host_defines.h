// SPDX-License-Identifier: Apache-2.0
// The keywords of CUDA C++.
#pragma once
#include "kernelskill/attributes.h"
