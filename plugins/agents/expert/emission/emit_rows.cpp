// SPDX-License-Identifier: Apache-2.0
// Kernels that work along rows. One emitter for all mappings: they differ in where a thread starts, how far it steps and
// who combines the partial results.
#include "emission/group_code.h"

namespace kernelskill::expert {

namespace {

class RowKernel
{
public:
    RowKernel(const TaskView &view, const Group &group, const RowProgram &program, const GroupNames &names, const Schedule &schedule)
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

    [[nodiscard]] bool isVector() const { return m_schedule.vectorWidth > 1; }
    [[nodiscard]] QString threads() const { return m_names.constant("kThreads"); }
    [[nodiscard]] QString limit() const { return isVector() ? QStringLiteral("vectors") : QStringLiteral("cols"); }
    [[nodiscard]] QString indexName() const { return isVector() || m_schedule.cachedVectors > 0 ? QStringLiteral("i") : QStringLiteral("col"); }
    [[nodiscard]] QString start() const;
    [[nodiscard]] QString step() const;
    [[nodiscard]] const Load &loadOf(const QString &name) const;
    [[nodiscard]] bool isCached(const QString &name) const;
    [[nodiscard]] QString place(const QString &name) const; // memory of a load at the loop index
    [[nodiscard]] QString cacheName(const QString &load) const { return identifierFor(load) + QStringLiteral("_cache"); }

    // A buffer of one value a column, as the loop indexes it.
    [[nodiscard]] QString columnPointer(const QString &buffer) const { return isVector() ? buffer + QStringLiteral("_vectors") : buffer; }

    void emitSetup();
    void emitCache();
    void emitLoop(const QStringList &loads, const std::function<bool(const QString &)> &needsLocal, const LaneBody &body, const QStringList &tail = {});
    void emitPhase(const RowPhase &phase);
    void emitOnlineSoftmax(const RowPhase &maximum, const RowPhase &total);
    [[nodiscard]] QString combined(const QString &value, RowPhase::Kind kind);
    void emitRowValues(const QList<RowValue> &values);
    void emitStores();
    [[nodiscard]] QString loopHead() const;
    void addFunction(const ElementFunction &element)
    {
        if (!element.definition().isEmpty())
            m_functions += u'\n' + element.definition();
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
};

QString kindName(RowPhase::Kind kind)
{
    switch (kind) {
    case RowPhase::Kind::Sum: return QStringLiteral("Sum");
    case RowPhase::Kind::Maximum: return QStringLiteral("Maximum");
    case RowPhase::Kind::Minimum: return QStringLiteral("Minimum");
    }
    return {};
}

QString accumulated(RowPhase::Kind kind, const QString &total, const QString &value)
{
    switch (kind) {
    case RowPhase::Kind::Sum: return QStringLiteral("%1 += %2;").arg(total, value);
    case RowPhase::Kind::Maximum: return QStringLiteral("%1 = fmaxf(%1, %2);").arg(total, value);
    case RowPhase::Kind::Minimum: return QStringLiteral("%1 = fminf(%1, %2);").arg(total, value);
    }
    return {};
}

QString neutral(RowPhase::Kind kind)
{
    switch (kind) {
    case RowPhase::Kind::Sum: return QStringLiteral("0.0f");
    case RowPhase::Kind::Maximum: return QStringLiteral("-INFINITY");
    case RowPhase::Kind::Minimum: return QStringLiteral("INFINITY");
    }
    return {};
}

QString RowKernel::start() const
{
    switch (m_schedule.mapping) {
    case RowMapping::Thread: return QStringLiteral("0");
    case RowMapping::Warp: return QStringLiteral("lane");
    case RowMapping::Block: return QStringLiteral("threadIdx.x");
    }
    return {};
}

QString RowKernel::step() const
{
    switch (m_schedule.mapping) {
    case RowMapping::Thread: return QStringLiteral("1");
    case RowMapping::Warp: return QStringLiteral("32");
    case RowMapping::Block: return threads();
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
    return QStringLiteral("%1[%2]").arg(load.kind == LoadKind::Element ? load.buffer + QStringLiteral("_row") : columnPointer(load.buffer), indexName());
}

QString RowKernel::loopHead() const
{
    const QString index = indexName();
    const QString advance = step() == u"1" ? QStringLiteral("++%1").arg(index) : QStringLiteral("%1 += %2").arg(index, step());
    return QStringLiteral("for (int %1 = %2; %1 < %3; %4)").arg(index, start(), limit(), advance);
}

void RowKernel::emitSetup()
{
    const Schedule &s = m_schedule;
    switch (s.mapping) {
    case RowMapping::Thread:
        m_out.text(QStringLiteral("const int row = blockIdx.x * @threads@ + threadIdx.x;\nif (row >= rows)\n    return;"),
                   {{QStringLiteral("threads"), threads()}});
        break;
    case RowMapping::Warp:
        m_out.text(QStringLiteral("const int row = blockIdx.x * (@threads@ / 32) + threadIdx.x / 32;\n"
                                  "const int lane = threadIdx.x % 32;\nif (row >= rows)\n    return; // the whole warp leaves together"),
                   {{QStringLiteral("threads"), threads()}});
        break;
    case RowMapping::Block:
        if (!m_program.phases.isEmpty()) {
            m_out.line(QStringLiteral("__shared__ float scratch[%1%2];").arg(threads(), s.shuffle ? QStringLiteral(" / 32") : QString()));
        }
        m_out.line(QStringLiteral("const int row = blockIdx.x;"));
        break;
    }
    const QString type = vectorType(s.vectorWidth);
    for (const QString &buffer : usedBuffers(m_view, m_use)) {
        QString offset;
        bool perColumn = false, wanted = false;
        for (const Load &load : m_program.loads) {
            if (load.buffer == buffer && (load.kind == LoadKind::Element || load.kind == LoadKind::PerColumn)) {
                wanted = true;
                perColumn = load.kind == LoadKind::PerColumn;
            }
        }
        for (const Store &store : m_program.stores)
            wanted = wanted || (store.buffer == buffer && !store.perRow);
        if (!wanted || (perColumn && !isVector()))
            continue;
        const QString constness = m_use.written.contains(buffer) ? QString() : QStringLiteral("const ");
        const QString address = perColumn ? buffer : QStringLiteral("%1 + size_t(row) * cols").arg(buffer);
        const QString value = isVector() ? QStringLiteral("reinterpret_cast<%1%2 *>(%3)").arg(constness, type, address) : address;
        const QString name = perColumn ? columnPointer(buffer) : buffer + QStringLiteral("_row");
        m_out.line(QStringLiteral("%1%2 *%3 = %4;").arg(constness, type, name, value));
    }
    if (isVector())
        m_out.line(QStringLiteral("const int vectors = cols / %1;").arg(s.vectorWidth));
}

void RowKernel::emitCache()
{
    if (m_schedule.cachedVectors == 0)
        return;
    const QString vectors = m_names.constant("kVectors");
    m_out.line();
    m_out.line(QStringLiteral("// The row stays in registers: its loads are all in flight together, and memory is read once."));
    QStringList body;
    for (const Load &load : m_program.loads) {
        if (load.kind != LoadKind::Element)
            continue;
        m_out.line(QStringLiteral("%1 %2[%3];").arg(vectorType(m_schedule.vectorWidth), cacheName(load.name), vectors));
        body.append(QStringLiteral("%1[j] = %2;").arg(cacheName(load.name), place(load.name)));
    }
    m_out.line(QStringLiteral("#pragma unroll"));
    m_out.open(QStringLiteral("for (int j = 0; j < %1; ++j)").arg(vectors));
    m_out.line(QStringLiteral("const int i = %1 + j * %2;").arg(start(), step()));
    m_out.block(QStringLiteral("if (i < %1)").arg(limit()), body);
    m_out.close();
}

// One pass over the row. `body` gives the statements for one lane of a vector; `tail` follows once a vector.
void RowKernel::emitLoop(const QStringList &loads, const std::function<bool(const QString &)> &needsLocal, const LaneBody &body,
                         const QStringList &tail)
{
    QStringList statements;
    const auto localName = [&](const QString &name) {
        return identifierFor(name) + (isVector() ? QString::number(m_schedule.vectorWidth) : QStringLiteral("_value"));
    };
    bool needsIndex = !tail.isEmpty() && tail.join(u' ').contains(QStringLiteral("[i]"));
    for (const QString &name : loads) {
        const LoadKind kind = loadOf(name).kind;
        if (kind == LoadKind::PerRow || kind == LoadKind::Uniform || isCached(name))
            continue;
        needsIndex = true;
        if (isVector() || needsLocal(name))
            statements.append(QStringLiteral("const %1 %2 = %3;").arg(vectorType(m_schedule.vectorWidth), localName(name), place(name)));
    }
    for (const QString &lane : lanesOf(m_schedule.vectorWidth)) {
        const QString member = lane.isEmpty() ? QString() : u'.' + lane;
        const Substitution load = [&](const QString &name) {
            if (isCached(name))
                return cacheName(name) + QStringLiteral("[j]") + member;
            return isVector() || needsLocal(name) ? localName(name) + member : place(name);
        };
        statements += body(load, member);
    }
    statements += tail;
    if (m_schedule.cachedVectors == 0) {
        if (m_schedule.itemsPerThread > 1)
            m_out.line(QStringLiteral("#pragma unroll %1").arg(m_schedule.itemsPerThread));
        m_out.block(loopHead(), statements);
        return;
    }
    m_out.line(QStringLiteral("#pragma unroll"));
    m_out.open(QStringLiteral("for (int j = 0; j < %1; ++j)").arg(m_names.constant("kVectors")));
    const QString position = QStringLiteral("%1 + j * %2").arg(start(), step());
    const bool named = needsIndex || statements.join(u' ').contains(QStringLiteral("[i]"));
    if (named)
        m_out.line(QStringLiteral("const int i = %1;").arg(position));
    m_out.block(QStringLiteral("if (%1 < %2)").arg(named ? QStringLiteral("i") : position, limit()), statements);
    m_out.close();
}

// The partial results of all threads of a row as one.
QString RowKernel::combined(const QString &value, RowPhase::Kind kind)
{
    const QString name = kindName(kind);
    switch (m_schedule.mapping) {
    case RowMapping::Thread: break;
    case RowMapping::Warp:
        m_helpers.append(QStringLiteral("warp") + name);
        return QStringLiteral("warp%1(%2)").arg(name, value);
    case RowMapping::Block:
        m_helpers.append(QStringLiteral("block%1%2").arg(name, m_schedule.shuffle ? QStringLiteral("Shuffled") : QString()));
        return QStringLiteral("block%1<%2>(%3, scratch)").arg(name, threads(), value);
    }
    return value;
}

void RowKernel::emitRowValues(const QList<RowValue> &values)
{
    for (const RowValue &value : values) {
        const Substitution load = [&](const QString &name) {
            return QStringLiteral("%1[%2]").arg(loadOf(name).buffer, loadOf(name).kind == LoadKind::PerRow ? QStringLiteral("row") : QStringLiteral("0"));
        };
        // A buffer of the same name keeps its name: the value gets another.
        m_out.line(QStringLiteral("const float %1 = %2;").arg(identifierFor(value.name) + (m_view.task().parameter(value.name) ? QStringLiteral("_value") : QString()),
                                                             substituted(value.code.text, load, identifierFor)));
    }
}

void RowKernel::emitPhase(const RowPhase &phase)
{
    const QString variable = identifierFor(phase.name);
    ElementFunction element(phase.element, QStringLiteral("elementFor") + upperCamel(phase.name));
    addFunction(element);
    m_out.line();
    m_out.line(QStringLiteral("// ") + phase.comment + (phase.keep.isEmpty() ? QString() : QStringLiteral(" They replace the row in its registers: the result needs them again.")));
    m_out.line(QStringLiteral("float %1 = %2;").arg(variable, neutral(phase.kind)));
    const auto rowName = [&](const QString &name) {
        return identifierFor(name) + (m_view.task().parameter(name) && name != u"cols" ? QStringLiteral("_value") : QString());
    };
    emitLoop(element.loads(), [&](const QString &name) { return element.uses(name) > 1; },
             [&](const Substitution &load, const QString &) -> QStringList {
                 const QString value = element.at(load, rowName);
                 if (phase.keep.isEmpty())
                     return {accumulated(phase.kind, variable, value)};
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
    const QString largest = identifierFor(maximum.name), sum = identifierFor(total.name);
    m_out.line();
    m_out.line(QStringLiteral("// Maximum and sum of exponentials in one pass: when a larger element turns up, the sum so far is rescaled."));
    m_out.line(QStringLiteral("float thread_largest = -FLT_MAX;"));
    m_out.line(QStringLiteral("float %1 = 0.0f;").arg(sum));
    const bool cachedOrVector = isVector();
    QStringList values;
    emitLoop(element.loads(), [&](const QString &name) { return element.uses(name) > 0; },
             [&](const Substitution &load, const QString &) -> QStringList {
                 QStringList named;
                 values.append(element.at(load));
                 if (!element.definition().isEmpty()) { // computed once, used twice
                     const QString name = QStringLiteral("element") + QString::number(values.size());
                     named.append(QStringLiteral("const float %1 = %2;").arg(name, values.last()));
                     values.last() = name;
                 }
                 if (cachedOrVector && values.size() < m_schedule.vectorWidth)
                     return named;
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
    m_out.line(QStringLiteral("const float %1 = %2;").arg(largest, combined(QStringLiteral("thread_largest"), RowPhase::Kind::Maximum)));
    if (m_schedule.mapping != RowMapping::Thread)
        m_out.line(QStringLiteral("%1 = %2;").arg(sum, combined(QStringLiteral("%1 * expf(thread_largest - %2)").arg(sum, largest), RowPhase::Kind::Sum)));
    emitRowValues(maximum.after);
    emitRowValues(total.after);
}

void RowKernel::emitStores()
{
    QStringList loads, tail;
    QList<std::pair<Store, ElementFunction>> elementStores;
    for (const Store &store : m_program.stores) {
        if (store.perRow)
            continue;
        elementStores.append({store, ElementFunction(store.code, QStringLiteral("elementOf") + upperCamel(store.value))});
        addFunction(elementStores.last().second);
        loads += elementStores.last().second.loads();
    }
    loads.removeDuplicates();
    const auto rowName = [&](const QString &name) {
        return identifierFor(name) + (m_view.task().parameter(name) && name != u"cols" ? QStringLiteral("_value") : QString());
    };
    if (!elementStores.isEmpty()) {
        m_out.line();
        const auto resultName = [&](const Store &store) { return identifierFor(store.value) + (isVector() ? QString::number(m_schedule.vectorWidth) + (loads.contains(store.value) ? QStringLiteral("_result") : QString()) : QString()); };
        bool first = true;
        for (const auto &[store, element] : elementStores) {
            if (isVector())
                tail.append(QStringLiteral("%1_row[i] = %2;").arg(store.buffer, resultName(store)));
        }
        emitLoop(loads,
                 [&](const QString &name) {
                     int uses = 0;
                     for (const auto &[store, element] : elementStores)
                         uses += element.uses(name);
                     return uses > 1;
                 },
                 [&](const Substitution &load, const QString &member) -> QStringList {
                     QStringList lines;
                     for (const auto &[store, element] : elementStores) {
                         const QString value = element.at(load, rowName);
                         if (!isVector()) {
                             lines.append(QStringLiteral("%1_row[%2] = %3;").arg(store.buffer, indexName(), value));
                             continue;
                         }
                         if (first)
                             lines.append(QStringLiteral("%1 %2;").arg(vectorType(m_schedule.vectorWidth), resultName(store)));
                         lines.append(QStringLiteral("%1%2 = %3;").arg(resultName(store), member, value));
                     }
                     first = false;
                     return lines;
                 },
                 tail);
    }
    for (const Store &store : m_program.stores) {
        if (!store.perRow)
            continue;
        ElementFunction value(store.code, QStringLiteral("rowOf") + upperCamel(store.value));
        addFunction(value);
        const QString statement = QStringLiteral("%1[row] = %2;").arg(store.buffer, value.at(identifierFor, [&](const QString &name) { return identifierFor(name) + (m_view.task().parameter(name) && name != store.value ? QStringLiteral("_value") : name == store.value ? QStringLiteral("_value") : QString()); }));
        const QString who = m_schedule.mapping == RowMapping::Warp ? QStringLiteral("lane") : QStringLiteral("threadIdx.x");
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
    m_out.lines(wrapped(QStringLiteral("__global__ void __launch_bounds__(%1) %2(").arg(threads(), kernel), parameters, QStringLiteral(")")));
    m_out.open();
    emitSetup();
    emitCache();
    if (!m_program.before.isEmpty())
        emitRowValues(m_program.before);
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

QString mappingWords(RowMapping mapping)
{
    switch (mapping) {
    case RowMapping::Thread: return QStringLiteral("One thread a row");
    case RowMapping::Warp: return QStringLiteral("One warp a row");
    case RowMapping::Block: return QStringLiteral("One block a row");
    }
    return {};
}

} // namespace

Result<GroupCode> emitRows(const TaskView &view, const Group &group, const GroupNames &names)
{
    auto program = buildRows(view, group);
    auto rows = view.extentCode(program ? program->space.outer : QStringList{});
    auto cols = view.extentCode(program ? program->space.inner : QStringList{});
    if (!program)
        return std::unexpected(program.error());
    if (!rows)
        return std::unexpected(rows.error());
    if (!cols)
        return std::unexpected(cols.error());
    const Schedule &schedule = group.schedule;
    const bool special = schedule.vectorWidth > 1 || schedule.cachedVectors > 0;
    const int width = schedule.vectorWidth;

    GroupCode code;
    const QString threads = names.constant("kThreads"), vectors = names.constant("kVectors");
    code.constants = QStringLiteral("constexpr int %1 = %2; // threads of a block\n").arg(threads).arg(schedule.threads);
    if (schedule.cachedVectors > 0) {
        code.constants += QStringLiteral("constexpr int %1 = %2; // %3 of a row that a thread keeps in registers\n")
                              .arg(vectors)
                              .arg(schedule.cachedVectors)
                              .arg(width > 1 ? QStringLiteral("groups of %1 elements").arg(width) : QStringLiteral("elements"));
    }
    QString comment = mappingWords(schedule.mapping) + u'.';
    if (width > 1)
        comment += QStringLiteral(" Rows must start on a %1-byte boundary: cols is a multiple of %2.").arg(width * 4).arg(width);
    RowKernel main(view, group, *program, names, schedule);
    QString kernels = main.emit(names.kernel, comment);
    code.helpers = main.helpers();
    QString functions = main.functions();

    const QString blocks = schedule.mapping == RowMapping::Block
                               ? *rows
                               : schedule.mapping == RowMapping::Thread
                                     ? QStringLiteral("(%1 + %2 - 1) / %2").arg(*rows, threads)
                                     : QStringLiteral("(%1 + %2 / 32 - 1) / (%2 / 32)").arg(*rows, threads);
    const QString arguments = (kernelArguments(view, main.use()) + QStringList{*rows, *cols}).join(QStringLiteral(", "));
    const auto launch = [&](const QString &kernel) {
        return QStringLiteral("%1<<<%2, %3, 0, stream>>>(%4);").arg(kernel, blocks, threads, arguments);
    };
    CodeWriter solve;
    if (special) {
        Schedule plain = schedule;
        plain.vectorWidth = 1;
        plain.cachedVectors = 0;
        plain.keepExponentials = false;
        Group fallbackGroup = group;
        fallbackGroup.schedule = plain;
        auto fallbackProgram = buildRows(view, fallbackGroup);
        if (!fallbackProgram)
            return std::unexpected(fallbackProgram.error());
        RowKernel fallback(view, group, *fallbackProgram, names, plain);
        const QString name = names.kernel + QStringLiteral("AnySize");
        kernels += fallback.emit(name, mappingWords(schedule.mapping) + QStringLiteral(", any number of columns."));
        for (const QString &definition : {fallback.functions()}) {
            if (!functions.contains(definition))
                functions += definition;
        }
        code.helpers += fallback.helpers();
        QStringList conditions;
        if (width > 1) {
            conditions.append(QStringLiteral("%1 % %2 == 0").arg(*cols).arg(width));
            conditions.append(QStringLiteral("areAligned(%1)").arg(usedBuffers(view, main.use()).join(QStringLiteral(", "))));
            code.helpers.append(QStringLiteral("areAligned"));
        }
        if (schedule.cachedVectors > 0) {
            const QString lanes = schedule.mapping == RowMapping::Block ? threads : schedule.mapping == RowMapping::Warp ? QStringLiteral("32") : QStringLiteral("1");
            conditions.append(QStringLiteral("%1 <= %2 * %3%4").arg(*cols, lanes, vectors, width > 1 ? QStringLiteral(" * %1").arg(width) : QString()));
        }
        solve.line(QStringLiteral("if (%1)").arg(conditions.join(QStringLiteral(" && "))));
        solve.indent();
        solve.line(launch(names.kernel));
        solve.outdent();
        solve.line(QStringLiteral("else"));
        solve.indent();
        solve.line(launch(name));
        solve.outdent();
    } else {
        solve.line(launch(names.kernel));
    }
    code.kernels = functions + kernels;
    code.launch = solve.result();
    return code;
}

} // namespace kernelskill::expert
