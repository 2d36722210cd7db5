// SPDX-License-Identifier: Apache-2.0
// A dense row-major tensor of doubles: what the interpreter computes with.
#pragma once

#include <QList>

#include <vector>

namespace kernelskill::graph {

using Shape = QList<qint64>;

[[nodiscard]] qint64 elementCount(const Shape &shape); // 1 for a scalar (no dimensions)
[[nodiscard]] Shape stridesOf(const Shape &shape);     // row-major, in elements

struct Tensor
{
    Shape shape;
    std::vector<double> values; // elementCount(shape) of them

    [[nodiscard]] static Tensor zeros(const Shape &shape);
    [[nodiscard]] int rank() const { return static_cast<int>(shape.size()); }
};

} // namespace kernelskill::graph
