// SPDX-License-Identifier: Apache-2.0
// Element by element, with broadcasting. A second operand may stand in attributes.other.
#include "graph/attributes.h"
#include "graph/operator_catalogue.h"
#include "graph/operators/operators.h"

#include <QHash>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace kernelskill::graph {

namespace {

using Unary = std::function<double(double)>;
using Binary = double (*)(double, double);

double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}
// NaN wins, as in PyTorch; std::max would depend on the order of its arguments.
double maximum(double a, double b)
{
    return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}
double minimum(double a, double b)
{
    return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
}

std::optional<Binary> binaryFunction(const QString &op)
{
    static const QHash<QString, Binary> table = {
        {QStringLiteral("add"), [](double a, double b) { return a + b; }},
        {QStringLiteral("sub"), [](double a, double b) { return a - b; }},
        {QStringLiteral("mul"), [](double a, double b) { return a * b; }},
        {QStringLiteral("div"), [](double a, double b) { return a / b; }},
        {QStringLiteral("pow"), [](double a, double b) { return std::pow(a, b); }},
        {QStringLiteral("maximum"), maximum},
        {QStringLiteral("minimum"), minimum},
    };
    const auto found = table.constFind(op);
    return found == table.cend() ? std::nullopt : std::optional(*found);
}

std::optional<Unary> plainFunction(const QString &op)
{
    static const QHash<QString, double (*)(double)> table = {
        {QStringLiteral("neg"), [](double x) { return -x; }},
        {QStringLiteral("abs"), [](double x) { return std::abs(x); }},
        {QStringLiteral("exp"), [](double x) { return std::exp(x); }},
        {QStringLiteral("log"), [](double x) { return std::log(x); }},
        {QStringLiteral("sqrt"), [](double x) { return std::sqrt(x); }},
        {QStringLiteral("rsqrt"), [](double x) { return 1 / std::sqrt(x); }},
        {QStringLiteral("reciprocal"), [](double x) { return 1 / x; }},
        {QStringLiteral("square"), [](double x) { return x * x; }},
        {QStringLiteral("sin"), [](double x) { return std::sin(x); }},
        {QStringLiteral("cos"), [](double x) { return std::cos(x); }},
        {QStringLiteral("erf"), [](double x) { return std::erf(x); }},
        {QStringLiteral("tanh"), [](double x) { return std::tanh(x); }},
        {QStringLiteral("sigmoid"), sigmoid},
        {QStringLiteral("relu"), [](double x) { return maximum(x, 0); }},
        {QStringLiteral("silu"), [](double x) { return x * sigmoid(x); }},
        {QStringLiteral("mish"), [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
        {QStringLiteral("hardsigmoid"), [](double x) { return std::clamp(x + 3, 0.0, 6.0) / 6; }},
        {QStringLiteral("hardswish"), [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }},
    };
    const auto found = table.constFind(op);
    return found == table.cend() ? std::nullopt : std::optional<Unary>(*found);
}

Unary geluFunction(bool tanhForm)
{
    if (!tanhForm) return [](double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); };
    return [](double x) {
        const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
        return 0.5 * x * (1 + std::tanh(inner));
    };
}

// Functions with parameters in attributes.
Result<Unary> parametrisedFunction(const OperatorNode &node, const QString &op, const Sizes &sizes)
{
    const auto number = [&](const char *name, double fallback) {
        return numberAttribute(node, QLatin1String(name), sizes, fallback);
    };
    if (op == u"gelu") return geluFunction(node.attributes.value(QStringLiteral("approximate")).toString() == u"tanh");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool isHardtanh = op == u"hardtanh";
    const auto low = number(isHardtanh ? "min_val" : "min", isHardtanh ? -1 : -infinity);
    const auto high = number(isHardtanh ? "max_val" : "max", isHardtanh ? 1 : infinity);
    const auto slope = number("negative_slope", 0.01);
    const auto alpha = number("alpha", 1);
    const auto beta = number("beta", 1);
    for (const auto &each : {low, high, slope, alpha, beta}) {
        if (!each) return std::unexpected(each.error());
    }
    if (op == u"clamp" || isHardtanh)
        return [low = *low, high = *high](double x) { return minimum(maximum(x, low), high); };
    if (op == u"leaky_relu") return [slope = *slope](double x) { return x >= 0 ? x : slope * x; };
    if (op == u"elu") return [alpha = *alpha](double x) { return x > 0 ? x : alpha * std::expm1(x); };
    if (op == u"softplus")
        return [beta = *beta](double x) { return beta * x > 20 ? x : std::log1p(std::exp(beta * x)) / beta; };
    return operatorFailure(node, QStringLiteral("is not implemented"));
}

Result<Tensor> runBinary(const OperatorNode &node, Binary function, const Operands &operands, const Sizes &sizes)
{
    const Tensor &left = *operands.first();
    Tensor right{{}, {0.0}};
    if (operands.size() > 1) {
        right = *operands.at(1);
    } else {
        const QString key =
            node.attributes.contains(QStringLiteral("exponent")) ? QStringLiteral("exponent") : QStringLiteral("other");
        auto other = numberAttribute(node, key, sizes);
        if (!other) return std::unexpected(other.error());
        right.values.front() = *other;
    }
    auto alpha = numberAttribute(node, QStringLiteral("alpha"), sizes, 1.0); // add and sub scale their second operand
    auto shape = broadcastShape(node, left.shape, right.shape);
    if (!alpha) return std::unexpected(alpha.error());
    if (!shape) return std::unexpected(shape.error());
    auto a = broadcastTo(node, left, *shape);
    auto b = broadcastTo(node, right, *shape);
    if (!a) return a;
    if (!b) return b;
    for (size_t i = 0; i < a->values.size(); ++i)
        a->values[i] = function(a->values[i], *alpha == 1 ? b->values[i] : *alpha * b->values[i]);
    return a;
}

} // namespace

Result<Tensor> runPointwise(const OperatorNode &node, const Operands &operands, const Sizes &sizes)
{
    const QString op = canonicalOperator(node.op);
    if (const auto function = binaryFunction(op)) return runBinary(node, *function, operands, sizes);
    std::optional<Unary> function = plainFunction(op);
    if (!function) {
        auto parametrised = parametrisedFunction(node, op, sizes);
        if (!parametrised) return std::unexpected(parametrised.error());
        function = *parametrised;
    }
    Tensor result = *operands.first();
    std::ranges::transform(result.values, result.values.begin(), *function);
    return result;
}

} // namespace kernelskill::graph
