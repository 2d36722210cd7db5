// SPDX-License-Identifier: Apache-2.0
// A task as the compiler looks at it: operator graph with symbolic shapes, where each value is stored, and how a
// dimension is written in CUDA.
#pragma once

#include "graph/shape_inference.h"
#include "task/task.h"

#include <QMap>

#include <optional>

namespace kernelskill::expert {

class TaskView
{
public:
    // Errors have code "expert.unsupported" and say what the rule-based agent cannot handle.
    [[nodiscard]] static Result<TaskView> make(const Task &task);

    [[nodiscard]] const Task &task() const { return m_task; }
    [[nodiscard]] const OperatorGraph &graph() const { return *m_task.graph; }
    [[nodiscard]] const OperatorNode &node(const QString &id) const { return *graph().node(id); }
    [[nodiscard]] int indexOf(const QString &nodeId) const; // −1 for graph inputs
    [[nodiscard]] bool isNode(const QString &id) const { return graph().node(id) != nullptr; }
    [[nodiscard]] graph::SymbolicShape shape(const QString &value) const { return m_shapes.value(value); }

    // The parameter a value lives in when it is written to memory: itself for inputs and outputs; an output of the same
    // shape that is free for as long as the value is needed, for intermediates; nothing when there is no such place.
    [[nodiscard]] std::optional<QString> storage(const QString &value) const;

    // A product of dimensions as CUDA over the scalar parameters ("rows", "m * k"), "1" for none.
    [[nodiscard]] Result<QString> extentCode(const QStringList &dimensions) const;
    // Its value at the first time size.
    [[nodiscard]] Result<qint64> extent(const QStringList &dimensions) const;
    // A number or size expression as a CUDA float.
    [[nodiscard]] Result<QString> floatCode(const QString &expression) const;

private:
    void assignStorage();

    Task m_task;
    QMap<QString, graph::SymbolicShape> m_shapes;
    QMap<QString, QString> m_storage;
};

} // namespace kernelskill::expert
