// SPDX-License-Identifier: Apache-2.0
// Products of matrices in every shape and type mma.sync and wmma have; the usual ones are done by isa/tensor.cpp.
#pragma once

#include "engine/execution/micro_op.h"
#include "engine/ptx/type.h"

#include <cstdint>
#include <vector>

namespace kernelskill::simulator {

struct MatrixShape {
    int m = 16, n = 8, k = 16;
    ptx::Type a = ptx::Type::F16, b = ptx::Type::F16, c = ptx::Type::F32, d = ptx::Type::F32;
    bool saturate = false;        // .satfinite of integers
    bool conjunction = false;     // b1: and.popc instead of xor.popc
    bool quadPairs = false;       // m8n8k4 of halves: four products, each by eight lanes
    bool columnA = false, rowB = false; // with quadPairs
    [[nodiscard]] std::vector<std::uint32_t> entries() const; // goes before the rows of d, a, b and c
    [[nodiscard]] std::size_t registersA() const;
    [[nodiscard]] std::size_t registersB() const;
    [[nodiscard]] std::size_t registersOf(ptx::Type accumulator) const;
};

// Elements of a type in a register of 32 bits; 1 for f64, whose register has 64.
[[nodiscard]] int elementsPerRegister(ptx::Type type);
// An element of a register as a number: exact for every type.
[[nodiscard]] double matrixElement(ptx::Type type, std::uint64_t bits, int index);

void multiplyMatrices(WarpContext &, const MicroOp &); // extra: entries
void transposeMatrix(WarpContext &, const MicroOp &);  // movmatrix
void reduceFloats(WarpContext &, const MicroOp &);     // redux.sync.min/max.f32; immediate: 1 max, 2 abs, 4 NaN

} // namespace kernelskill::simulator
