// SPDX-License-Identifier: Apache-2.0
// One writer for all mappings: they differ in where a thread starts, how far it steps and who combines partial results.
#include "emission/row_kernel.h"

namespace kernelskill::expert {

namespace {

QString kindName(RowPhase::Kind kind)
{
    switch (kind) {
    case RowPhase::Kind::Sum:
        return QStringLiteral("Sum");
    case RowPhase::Kind::Maximum:
        return QStringLiteral("Maximum");
    case RowPhase::Kind::Minimum:
        return QStringLiteral("Minimum");
    }
    return {};
}

QString accumulated(RowPhase::Kind kind, const QString &total, const QString &value)
{
    switch (kind) {
    case RowPhase::Kind::Sum:
        return QStringLiteral("%1 += %2;").arg(total, value);
    case RowPhase::Kind::Maximum:
        return QStringLiteral("%1 = fmaxf(%1, %2);").arg(total, value);
    case RowPhase::Kind::Minimum:
        return QStringLiteral("%1 = fminf(%1, %2);").arg(total, value);
    }
    return {};
}

QString neutral(RowPhase::Kind kind)
{
    switch (kind) {
    case RowPhase::Kind::Sum:
        return QStringLiteral("0.0f");
    case RowPhase::Kind::Maximum:
        return QStringLiteral("-INFINITY");
    case RowPhase::Kind::Minimum:
        return QStringLiteral("INFINITY");
    }
    return {};
}

} // namespace

QString RowKernel::start() const
{
    switch (m_schedule.mapping) {
    case RowMapping::Thread:
        return QStringLiteral("0");
    case RowMapping::Warp:
        return QStringLiteral("lane");
    case RowMapping::Block:
        return QStringLiteral("threadIdx.x");
    }
    return {};
}

QString RowKernel::step() const
{
    switch (m_schedule.mapping) {
    case RowMapping::Thread:
        return QStringLiteral("1");
    case RowMapping::Warp:
        return QStringLiteral("32");
    case RowMapping::Block:
        return threads();
    }
    return {};
}

const Load &RowKernel::loadOf(const QString &name) const
{
    return *std::ranges::find_if(m_program.loads, [&](const Load &load) { return load.name == name; });
}

bool RowKernel::isCached(const QString &name) const
{
    return m_schedule.cachedVectors > 0 && loadOf(name).kind == LoadKind::Element;
}

QString RowKernel::place(const QString &name) const
{
    const Load &load = loadOf(name);
    return QStringLiteral("%1[%2]").arg(
        load.kind == LoadKind::Element ? rowPointer(load.buffer) : columnPointer(load.buffer), indexName());
}

QString RowKernel::loopHead() const
{
    const QString index = indexName();
    const QString advance =
        step() == u"1" ? QStringLiteral("++%1").arg(index) : QStringLiteral("%1 += %2").arg(index, step());
    return QStringLiteral("for (int %1 = %2; %1 < %3; %4)").arg(index, start(), limit(), advance);
}

void RowKernel::emitSetup()
{
    const Schedule &s = m_schedule;
    switch (s.mapping) {
    case RowMapping::Thread:
        m_out.text(
            QStringLiteral("const int row = blockIdx.x * @threads@ + threadIdx.x;\nif (row >= rows)\n    return;"),
            {{QStringLiteral("threads"), threads()}});
        break;
    case RowMapping::Warp:
        m_out.text(
            QStringLiteral(
                "const int row = blockIdx.x * (@threads@ / 32) + threadIdx.x / 32;\n"
                "const int lane = threadIdx.x % 32;\nif (row >= rows)\n    return; // the whole warp leaves together"),
            {{QStringLiteral("threads"), threads()}});
        break;
    case RowMapping::Block:
        if (!m_program.phases.isEmpty()) {
            m_out.line(QStringLiteral("__shared__ float scratch[%1%2];")
                           .arg(threads(), s.shuffle ? QStringLiteral(" / 32") : QString()));
        }
        m_out.line(QStringLiteral("const int row = blockIdx.x;"));
        break;
    }
    emitPointers();
}

void RowKernel::emitPointers()
{
    const Schedule &s = m_schedule;
    const QString type = vectorType(s.vectorWidth);
    const auto isWritten = [&](const QString &buffer) { return m_use.written.contains(buffer); };
    QStringList rows;
    for (const QString &buffer : usedBuffers(m_view, m_use)) {
        bool perColumn = false, wanted = false;
        for (const Load &load : m_program.loads) {
            if (load.buffer == buffer && (load.kind == LoadKind::Element || load.kind == LoadKind::PerColumn)) {
                wanted = true;
                perColumn = load.kind == LoadKind::PerColumn;
            }
        }
        for (const Store &store : m_program.stores)
            wanted = wanted || (store.buffer == buffer && !store.perRow);
        const bool asVector = isVector() && !isPeeled();
        if (!wanted || (perColumn && !asVector)) continue;
        const QString constness = isWritten(buffer) ? QString() : QStringLiteral("const ");
        const QString address = perColumn ? buffer : QStringLiteral("%1 + size_t(row) * cols").arg(buffer);
        const QString value =
            asVector ? QStringLiteral("reinterpret_cast<%1%2 *>(%3)").arg(constness, type, address) : address;
        const QString name = perColumn ? columnPointer(buffer) : buffer + QStringLiteral("_row");
        m_out.line(
            QStringLiteral("%1%2 *%3 = %4;").arg(constness, asVector ? type : QStringLiteral("float"), name, value));
        if (!perColumn) rows.append(buffer);
    }
    if (!isVector()) return;
    if (!isPeeled()) {
        m_out.line(QStringLiteral("const int vectors = cols / %1;").arg(s.vectorWidth));
        return;
    }
    m_out.line();
    m_out.line(
        QStringLiteral("// A row starts anywhere: up to three elements at either end belong to no whole vector."));
    m_out.line(QStringLiteral(
        "const int misaligned = (4 - int(size_t(row) * cols % 4)) % 4, head = misaligned < cols ? misaligned : cols;"));
    m_out.line(QStringLiteral(
        "const int vectors = (cols - head) / 4, tail = head + vectors * 4, edges = head + cols - tail;"));
    const QString who = s.mapping == RowMapping::Warp ? QStringLiteral("lane") : QStringLiteral("thread");
    if (s.mapping == RowMapping::Block) m_out.line(QStringLiteral("const int thread = threadIdx.x;"));
    m_out.line(QStringLiteral("const int edge = %1 < head ? %1 : tail + %1 - head; // a column at an end").arg(who));
    for (const QString &buffer : rows) {
        const QString constness = isWritten(buffer) ? QString() : QStringLiteral("const ");
        m_out.line(
            QStringLiteral("%1%2 *%3_vectors = reinterpret_cast<%1%2 *>(%3_row + head);").arg(constness, type, buffer));
    }
}

void RowKernel::emitCache()
{
    if (m_schedule.cachedVectors == 0) return;
    const QString vectors = m_names.constant("kVectors");
    m_out.line();
    m_out.line(QStringLiteral(
        "// The row stays in registers: its loads are all in flight together, and memory is read once."));
    QStringList body;
    for (const Load &load : m_program.loads) {
        if (load.kind != LoadKind::Element) continue;
        m_out.line(QStringLiteral("%1 %2[%3];").arg(vectorType(m_schedule.vectorWidth), cacheName(load.name), vectors));
        body.append(QStringLiteral("%1[j] = %2;").arg(cacheName(load.name), place(load.name)));
    }
    m_out.line(QStringLiteral("#pragma unroll"));
    m_out.open(QStringLiteral("for (int j = 0; j < %1; ++j)").arg(vectors));
    m_out.line(QStringLiteral("const int i = %1 + j * %2;").arg(start(), step()));
    m_out.block(QStringLiteral("if (i < %1)").arg(limit()), body);
    m_out.close();
}

// The statements of one step: loads that are used more than once, then each lane, then what follows once a vector.
QStringList RowKernel::loopBody(const QStringList &loads, const NeedsLocal &needsLocal, const LaneBody &body,
                                const Tail &tail) const
{
    QStringList statements;
    const auto localName = [&](const QString &name) {
        return identifierFor(name) + (isVector() ? QString::number(lanes()) : QStringLiteral("_value"));
    };
    // Values of a column are not aligned with a peeled row: they are read one by one.
    const auto isSingle = [&](const QString &name) {
        return isPeeled() && isVector() && loadOf(name).kind == LoadKind::PerColumn;
    };
    for (const QString &name : loads) {
        const LoadKind kind = loadOf(name).kind;
        if (kind == LoadKind::PerRow || kind == LoadKind::Uniform || isCached(name) || isSingle(name)) continue;
        if (isVector() || needsLocal(name))
            statements.append(
                QStringLiteral("const %1 %2 = %3;").arg(vectorType(lanes()), localName(name), place(name)));
    }
    const QStringList names = lanesOf(lanes());
    for (qsizetype k = 0; k < names.size(); ++k) {
        const QString member = names.at(k).isEmpty() ? QString() : u'.' + names.at(k);
        const Substitution load = [&](const QString &name) {
            if (isCached(name)) return cacheName(name) + QStringLiteral("[j]") + member;
            if (isSingle(name))
                return QStringLiteral("%1[head + i * 4%2]")
                    .arg(loadOf(name).buffer, k == 0 ? QString() : QStringLiteral(" + %1").arg(k));
            return isVector() || needsLocal(name) ? localName(name) + member : place(name);
        };
        statements += body(load, member);
    }
    return tail ? statements + tail() : statements;
}

// One pass over the row. `body` gives the statements for one lane of a vector; `tail` follows once a vector.
void RowKernel::emitLoop(const QStringList &loads, const NeedsLocal &needsLocal, const LaneBody &body, const Tail &tail)
{
    if (isPeeled()) {
        m_onEdge = true;
        m_out.block(QStringLiteral("if (%1 < edges)").arg(start()), loopBody(loads, needsLocal, body, tail));
        m_onEdge = false;
    }
    const QStringList statements = loopBody(loads, needsLocal, body, tail);
    if (m_schedule.cachedVectors == 0) {
        if (m_schedule.itemsPerThread > 1)
            m_out.line(QStringLiteral("#pragma unroll %1").arg(m_schedule.itemsPerThread));
        m_out.block(loopHead(), statements);
        return;
    }
    m_out.line(QStringLiteral("#pragma unroll"));
    m_out.open(QStringLiteral("for (int j = 0; j < %1; ++j)").arg(m_names.constant("kVectors")));
    const QString position = QStringLiteral("%1 + j * %2").arg(start(), step());
    const bool named = statements.join(u' ').contains(QStringLiteral("[i]"));
    if (named) m_out.line(QStringLiteral("const int i = %1;").arg(position));
    m_out.block(QStringLiteral("if (%1 < %2)").arg(named ? QStringLiteral("i") : position, limit()), statements);
    m_out.close();
}

// The partial results of all threads of a row as one.
QString RowKernel::combined(const QString &value, RowPhase::Kind kind)
{
    const QString name = kindName(kind);
    switch (m_schedule.mapping) {
    case RowMapping::Thread:
        break;
    case RowMapping::Warp:
        m_helpers.append(QStringLiteral("warp") + name);
        return QStringLiteral("warp%1(%2)").arg(name, value);
    case RowMapping::Block:
        m_helpers.append(
            QStringLiteral("block%1%2").arg(name, m_schedule.shuffle ? QStringLiteral("Shuffled") : QString()));
        return QStringLiteral("block%1<%2>(%3, scratch)").arg(name, threads(), value);
    }
    return value;
}

void RowKernel::emitRowValues(const QList<RowValue> &values)
{
    for (const RowValue &value : values) {
        const Substitution load = [&](const QString &name) {
            return QStringLiteral("%1[%2]").arg(loadOf(name).buffer, loadOf(name).kind == LoadKind::PerRow
                                                                         ? QStringLiteral("row")
                                                                         : QStringLiteral("0"));
        };
        m_out.line(QStringLiteral("const float %1 = %2;")
                       .arg(rowValueName(value.name), substituted(value.code.text, load, [&](const QString &name) {
                                return rowValueName(name);
                            })));
    }
}

void RowKernel::emitPhase(const RowPhase &phase)
{
    const QString variable = rowValueName(phase.name);
    ElementFunction element(phase.element, QStringLiteral("elementFor") + upperCamel(phase.name));
    addFunction(element);
    m_out.line();
    m_out.line(QStringLiteral("// ") + phase.comment +
               (phase.keep.isEmpty()
                    ? QString()
                    : QStringLiteral(" They replace the row in its registers: the result needs them again.")));
    m_out.line(QStringLiteral("float %1 = %2;").arg(variable, neutral(phase.kind)));
    const Substitution rowName = [&](const QString &name) { return rowValueName(name); };
    emitLoop(
        element.loads(), [&](const QString &name) { return element.uses(name) > 1; },
        [&](const Substitution &load, const QString &) -> QStringList {
            const QString value = element.at(load, rowName);
            if (phase.keep.isEmpty()) return {accumulated(phase.kind, variable, value)};
            return {QStringLiteral("%1 = %2;").arg(load(phase.keep), value),
                    accumulated(phase.kind, variable, load(phase.keep))};
        });
    if (m_schedule.mapping != RowMapping::Thread)
        m_out.line(QStringLiteral("%1 = %2;").arg(variable, combined(variable, phase.kind)));
    emitRowValues(phase.after);
}

// Maximum and sum of exponentials in one pass (the online softmax): a thread rescales what it has summed when a larger
// element turns up, and the partial sums are brought to the common maximum before they are added.
void RowKernel::emitOnlineSoftmax(const RowPhase &maximum, const RowPhase &total)
{
    ElementFunction element(maximum.element, QStringLiteral("elementFor") + upperCamel(maximum.name));
    addFunction(element);
    const QString largest = rowValueName(maximum.name), sum = rowValueName(total.name);
    m_out.line();
    m_out.line(QStringLiteral(
        "// Maximum and sum of exponentials in one pass: when a larger element turns up, the sum so far is rescaled."));
    m_out.line(QStringLiteral("float thread_largest = -FLT_MAX;"));
    m_out.line(QStringLiteral("float %1 = 0.0f;").arg(sum));
    QStringList values;
    emitLoop(
        element.loads(), [&](const QString &name) { return element.uses(name) > 0; },
        [&](const Substitution &load, const QString &member) -> QStringList {
            if (member.isEmpty() || member == u".x") values.clear();
            QStringList named;
            values.append(element.at(load));
            if (!element.definition().isEmpty()) { // computed once, used twice
                const QString name = QStringLiteral("element") + QString::number(values.size());
                named.append(QStringLiteral("const float %1 = %2;").arg(name, values.last()));
                values.last() = name;
            }
            if (values.size() < lanes()) return named;
            QString larger = QStringLiteral("thread_largest");
            for (const QString &value : values)
                larger = QStringLiteral("fmaxf(%1, %2)").arg(larger, value);
            QStringList lines = named;
            lines += {QStringLiteral("const float larger = %1;").arg(larger),
                      QStringLiteral("%1 *= expf(thread_largest - larger);").arg(sum)};
            for (const QString &value : values)
                lines.append(QStringLiteral("%1 += expf(%2 - larger);").arg(sum, value));
            lines.append(QStringLiteral("thread_largest = larger;"));
            return lines;
        });
    m_out.line(QStringLiteral("const float %1 = %2;")
                   .arg(largest, combined(QStringLiteral("thread_largest"), RowPhase::Kind::Maximum)));
    if (m_schedule.mapping != RowMapping::Thread)
        m_out.line(QStringLiteral("%1 = %2;")
                       .arg(sum, combined(QStringLiteral("%1 * expf(thread_largest - %2)").arg(sum, largest),
                                          RowPhase::Kind::Sum)));
    emitRowValues(maximum.after);
    emitRowValues(total.after);
}

void RowKernel::emitStores()
{
    QStringList loads;
    QList<std::pair<Store, ElementFunction>> elementStores;
    for (const Store &store : m_program.stores) {
        if (store.perRow) continue;
        elementStores.append(
            {store, ElementFunction(store.code, QStringLiteral("elementOf") + upperCamel(store.value))});
        addFunction(elementStores.last().second);
        loads += elementStores.last().second.loads();
    }
    loads.removeDuplicates();
    const Substitution rowName = [&](const QString &name) { return rowValueName(name); };
    if (!elementStores.isEmpty()) {
        m_out.line();
        const auto resultName = [&](const Store &store) {
            return identifierFor(store.value) + QString::number(lanes()) +
                   (loads.contains(store.value) ? QStringLiteral("_result") : QString());
        };
        const auto uses = [&](const QString &name) {
            int count = 0;
            for (const auto &[store, element] : elementStores)
                count += element.uses(name);
            return count;
        };
        const LaneBody body = [&](const Substitution &load, const QString &member) {
            QStringList lines;
            for (const auto &[store, element] : elementStores) {
                const QString value = element.at(load, rowName);
                if (!isVector()) {
                    lines.append(QStringLiteral("%1[%2] = %3;").arg(rowPointer(store.buffer), indexName(), value));
                    continue;
                }
                if (member == u".x") lines.append(QStringLiteral("%1 %2;").arg(vectorType(lanes()), resultName(store)));
                lines.append(QStringLiteral("%1%2 = %3;").arg(resultName(store), member, value));
            }
            return lines;
        };
        const Tail tail = [&] {
            QStringList lines;
            for (const auto &[store, element] : elementStores) {
                if (isVector())
                    lines.append(QStringLiteral("%1[i] = %2;").arg(rowPointer(store.buffer), resultName(store)));
            }
            return lines;
        };
        emitLoop(loads, [&](const QString &name) { return uses(name) > 1; }, body, tail);
    }
    for (const Store &store : m_program.stores) {
        if (!store.perRow) continue;
        ElementFunction value(store.code, QStringLiteral("rowOf") + upperCamel(store.value));
        addFunction(value);
        const QString statement = QStringLiteral("%1[row] = %2;").arg(store.buffer, value.at(identifierFor, rowName));
        const QString who =
            m_schedule.mapping == RowMapping::Warp ? QStringLiteral("lane") : QStringLiteral("threadIdx.x");
        m_out.line();
        if (m_schedule.mapping == RowMapping::Thread)
            m_out.line(statement);
        else
            m_out.block(QStringLiteral("if (%1 == 0)").arg(who), {statement});
    }
}

QString RowKernel::emit(const QString &kernel, const QString &comment)
{
    m_out.line();
    m_out.line(QStringLiteral("// ") + comment);
    QStringList parameters = kernelParameters(m_view, m_use);
    parameters += {QStringLiteral("int rows"), QStringLiteral("int cols")};
    m_out.lines(wrapped(QStringLiteral("__global__ void __launch_bounds__(%1) %2(").arg(threads(), kernel), parameters,
                        QStringLiteral(")")));
    m_out.open();
    emitSetup();
    emitCache();
    if (!m_program.before.isEmpty()) emitRowValues(m_program.before);
    for (qsizetype i = 0; i < m_program.phases.size(); ++i) {
        const RowPhase &phase = m_program.phases.at(i);
        if (phase.startsSoftmax && m_schedule.online) {
            emitOnlineSoftmax(phase, m_program.phases.at(i + 1));
            ++i;
        } else {
            emitPhase(phase);
        }
    }
    emitStores();
    m_out.close();
    return m_out.result();
}

} // namespace kernelskill::expert
