// SPDX-License-Identifier: Apache-2.0
// Integer instructions on parts of registers and other rare ones. Each function's mode is described at its definition.
#pragma once

#include "engine/execution/micro_op.h"

namespace kernelskill::simulator {

enum class VideoOperation : std::uint8_t { Add, Subtract, Difference, Average, Minimum, Maximum, ShiftLeft, ShiftRight, Compare, MultiplyAdd };

// The bits of a video instruction's mode, from laneModeShift on.
struct VideoMode {
    VideoOperation operation = VideoOperation::Add;
    int parts = 1;                    // 1, 2 or 4 results in a register
    bool signedResult = false, signedA = false, signedB = false;
    bool saturate = false, wrap = false; // wrap: the shift's distance is taken modulo 32
    int comparison = 0;               // eq ne lt le gt ge
    int second = 0;                   // 0 none (c is merged), 1 add, 2 min, 3 max
    int destination = 0;              // scalar: 0 whole, 1-4 byte, 5-6 half; of vectors: mask of the parts that are written
    int shift = 0;                    // vmad: right shift of the sum
    bool plusOne = false, negateProduct = false, negateC = false;
    int selectA = 0, selectB = 0;     // scalar: 0 whole, 1-4 byte, 5-6 half
    [[nodiscard]] std::uint64_t bits() const;
    [[nodiscard]] static VideoMode from(std::uint64_t bits);
};

void videoLanes(WarpContext &, const MicroOp &);       // vadd, vsub, …, vmad
void videoVectorLanes(WarpContext &, const MicroOp &); // vadd2, vadd4, …
void permuteSelectorLanes(WarpContext &, const MicroOp &); // bytes of a and b in the order of the mode: one selector a byte
void addHalvesLanes(WarpContext &, const MicroOp &);   // add.u16x2, add.s16x2
void leastOfHalvesLanes(WarpContext &, const MicroOp &); // min and max; mode: 1 signed, 2 max, 4 relu
void leastReluLanes(WarpContext &, const MicroOp &);   // min.relu.s32, max.relu.s32; mode 2 max
void findNthSetLanes(WarpContext &, const MicroOp &);  // fns
void multiply24HighLanes(WarpContext &, const MicroOp &); // mul24.hi, mad24.hi; mode: 1 signed, 2 add c, 4 saturate
void multiplyAddHighSaturatedLanes(WarpContext &, const MicroOp &); // mad.hi.sat.s32
void extendWrappedLanes(WarpContext &, const MicroOp &); // szext.wrap; mode 1 signed
void maskWrappedLanes(WarpContext &, const MicroOp &); // bmsk.wrap
void packSaturatedLanes(WarpContext &, const MicroOp &); // cvt.pack.sat; mode: bits of an element, 32 unsigned
void combinePredicate(WarpContext &, const MicroOp &); // lop3 with a predicate: a ≠ 0 combined with predicate c into d; immediate 1 and, 0 or; 2 negated c

} // namespace kernelskill::simulator
