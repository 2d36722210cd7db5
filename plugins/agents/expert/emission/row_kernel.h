// SPDX-License-Identifier: Apache-2.0
// One kernel that works along rows, for one schedule.
#pragma once

#include "emission/group_code.h"

#include <algorithm>
#include <functional>

namespace kernelskill::expert {

class RowKernel
{
public:
    RowKernel(const TaskView &view, const Group &group, const RowProgram &program, const GroupNames &names,
              const Schedule &schedule)
        : m_view(view), m_group(group), m_program(program), m_names(names), m_schedule(schedule)
    {
        m_use.add(program.loads, program.stores);
    }
    [[nodiscard]] QString emit(const QString &kernel, const QString &comment);
    [[nodiscard]] QStringList helpers() const { return m_helpers; }
    [[nodiscard]] QString functions() const { return m_functions; }
    [[nodiscard]] const BufferUse &use() const { return m_use; }

private:
    using LaneBody = std::function<QStringList(const Substitution &load, const QString &lane)>;

    // Lanes of the pass that is being written: the ends of a peeled row go element by element.
    [[nodiscard]] int lanes() const { return m_onEdge ? 1 : m_schedule.vectorWidth; }
    [[nodiscard]] bool isVector() const { return lanes() > 1; }
    [[nodiscard]] bool isPeeled() const { return m_schedule.peeled; }
    [[nodiscard]] QString threads() const { return m_names.constant("kThreads"); }
    [[nodiscard]] QString limit() const { return isVector() ? QStringLiteral("vectors") : QStringLiteral("cols"); }
    [[nodiscard]] QString indexName() const
    {
        return m_onEdge                                     ? QStringLiteral("edge")
               : isVector() || m_schedule.cachedVectors > 0 ? QStringLiteral("i")
                                                            : QStringLiteral("col");
    }
    [[nodiscard]] QString start() const;
    [[nodiscard]] QString step() const;
    // The variable of a value of the row. A buffer of the same name keeps its name.
    [[nodiscard]] QString rowValueName(const QString &name) const
    {
        const Parameter *parameter = m_view.task().parameter(name);
        return identifierFor(name) +
               (parameter && parameter->kind == Parameter::Kind::Tensor ? QStringLiteral("_value") : QString());
    }
    [[nodiscard]] const Load &loadOf(const QString &name) const;
    [[nodiscard]] bool isCached(const QString &name) const;
    [[nodiscard]] QString place(const QString &name) const; // memory of a load at the loop index
    [[nodiscard]] QString cacheName(const QString &load) const
    {
        return identifierFor(load) + QStringLiteral("_cache");
    }

    // What the loop indexes: a row of a buffer, or a buffer of one value a column.
    [[nodiscard]] QString rowPointer(const QString &buffer) const
    {
        return buffer + (isPeeled() && isVector() ? QStringLiteral("_vectors") : QStringLiteral("_row"));
    }
    [[nodiscard]] QString columnPointer(const QString &buffer) const
    {
        return isVector() && !isPeeled() ? buffer + QStringLiteral("_vectors") : buffer;
    }

    using NeedsLocal = std::function<bool(const QString &)>;
    using Tail = std::function<QStringList()>;

    void emitSetup();
    void emitPointers();
    void emitCache();
    void emitLoop(const QStringList &loads, const NeedsLocal &needsLocal, const LaneBody &body, const Tail &tail = {});
    [[nodiscard]] QStringList loopBody(const QStringList &loads, const NeedsLocal &needsLocal, const LaneBody &body,
                                       const Tail &tail) const;
    void emitPhase(const RowPhase &phase);
    void emitOnlineSoftmax(const RowPhase &maximum, const RowPhase &total);
    [[nodiscard]] QString combined(const QString &value, RowPhase::Kind kind);
    void emitRowValues(const QList<RowValue> &values);
    void emitStores();
    [[nodiscard]] QString loopHead() const;
    void addFunction(const ElementFunction &element)
    {
        if (!element.definition().isEmpty()) m_functions += u'\n' + element.definition();
    }

    const TaskView &m_view;
    const Group &m_group;
    const RowProgram &m_program;
    const GroupNames &m_names;
    Schedule m_schedule;
    BufferUse m_use;
    CodeWriter m_out;
    QStringList m_helpers;
    QString m_functions;
    bool m_onEdge = false;
};

} // namespace kernelskill::expert
