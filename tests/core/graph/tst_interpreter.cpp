// SPDX-License-Identifier: Apache-2.0
#include "graph/interpreter.h"
#include "graph/operator_catalogue.h"

#include <QJsonArray>
#include <QTest>

#include <cmath>
#include <numeric>

using namespace kernelskill;
using namespace kernelskill::graph;

namespace {

Tensor tensor(const Shape &shape, std::vector<double> values)
{
    return {shape, std::move(values)};
}

Tensor counted(const Shape &shape)
{
    Tensor result = Tensor::zeros(shape);
    std::iota(result.values.begin(), result.values.end(), 1.0);
    return result;
}

Result<Tensor> run(const QString &op, const QList<Tensor> &operands, const QJsonObject &attributes = {},
                   const Sizes &sizes = {})
{
    OperatorGraph graph;
    QMap<QString, Tensor> inputs;
    for (qsizetype i = 0; i < operands.size(); ++i) {
        graph.inputs.append(QStringLiteral("in%1").arg(i));
        inputs.insert(graph.inputs.last(), operands.at(i));
    }
    graph.nodes = {{QStringLiteral("out"), op, graph.inputs, attributes}};
    graph.outputs = {QStringLiteral("out")};
    auto values = interpret(graph, inputs, sizes);
    if (!values) return std::unexpected(values.error());
    return values->value(QStringLiteral("out"));
}

void compare(const Result<Tensor> &result, const Shape &shape, const std::vector<double> &values)
{
    QVERIFY2(result, result ? "" : qPrintable(result.error().message));
    QCOMPARE(result->shape, shape);
    QCOMPARE(result->values.size(), values.size());
    for (size_t i = 0; i < values.size(); ++i)
        QVERIFY2(
            std::abs(result->values[i] - values[i]) < 1e-12,
            qPrintable(
                QStringLiteral("%1: %2 for %3").arg(i).arg(result->values[i], 0, 'g', 17).arg(values[i], 0, 'g', 17)));
}

} // namespace

class InterpreterTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void pointwise_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QJsonObject>("attributes");
        QTest::addColumn<double>("input");
        QTest::addColumn<double>("expected");
        const auto row = [](const char *op, double input, double expected, const QJsonObject &attributes = {}) {
            QTest::addRow("%s(%g)", op, input) << QString::fromLatin1(op) << attributes << input << expected;
        };
        row("relu", -2, 0);
        row("relu", 3, 3);
        row("gelu", 1, 0.5 * (1 + std::erf(1 / std::sqrt(2.0))));
        row("gelu", 2, 1.954597694087775, {{"approximate", "tanh"}});
        row("silu", 1, 1 / (1 + std::exp(-1.0)));
        row("leaky_relu", -2, -0.02);
        row("elu", -1, std::expm1(-1.0));
        row("softplus", 0, std::log(2.0));
        row("clamp", 5, 2, {{"min", -1}, {"max", 2}});
        row("hardtanh", -3, -1);
        row("add", 2, 5, {{"other", 3}});
        row("sub", 2, -4, {{"other", 3}, {"alpha", 2}});
        row("pow", 3, 9, {{"exponent", 2}});
        row("hardswish", 3, 3);
    }
    void pointwise()
    {
        QFETCH(QString, op);
        QFETCH(QJsonObject, attributes);
        QFETCH(double, input);
        QFETCH(double, expected);
        compare(run(op, {tensor({1}, {input})}, attributes), {1}, {expected});
    }

    void broadcasts()
    {
        compare(run(QStringLiteral("add"), {counted({2, 3}), tensor({3}, {10, 20, 30})}), {2, 3},
                {11, 22, 33, 14, 25, 36});
        compare(run(QStringLiteral("mul"), {counted({2, 3}), tensor({2, 1}, {1, -1})}), {2, 3}, {1, 2, 3, -4, -5, -6});
        QVERIFY(!run(QStringLiteral("add"), {counted({2, 3}), counted({2})}));
    }

    void takesSizesInAttributes()
    {
        compare(run(QStringLiteral("div"), {counted({2})}, {{"other", "2*cols"}}, {{QStringLiteral("cols"), 4}}), {2},
                {0.125, 0.25});
    }

    void reduces()
    {
        const Tensor x = counted({2, 3});
        compare(run(QStringLiteral("sum"), {x}), {}, {21});
        compare(run(QStringLiteral("sum"), {x}, {{"dim", -1}}), {2}, {6, 15});
        compare(run(QStringLiteral("mean"), {x}, {{"dim", 0}, {"keepdim", true}}), {1, 3}, {2.5, 3.5, 4.5});
        compare(run(QStringLiteral("amax"), {x}, {{"dim", QJsonArray{0, 1}}}), {}, {6});
        compare(run(QStringLiteral("amin"), {x}, {{"dim", 1}}), {2}, {1, 4});
        compare(run(QStringLiteral("prod"), {x}, {{"dim", 1}}), {2}, {6, 120});
        compare(run(QStringLiteral("var"), {x}, {{"dim", 1}}), {2}, {1, 1});
        compare(run(QStringLiteral("var"), {x}, {{"dim", 1}, {"correction", 0}}), {2}, {2.0 / 3, 2.0 / 3});
        QVERIFY(!run(QStringLiteral("sum"), {x}, {{"dim", 2}}));
    }

    void normalises()
    {
        const double e = std::exp(1.0);
        compare(run(QStringLiteral("softmax"), {tensor({2, 2}, {0, 1, 1001, 1000})}, {{"dim", -1}}), {2, 2},
                {1 / (1 + e), e / (1 + e), e / (1 + e), 1 / (1 + e)});
        compare(run(QStringLiteral("softmax"), {tensor({2, 1}, {0, 1})}, {{"dim", 0}}), {2, 1},
                {1 / (1 + e), e / (1 + e)});
        compare(run(QStringLiteral("log_softmax"), {tensor({1, 2}, {0, 1})}, {{"dim", 1}}), {1, 2},
                {-std::log(1 + e), 1 - std::log(1 + e)});
        compare(run(QStringLiteral("native_layer_norm"),
                    {tensor({1, 2}, {1, 3}), tensor({2}, {2, 2}), tensor({2}, {0.5, 0.5})},
                    {{"normalized_shape", QJsonArray{"cols"}}, {"eps", 0}}, {{QStringLiteral("cols"), 2}}),
                {1, 2}, {-1.5, 2.5});
        compare(run(QStringLiteral("rms_norm"), {tensor({1, 2}, {3, 4})},
                    {{"normalized_shape", QJsonArray{2}}, {"eps", 0}}),
                {1, 2}, {3 / std::sqrt(12.5), 4 / std::sqrt(12.5)});
    }

    void multiplies()
    {
        const Tensor a = tensor({2, 2}, {1, 2, 3, 4}), b = tensor({2, 2}, {5, 6, 7, 8});
        compare(run(QStringLiteral("mm"), {a, b}), {2, 2}, {19, 22, 43, 50});
        compare(run(QStringLiteral("linear"), {a, b, tensor({2}, {1, -1})}), {2, 2}, {18, 22, 40, 52});
        compare(run(QStringLiteral("addmm"), {tensor({2}, {1, -1}), a, b}, {{"beta", 2}}), {2, 2}, {21, 20, 45, 48});
        compare(run(QStringLiteral("bmm"), {counted({2, 1, 2}), counted({2, 2, 1})}), {2, 1, 1}, {5, 25});
        QVERIFY(!run(QStringLiteral("mm"), {a, counted({3, 2})}));
    }

    void moves()
    {
        compare(run(QStringLiteral("transpose"), {counted({2, 3})}, {{"dim0", 0}, {"dim1", 1}}), {3, 2},
                {1, 4, 2, 5, 3, 6});
        compare(run(QStringLiteral("permute"), {counted({1, 2, 3})}, {{"dims", QJsonArray{2, 0, 1}}}), {3, 1, 2},
                {1, 4, 2, 5, 3, 6});
        compare(run(QStringLiteral("view"), {counted({2, 3})}, {{"shape", QJsonArray{3, 2}}}), {3, 2},
                {1, 2, 3, 4, 5, 6});
        compare(run(QStringLiteral("unsqueeze"), {counted({2})}, {{"dim", -1}}), {2, 1}, {1, 2});
        compare(run(QStringLiteral("expand"), {tensor({2, 1}, {1, 2})}, {{"shape", QJsonArray{2, 2}}}), {2, 2},
                {1, 1, 2, 2});
    }

    void saysWhatItDoesNotKnow()
    {
        const auto result = run(QStringLiteral("sort"), {counted({2})});
        QVERIFY(!result);
        QCOMPARE(result.error().code, QStringLiteral("graph.interpret"));
        QVERIFY(result.error().message.contains(QStringLiteral("sort")));
    }

    // Every operator of the catalogue runs: none is known to shape inference only.
    void implementsTheCatalogue()
    {
        for (const QString &op : knownOperators()) {
            QJsonObject attributes{{"dim", -1}, {"shape", QJsonArray{2, 2}}, {"dims", QJsonArray{1, 0}}};
            QList<Tensor> operands{counted({2, 2})};
            const auto family = operatorFamily(op);
            if (family == OperatorFamily::MatrixProduct)
                operands = QList<Tensor>(op == u"addmm" || op == u"baddbmm" ? 3 : 2, counted({2, 2}));
            else if (family == OperatorFamily::Pointwise)
                attributes.insert(QStringLiteral("other"), 2);
            const auto result = run(op, operands, attributes);
            QVERIFY2(result, qPrintable(op + (result ? QString() : result.error().message)));
        }
    }
};

QTEST_APPLESS_MAIN(InterpreterTest)
#include "tst_interpreter.moc"
