// SPDX-License-Identifier: Apache-2.0
#include "graph/tensor.h"

namespace kernelskill::graph {

qint64 elementCount(const Shape &shape)
{
    qint64 count = 1;
    for (const qint64 extent : shape)
        count *= extent;
    return count;
}

Shape stridesOf(const Shape &shape)
{
    Shape strides(shape.size(), 1);
    for (qsizetype i = shape.size() - 2; i >= 0; --i)
        strides[i] = strides.at(i + 1) * shape.at(i + 1);
    return strides;
}

Tensor Tensor::zeros(const Shape &shape)
{
    return {shape, std::vector<double>(static_cast<size_t>(elementCount(shape)), 0.0)};
}

} // namespace kernelskill::graph
