// SPDX-License-Identifier: Apache-2.0
// Addresses of a cluster's shared memory, memory on a thread's stack, and what else makes a number out of an address.
#pragma once

#include "engine/execution/micro_op.h"

namespace kernelskill::simulator {

void mapToRankLanes(WarpContext &, const MicroOp &);     // mapa: a address, b rank; immediate bits 0-2 as in lane_operation.h
void rankOfAddressLanes(WarpContext &, const MicroOp &); // getctarank
void isConstantAddress(WarpContext &, const MicroOp &);  // isspacep.const: a address, d predicate
void allocateOnStack(WarpContext &, const MicroOp &);    // alloca: a bytes, b alignment
void saveStack(WarpContext &, const MicroOp &);
void restoreStack(WarpContext &, const MicroOp &);
void specialPredicate(WarpContext &, const MicroOp &);   // mov.pred of a special register

} // namespace kernelskill::simulator
