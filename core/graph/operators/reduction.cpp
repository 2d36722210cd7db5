// SPDX-License-Identifier: Apache-2.0
// Sums, means, extrema, products and variances over any set of dimensions.
#include "graph/attributes.h"
#include "graph/operator_catalogue.h"
#include "graph/operators/operators.h"

#include <cmath>
#include <limits>

namespace kernelskill::graph {

namespace {

enum class Kind { Sum, Mean, Maximum, Minimum, Product, Variance };

Kind kindOf(const QString &op)
{
    if (op == u"mean") return Kind::Mean;
    if (op == u"amax" || op == u"max") return Kind::Maximum;
    if (op == u"amin" || op == u"min") return Kind::Minimum;
    if (op == u"prod") return Kind::Product;
    return op == u"var" ? Kind::Variance : Kind::Sum;
}

double startOf(Kind kind)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (kind) {
    case Kind::Maximum:
        return -infinity;
    case Kind::Minimum:
        return infinity;
    case Kind::Product:
        return 1;
    default:
        return 0;
    }
}

double combine(Kind kind, double total, double value)
{
    switch (kind) {
    case Kind::Maximum:
        return std::isnan(total) || total > value ? total : value;
    case Kind::Minimum:
        return std::isnan(total) || total < value ? total : value;
    case Kind::Product:
        return total * value;
    default:
        return total + value;
    }
}

// For each input element, the output element it belongs to.
std::vector<size_t> targets(const Shape &input, const QList<int> &dimensions)
{
    Shape kept = input;
    for (const int dimension : dimensions)
        kept[dimension] = 1;
    const Shape own = stridesOf(input), out = stridesOf(kept);
    std::vector<size_t> result(static_cast<size_t>(elementCount(input)));
    for (size_t flat = 0; flat < result.size(); ++flat) {
        qint64 rest = static_cast<qint64>(flat), target = 0;
        for (qsizetype i = 0; i < input.size(); ++i) {
            if (kept.at(i) != 1 || input.at(i) == 1) target += rest / own.at(i) * out.at(i);
            rest %= own.at(i);
        }
        result[flat] = static_cast<size_t>(target);
    }
    return result;
}

} // namespace

Result<Tensor> runReduction(const OperatorNode &node, const Operands &operands, const Sizes &sizes)
{
    const Tensor &input = *operands.first();
    auto dimensions = dimensionsAttribute(node, QStringLiteral("dim"), input.rank());
    auto correction = numberAttribute(node, QStringLiteral("correction"), sizes, 1.0);
    if (!dimensions) return std::unexpected(dimensions.error());
    if (!correction) return std::unexpected(correction.error());
    const bool keep = flagAttribute(node, QStringLiteral("keepdim"), false);
    const Kind kind = kindOf(canonicalOperator(node.op));

    Shape shape;
    qint64 count = 1;
    for (int i = 0; i < input.rank(); ++i) {
        const bool reduced = dimensions->contains(i);
        count *= reduced ? input.shape.at(i) : 1;
        if (!reduced || keep) shape.append(reduced ? 1 : input.shape.at(i));
    }
    Tensor result = Tensor::zeros(shape);
    std::ranges::fill(result.values, startOf(kind));
    const std::vector<size_t> target = targets(input.shape, *dimensions);
    for (size_t i = 0; i < target.size(); ++i)
        result.values[target[i]] = combine(kind, result.values[target[i]], input.values[i]);
    if (kind == Kind::Mean || kind == Kind::Variance) {
        for (double &value : result.values)
            value /= static_cast<double>(count);
    }
    if (kind == Kind::Variance) {
        std::vector<double> squares(result.values.size(), 0.0);
        for (size_t i = 0; i < target.size(); ++i)
            squares[target[i]] += std::pow(input.values[i] - result.values[target[i]], 2);
        for (size_t i = 0; i < squares.size(); ++i)
            result.values[i] = squares[i] / (static_cast<double>(count) - *correction);
    }
    return result;
}

} // namespace kernelskill::graph
