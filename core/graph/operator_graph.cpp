// SPDX-License-Identifier: Apache-2.0
#include "graph/operator_graph.h"

#include <QJsonArray>
#include <QSet>

namespace kernelskill {

namespace {

Result<QString> readName(const QJsonValue &value, const QString &pointer)
{
    if (!value.isString() || value.toString().isEmpty())
        return failure(QStringLiteral("graph.syntax"), QStringLiteral("%1: a name was expected").arg(pointer));
    return value.toString();
}

Result<QStringList> readNames(const QJsonObject &object, const QString &key, const QString &pointer)
{
    const QString place = pointer + u'/' + key;
    const QJsonValue value = object.value(key);
    if (!value.isArray())
        return failure(QStringLiteral("graph.syntax"), QStringLiteral("%1: a list of names was expected").arg(place));
    QStringList names;
    const QJsonArray array = value.toArray();
    for (qsizetype i = 0; i < array.size(); ++i) {
        auto name = readName(array.at(i), QStringLiteral("%1/%2").arg(place).arg(i));
        if (!name) return std::unexpected(name.error());
        names.append(*name);
    }
    return names;
}

Result<OperatorNode> readNode(const QJsonObject &object, const QString &pointer)
{
    OperatorNode node;
    auto id = readName(object.value(QStringLiteral("id")), pointer + QStringLiteral("/id"));
    if (!id) return std::unexpected(id.error());
    auto op = readName(object.value(QStringLiteral("op")), pointer + QStringLiteral("/op"));
    if (!op) return std::unexpected(op.error());
    auto inputs = readNames(object, QStringLiteral("inputs"), pointer);
    if (!inputs) return std::unexpected(inputs.error());
    const QJsonValue attributes = object.value(QStringLiteral("attributes"));
    if (!attributes.isUndefined() && !attributes.isObject()) {
        return failure(QStringLiteral("graph.syntax"),
                       QStringLiteral("%1/attributes: an object was expected").arg(pointer));
    }
    node.id = *id;
    node.op = *op;
    node.inputs = *inputs;
    node.attributes = attributes.toObject();
    return node;
}

} // namespace

const OperatorNode *OperatorGraph::node(const QString &id) const
{
    for (const OperatorNode &candidate : nodes) {
        if (candidate.id == id) return &candidate;
    }
    return nullptr;
}

QStringList OperatorGraph::usersOf(const QString &id) const
{
    QStringList users;
    for (const OperatorNode &candidate : nodes) {
        if (candidate.inputs.contains(id)) users.append(candidate.id);
    }
    return users;
}

QJsonObject OperatorGraph::toJson() const
{
    QJsonArray nodeArray;
    for (const OperatorNode &each : nodes) {
        nodeArray.append(QJsonObject{{QStringLiteral("id"), each.id},
                                     {QStringLiteral("op"), each.op},
                                     {QStringLiteral("inputs"), QJsonArray::fromStringList(each.inputs)},
                                     {QStringLiteral("attributes"), each.attributes}});
    }
    return {{QStringLiteral("inputs"), QJsonArray::fromStringList(inputs)},
            {QStringLiteral("nodes"), nodeArray},
            {QStringLiteral("outputs"), QJsonArray::fromStringList(outputs)}};
}

Result<OperatorGraph> OperatorGraph::fromJson(const QJsonObject &object, const QString &pointer)
{
    OperatorGraph graph;
    auto inputs = readNames(object, QStringLiteral("inputs"), pointer);
    if (!inputs) return std::unexpected(inputs.error());
    auto outputs = readNames(object, QStringLiteral("outputs"), pointer);
    if (!outputs) return std::unexpected(outputs.error());
    graph.inputs = *inputs;
    graph.outputs = *outputs;

    const QJsonValue nodes = object.value(QStringLiteral("nodes"));
    if (!nodes.isArray()) {
        return failure(QStringLiteral("graph.syntax"),
                       QStringLiteral("%1/nodes: a list of operators was expected").arg(pointer));
    }
    QSet<QString> defined(graph.inputs.cbegin(), graph.inputs.cend());
    const QJsonArray array = nodes.toArray();
    for (qsizetype i = 0; i < array.size(); ++i) {
        const QString place = QStringLiteral("%1/nodes/%2").arg(pointer).arg(i);
        if (!array.at(i).isObject())
            return failure(QStringLiteral("graph.syntax"), QStringLiteral("%1: an object was expected").arg(place));
        auto node = readNode(array.at(i).toObject(), place);
        if (!node) return std::unexpected(node.error());
        for (qsizetype k = 0; k < node->inputs.size(); ++k) {
            if (!defined.contains(node->inputs.at(k))) {
                return failure(QStringLiteral("graph.undefined"),
                               QStringLiteral("%1/inputs/%2: \"%3\" is neither an input of the graph nor defined by an "
                                              "earlier node")
                                   .arg(place)
                                   .arg(k)
                                   .arg(node->inputs.at(k)));
            }
        }
        if (defined.contains(node->id)) {
            return failure(QStringLiteral("graph.duplicate"),
                           QStringLiteral("%1/id: \"%2\" is defined twice").arg(place, node->id));
        }
        defined.insert(node->id);
        graph.nodes.append(*node);
    }
    for (qsizetype i = 0; i < graph.outputs.size(); ++i) {
        if (!graph.node(graph.outputs.at(i))) {
            return failure(
                QStringLiteral("graph.undefined"),
                QStringLiteral("%1/outputs/%2: no node defines \"%3\"").arg(pointer).arg(i).arg(graph.outputs.at(i)));
        }
    }
    return graph;
}

} // namespace kernelskill
