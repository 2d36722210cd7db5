// SPDX-License-Identifier: Apache-2.0
#include "patterns/pointwise_code.h"

#include "graph/operator_catalogue.h"

#include <QHash>

#include <optional>

namespace kernelskill::expert {

namespace {

// %1 is the operand. Levels tell where parentheses are needed around the whole.
struct Template
{
    const char16_t *text;
    Code::Level level = Code::Primary;
};

const QHash<QString, Template> &unaryTemplates()
{
    static const QHash<QString, Template> table = {
        {QStringLiteral("neg"), {u"-%1", Code::Unary}},
        {QStringLiteral("abs"), {u"fabsf(%1)"}},
        {QStringLiteral("exp"), {u"expf(%1)"}},
        {QStringLiteral("log"), {u"logf(%1)"}},
        {QStringLiteral("sqrt"), {u"sqrtf(%1)"}},
        {QStringLiteral("rsqrt"), {u"rsqrtf(%1)"}},
        {QStringLiteral("reciprocal"), {u"1.0f / %1", Code::Product}},
        {QStringLiteral("square"), {u"%1 * %1", Code::Product}},
        {QStringLiteral("sin"), {u"sinf(%1)"}},
        {QStringLiteral("cos"), {u"cosf(%1)"}},
        {QStringLiteral("erf"), {u"erff(%1)"}},
        {QStringLiteral("tanh"), {u"tanhf(%1)"}},
        {QStringLiteral("sigmoid"), {u"1.0f / (1.0f + expf(-%1))", Code::Product}},
        {QStringLiteral("relu"), {u"fmaxf(%1, 0.0f)"}},
        {QStringLiteral("silu"), {u"%1 / (1.0f + expf(-%1))", Code::Product}},
        {QStringLiteral("mish"), {u"%1 * tanhf(log1pf(expf(%1)))", Code::Product}},
        {QStringLiteral("hardsigmoid"), {u"fminf(fmaxf(%1 + 3.0f, 0.0f), 6.0f) * (1.0f / 6.0f)", Code::Product}},
        {QStringLiteral("hardswish"), {u"%1 * fminf(fmaxf(%1 + 3.0f, 0.0f), 6.0f) * (1.0f / 6.0f)", Code::Product}},
        {QStringLiteral("clone"), {u"%1"}},
    };
    return table;
}

std::optional<double> number(const OperatorNode &node, const char *name)
{
    const QJsonValue value = node.attributes.value(QLatin1String(name));
    if (value.isDouble()) return value.toDouble();
    bool ok = false;
    const double parsed = value.toString().toDouble(&ok);
    return ok ? std::optional(parsed) : std::nullopt;
}

std::optional<Code> parametrisedCode(const OperatorNode &node, const QString &op, const QString &x)
{
    const auto literal = [&](const char *name, double fallback) {
        return floatLiteral(number(node, name).value_or(fallback));
    };
    if (op == u"gelu") {
        if (node.attributes.value(QStringLiteral("approximate")).toString() == u"tanh") {
            return Code{
                QStringLiteral("0.5f * %1 * (1.0f + tanhf(0.79788456f * (%1 + 0.044715f * %1 * %1 * %1)))").arg(x),
                Code::Product};
        }
        return Code{QStringLiteral("0.5f * %1 * (1.0f + erff(%1 * 0.70710678f))").arg(x), Code::Product};
    }
    if (op == u"leaky_relu")
        return Code{QStringLiteral("%1 >= 0.0f ? %1 : %2 * %1").arg(x, literal("negative_slope", 0.01)),
                    Code::Conditional};
    if (op == u"elu")
        return Code{QStringLiteral("%1 > 0.0f ? %1 : %2 * expm1f(%1)").arg(x, literal("alpha", 1)), Code::Conditional};
    if (op == u"softplus" && number(node, "beta").value_or(1) == 1)
        return Code{QStringLiteral("%1 > 20.0f ? %1 : log1pf(expf(%1))").arg(x), Code::Conditional};
    if (op == u"hardtanh")
        return Code{QStringLiteral("fminf(fmaxf(%1, %2), %3)").arg(x, literal("min_val", -1), literal("max_val", 1))};
    if (op == u"clamp") {
        const auto low = number(node, "min"), high = number(node, "max");
        QString text = x;
        if (low) text = QStringLiteral("fmaxf(%1, %2)").arg(text, floatLiteral(*low));
        if (high) text = QStringLiteral("fminf(%1, %2)").arg(text, floatLiteral(*high));
        return Code{text};
    }
    return std::nullopt;
}

std::optional<Code> binaryCode(const OperatorNode &node, const QString &op, const Code &a, const Code &b)
{
    const double alpha = number(node, "alpha").value_or(1);
    const Code scaled = alpha == 1 ? b : product(primary(floatLiteral(alpha)), QStringLiteral("*"), b);
    if (op == u"add") return sum(a, QStringLiteral("+"), scaled);
    if (op == u"sub") return sum(a, QStringLiteral("-"), scaled);
    if (op == u"mul") return product(a, QStringLiteral("*"), b);
    if (op == u"div") return product(a, QStringLiteral("/"), b);
    if (op == u"maximum") return call(QStringLiteral("fmaxf"), {a.text, b.text});
    if (op == u"minimum") return call(QStringLiteral("fminf"), {a.text, b.text});
    if (op == u"pow") {
        if (b.text == u"2.0f") return product(a, QStringLiteral("*"), a);
        return call(QStringLiteral("powf"), {a.text, b.text});
    }
    return std::nullopt;
}

} // namespace

QString floatLiteral(double value)
{
    QString text = QString::number(value, 'g', 9);
    if (!text.contains(u'.') && !text.contains(u'e')) text += QStringLiteral(".0");
    return text + u'f';
}

Result<Code> pointwiseCode(const OperatorNode &node, const QList<Code> &operands)
{
    const QString op = graph::canonicalOperator(node.op);
    const auto found = unaryTemplates().constFind(op);
    if (found != unaryTemplates().cend())
        return Code{QString::fromUtf16(found->text).replace(QLatin1String("%1"), operands.first().text), found->level};
    if (const auto code = parametrisedCode(node, op, operands.first().text)) return *code;
    std::optional<Code> second;
    if (operands.size() > 1)
        second = operands.at(1);
    else if (const auto other = number(
                 node, op == u"pow" && node.attributes.contains(QStringLiteral("exponent")) ? "exponent" : "other"))
        second = *other < 0 ? Code{floatLiteral(*other), Code::Unary} : primary(floatLiteral(*other));
    if (second) {
        if (const auto code = binaryCode(node, op, operands.first(), *second)) return *code;
    }
    return failure(
        QStringLiteral("expert.unsupported"),
        QStringLiteral("node \"%1\": the rule-based agent has no CUDA for operator \"%2\" with these operands")
            .arg(node.id, node.op));
}

} // namespace kernelskill::expert
