// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm along one dimension; layer and root-mean-square normalisation over the last ones.
#include "graph/attributes.h"
#include "graph/operator_catalogue.h"
#include "graph/operators/operators.h"

#include <algorithm>
#include <cmath>

namespace kernelskill::graph {

namespace {

Result<Tensor> runSoftmax(const OperatorNode &node, const Tensor &input, bool logarithm)
{
    auto dimensions = dimensionsAttribute(node, QStringLiteral("dim"), input.rank());
    if (!dimensions) return std::unexpected(dimensions.error());
    if (dimensions->size() != 1) return operatorFailure(node, QStringLiteral("needs exactly one dim"));
    const qint64 extent = input.shape.at(dimensions->first());
    const qint64 stride = stridesOf(input.shape).at(dimensions->first());
    Tensor result = input;
    for (qint64 start = 0; start < elementCount(input.shape); ++start) {
        if (start / stride % extent != 0) continue; // not the first element of a line along dim
        const auto at = [&](qint64 i) -> double & { return result.values[static_cast<size_t>(start + i * stride)]; };
        double largest = at(0);
        for (qint64 i = 1; i < extent; ++i)
            largest = std::max(largest, at(i));
        double sum = 0;
        for (qint64 i = 0; i < extent; ++i)
            sum += std::exp(at(i) - largest);
        for (qint64 i = 0; i < extent; ++i)
            at(i) = logarithm ? at(i) - largest - std::log(sum) : std::exp(at(i) - largest) / sum;
    }
    return result;
}

Result<Tensor> runRowNormalisation(const OperatorNode &node, const Operands &operands, const Sizes &sizes, bool centred)
{
    const Tensor &input = *operands.first();
    auto shape = integersAttribute(node, QStringLiteral("normalized_shape"), sizes);
    auto epsilon = numberAttribute(node, QStringLiteral("eps"), sizes, centred ? 1e-5 : 1.1920928955078125e-7);
    if (!shape) return std::unexpected(shape.error());
    if (!epsilon) return std::unexpected(epsilon.error());
    const qint64 cols = shape->isEmpty() ? input.shape.last() : elementCount(*shape);
    const qint64 rows = elementCount(input.shape) / std::max<qint64>(cols, 1);
    Tensor result = input;
    for (qint64 row = 0; row < rows; ++row) {
        double *values = result.values.data() + row * cols;
        double mean = 0, squares = 0;
        for (qint64 i = 0; centred && i < cols; ++i)
            mean += values[i] / static_cast<double>(cols);
        for (qint64 i = 0; i < cols; ++i)
            squares += (values[i] - mean) * (values[i] - mean) / static_cast<double>(cols);
        const double scale = 1 / std::sqrt(squares + *epsilon);
        for (qint64 i = 0; i < cols; ++i) {
            const size_t column = static_cast<size_t>(i);
            values[i] = (values[i] - mean) * scale;
            if (operands.size() > 1) values[i] *= operands.at(1)->values.at(column);
            if (operands.size() > 2) values[i] += operands.at(2)->values.at(column);
        }
    }
    return result;
}

} // namespace

Result<Tensor> runNormalisation(const OperatorNode &node, const Operands &operands, const Sizes &sizes)
{
    const QString op = canonicalOperator(node.op);
    if (op == u"softmax" || op == u"log_softmax") return runSoftmax(node, *operands.first(), op == u"log_softmax");
    return runRowNormalisation(node, operands, sizes, op != u"rms_norm");
}

} // namespace kernelskill::graph
