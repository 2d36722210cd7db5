// SPDX-License-Identifier: Apache-2.0
#include "graph/operator_catalogue.h"
#include "graph/operator_graph.h"
#include "graph/shape_inference.h"

#include <QJsonDocument>
#include <QTest>

using namespace kernelskill;

namespace {

QJsonObject json(const char *text)
{
    return QJsonDocument::fromJson(text).object();
}

const char *const chain = R"({"inputs": ["x", "bias"], "nodes": [
    {"id": "h", "op": "add", "inputs": ["x", "bias"], "attributes": {}},
    {"id": "s", "op": "sum", "inputs": ["h"], "attributes": {"dim": -1, "keepdim": true}},
    {"id": "y", "op": "div", "inputs": ["h", "s"]}], "outputs": ["y"]})";

} // namespace

class OperatorGraphTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void readsWhatItWrites()
    {
        const auto graph = OperatorGraph::fromJson(json(chain), QStringLiteral("/graph"));
        QVERIFY(graph);
        QCOMPARE(graph->nodes.size(), 3);
        QCOMPARE(graph->usersOf(QStringLiteral("h")), QStringList({QStringLiteral("s"), QStringLiteral("y")}));
        QCOMPARE(graph->node(QStringLiteral("s"))->op, QStringLiteral("sum"));
        const auto again = OperatorGraph::fromJson(graph->toJson(), QStringLiteral("/graph"));
        QVERIFY(again);
        QCOMPARE(again->toJson(), graph->toJson());
    }

    void namesThePlaceOfAnError_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("place");
        QTest::newRow("no nodes") << QByteArray(R"({"inputs": [], "outputs": []})") << "graph.syntax" << "/graph/nodes";
        QTest::newRow("undefined")
            << QByteArray(
                   R"({"inputs": ["x"], "nodes": [{"id": "y", "op": "relu", "inputs": ["z"]}], "outputs": ["y"]})")
            << "graph.undefined" << "/graph/nodes/0/inputs/0";
        QTest::newRow("twice")
            << QByteArray(
                   R"({"inputs": ["x"], "nodes": [{"id": "x", "op": "relu", "inputs": ["x"]}], "outputs": ["x"]})")
            << "graph.duplicate" << "/graph/nodes/0/id";
        QTest::newRow("output") << QByteArray(R"({"inputs": ["x"], "nodes": [], "outputs": ["y"]})")
                                << "graph.undefined" << "/graph/outputs/0";
        QTest::newRow("op")
            << QByteArray(R"({"inputs": ["x"], "nodes": [{"id": "y", "op": 3, "inputs": ["x"]}], "outputs": ["y"]})")
            << "graph.syntax" << "/graph/nodes/0/op";
    }
    void namesThePlaceOfAnError()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, code);
        QFETCH(QString, place);
        const auto graph = OperatorGraph::fromJson(json(text.constData()), QStringLiteral("/graph"));
        QVERIFY(!graph);
        QCOMPARE(graph.error().code, code);
        QVERIFY2(graph.error().message.startsWith(place + u':'), qPrintable(graph.error().message));
    }

    void infersShapes()
    {
        const auto graph = OperatorGraph::fromJson(json(chain), QStringLiteral("/graph"));
        const auto shapes =
            graph::inferShapes(*graph, {{QStringLiteral("x"), {QStringLiteral("rows"), QStringLiteral("cols")}},
                                        {QStringLiteral("bias"), {QStringLiteral("cols")}}});
        QVERIFY(shapes);
        QCOMPARE(shapes->value(QStringLiteral("h")), QStringList({QStringLiteral("rows"), QStringLiteral("cols")}));
        QCOMPARE(shapes->value(QStringLiteral("s")), QStringList({QStringLiteral("rows"), QStringLiteral("1")}));
        QCOMPARE(shapes->value(QStringLiteral("y")), QStringList({QStringLiteral("rows"), QStringLiteral("cols")}));
    }

    void refusesShapesThatDoNotFit()
    {
        const auto graph = OperatorGraph::fromJson(json(chain), QStringLiteral("/graph"));
        const auto shapes =
            graph::inferShapes(*graph, {{QStringLiteral("x"), {QStringLiteral("rows"), QStringLiteral("cols")}},
                                        {QStringLiteral("bias"), {QStringLiteral("rows")}}});
        QVERIFY(!shapes);
        QCOMPARE(shapes.error().code, QStringLiteral("graph.shape"));
    }

    void infersProducts_data()
    {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QStringList>("right");
        QTest::newRow("mm") << "mm" << QStringList{"k", "n"};
        QTest::newRow("linear") << "linear" << QStringList{"n", "k"};
        QTest::newRow("overload") << "mm.default" << QStringList{"k", "n"};
    }
    void infersProducts()
    {
        QFETCH(QString, op);
        QFETCH(QStringList, right);
        OperatorGraph graph;
        graph.inputs = {QStringLiteral("a"), QStringLiteral("b")};
        graph.nodes = {{QStringLiteral("c"), op, graph.inputs, {}}};
        const auto shapes = graph::inferShapes(
            graph, {{QStringLiteral("a"), {QStringLiteral("m"), QStringLiteral("k")}}, {QStringLiteral("b"), right}});
        QVERIFY(shapes);
        QCOMPARE(shapes->value(QStringLiteral("c")), QStringList({QStringLiteral("m"), QStringLiteral("n")}));
    }

    void knowsFamilies()
    {
        QCOMPARE(graph::operatorFamily(QStringLiteral("add.Tensor")), graph::OperatorFamily::Pointwise);
        QCOMPARE(graph::operatorFamily(QStringLiteral("_softmax")), graph::OperatorFamily::Normalisation);
        QVERIFY(!graph::operatorFamily(QStringLiteral("sort")));
    }
};

QTEST_APPLESS_MAIN(OperatorGraphTest)
#include "tst_operator_graph.moc"
