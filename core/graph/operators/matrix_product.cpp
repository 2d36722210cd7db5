// SPDX-License-Identifier: Apache-2.0
// Matrix products, with leading dimensions as batches that broadcast.
#include "graph/attributes.h"
#include "graph/operator_catalogue.h"
#include "graph/operators/operators.h"

namespace kernelskill::graph {

namespace {

// a · b for the last two dimensions. `transposed`: b is stored n×k.
Result<Tensor> multiply(const OperatorNode &node, const Tensor &a, const Tensor &b, bool transposed)
{
    if (a.rank() < 2 || b.rank() < 2)
        return operatorFailure(node, QStringLiteral("operands must have at least two dimensions"));
    const qint64 m = a.shape.at(a.rank() - 2), k = a.shape.last();
    const qint64 n = b.shape.at(transposed ? b.rank() - 2 : b.rank() - 1);
    if (b.shape.at(transposed ? b.rank() - 1 : b.rank() - 2) != k)
        return operatorFailure(node, QStringLiteral("inner dimensions differ"));
    auto batch = broadcastShape(node, a.shape.mid(0, a.rank() - 2), b.shape.mid(0, b.rank() - 2));
    if (!batch) return std::unexpected(batch.error());
    auto left = broadcastTo(node, a, *batch + Shape{m, k});
    auto right = broadcastTo(node, b, *batch + b.shape.mid(b.rank() - 2));
    if (!left) return left;
    if (!right) return right;
    Tensor result = Tensor::zeros(*batch + Shape{m, n});
    for (qint64 z = 0; z < elementCount(*batch); ++z) {
        const double *x = left->values.data() + z * m * k, *y = right->values.data() + z * k * n;
        double *out = result.values.data() + z * m * n;
        for (qint64 i = 0; i < m; ++i) {
            for (qint64 j = 0; j < n; ++j) {
                for (qint64 p = 0; p < k; ++p)
                    out[i * n + j] += x[i * k + p] * (transposed ? y[j * k + p] : y[p * n + j]);
            }
        }
    }
    return result;
}

} // namespace

Result<Tensor> runMatrixProduct(const OperatorNode &node, const Operands &operands, const Sizes &sizes)
{
    const QString op = canonicalOperator(node.op);
    const bool addendFirst = op == u"addmm" || op == u"baddbmm";
    if (operands.size() < (addendFirst ? 3 : 2)) return operatorFailure(node, QStringLiteral("has too few operands"));
    auto product =
        multiply(node, *operands.at(addendFirst ? 1 : 0), *operands.at(addendFirst ? 2 : 1), op == u"linear");
    if (!product) return product;
    const Tensor *addend = addendFirst                              ? operands.first()
                           : op == u"linear" && operands.size() > 2 ? operands.at(2)
                                                                    : nullptr;
    auto alpha = numberAttribute(node, QStringLiteral("alpha"), sizes, 1.0);
    auto beta = numberAttribute(node, QStringLiteral("beta"), sizes, 1.0);
    if (!alpha) return std::unexpected(alpha.error());
    if (!beta) return std::unexpected(beta.error());
    if (addend) {
        auto wide = broadcastTo(node, *addend, product->shape);
        if (!wide) return wide;
        for (size_t i = 0; i < product->values.size(); ++i)
            product->values[i] = *alpha * product->values[i] + *beta * wide->values[i];
    }
    return product;
}

} // namespace kernelskill::graph
