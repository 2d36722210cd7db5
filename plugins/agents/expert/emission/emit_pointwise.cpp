// SPDX-License-Identifier: Apache-2.0
// Pointwise kernels: flat over all elements when no operand needs a row or column; otherwise over columns, with a loop
// over rows, so that no division finds the column and a value of a column is loaded once for many rows.
#include "emission/group_code.h"

namespace kernelskill::expert {

namespace {

class PointwiseEmitter
{
public:
    PointwiseEmitter(const TaskView &view, const Group &group, const PointwiseProgram &program, const GroupNames &names)
        : m_view(view), m_schedule(group.schedule), m_program(program), m_names(names)
    {
        m_use.add(program.loads, program.stores);
        for (const Store &store : program.stores)
            m_elements.append(ElementFunction(store.code, QStringLiteral("elementOf") + upperCamel(store.value)));
    }
    [[nodiscard]] Result<GroupCode> emit();

private:
    [[nodiscard]] QString threads() const { return m_names.constant("kThreads"); }
    [[nodiscard]] QString items() const { return m_names.constant("kItems"); }
    [[nodiscard]] QString flatKernel(const QString &name, int width);
    [[nodiscard]] QString rowKernel(const QString &name, int width);
    [[nodiscard]] QStringList launchLines(const QString &name, int width, const QString &rows, const QString &cols,
                                          const QString &count) const;
    [[nodiscard]] QStringList loads(int width, const QString &place, bool declare, const QString &suffix) const;
    [[nodiscard]] QStringList results(int width, const QString &place, const QString &suffix) const;
    [[nodiscard]] bool isLoaded(const QString &value) const
    {
        return std::ranges::any_of(m_program.loads, [&](const Load &load) { return load.name == value; });
    }
    [[nodiscard]] QString valueName(const Load &load, int width) const
    {
        return identifierFor(load.name) + (width > 1 ? QString::number(width) : QStringLiteral("_value"));
    }
    [[nodiscard]] QString accessed(const QString &buffer, const QString &place, int width, bool isConst) const
    {
        if (width == 1) return QStringLiteral("%1[%2]").arg(buffer, place);
        return QStringLiteral("*reinterpret_cast<%1%2 *>(%3 + %4)")
            .arg(isConst ? QStringLiteral("const ") : QString(), vectorType(width), buffer, place);
    }
    void emitItems(CodeWriter &out, int width, const std::function<void(CodeWriter &)> &position, const QString &guard,
                   const QString &place);

    const TaskView &m_view;
    const Schedule &m_schedule;
    const PointwiseProgram &m_program;
    const GroupNames &m_names;
    BufferUse m_use;
    QList<ElementFunction> m_elements;
};

// Statements that fetch every Element operand at `place` into a local, or into element j of an array declared before.
QStringList PointwiseEmitter::loads(int width, const QString &place, bool declare, const QString &suffix) const
{
    QStringList lines;
    for (const Load &load : m_program.loads) {
        if (load.kind != LoadKind::Element) continue;
        const QString type = declare ? QStringLiteral("const %1 ").arg(vectorType(width)) : QString();
        lines.append(QStringLiteral("%1%2%3 = %4;")
                         .arg(type, valueName(load, width), suffix, accessed(load.buffer, place, width, true)));
    }
    return lines;
}

QStringList PointwiseEmitter::results(int width, const QString &place, const QString &suffix) const
{
    QStringList lines;
    for (qsizetype k = 0; k < m_elements.size(); ++k) {
        const Store &store = m_program.stores.at(k);
        const auto value = [&](const QString &lane) {
            return m_elements.at(k).at([&](const QString &name) {
                for (const Load &load : m_program.loads) {
                    if (load.name != name) continue;
                    if (load.kind == LoadKind::Uniform) return identifierFor(name) + QStringLiteral("_value");
                    if (load.kind == LoadKind::PerRow) return identifierFor(name) + QStringLiteral("_value");
                    return valueName(load, width) + (load.kind == LoadKind::Element ? suffix : QString()) + lane;
                }
                return name;
            });
        };
        if (width == 1) {
            lines.append(QStringLiteral("%1 = %2;").arg(accessed(store.buffer, place, 1, false), value({})));
            continue;
        }
        const QString result = identifierFor(store.value) + QString::number(width) +
                               (isLoaded(store.value) ? QStringLiteral("_result") : QString());
        lines.append(QStringLiteral("%1 %2;").arg(vectorType(width), result));
        for (const QString &lane : lanesOf(width))
            lines.append(QStringLiteral("%1.%2 = %3;").arg(result, lane, value(u'.' + lane)));
        lines.append(QStringLiteral("%1 = %2;").arg(accessed(store.buffer, place, width, false), result));
    }
    return lines;
}

// The body for all items of a thread. `position` declares what `guard` and `place` use, from j.
void PointwiseEmitter::emitItems(CodeWriter &out, int width, const std::function<void(CodeWriter &)> &position,
                                 const QString &guard, const QString &place)
{
    const QString head = QStringLiteral("for (int j = 0; j < %1; ++j)").arg(items());
    const auto rowLoads = [&] {
        QStringList lines;
        for (const Load &load : m_program.loads) {
            if (load.kind == LoadKind::PerRow)
                lines.append(
                    QStringLiteral("const float %1_value = %2[row];").arg(identifierFor(load.name), load.buffer));
        }
        return lines;
    };
    if (!m_schedule.batchedLoads) {
        out.line(QStringLiteral("#pragma unroll"));
        out.open(head);
        position(out);
        out.open(QStringLiteral("if (%1)").arg(guard));
        out.lines(rowLoads() + loads(width, place, true, {}) + results(width, place, {}));
        out.close();
        out.close();
        return;
    }
    out.line(QStringLiteral(
        "// All loads first: they are in flight together instead of waiting for one another's results."));
    for (const Load &load : m_program.loads) {
        if (load.kind == LoadKind::Element)
            out.line(QStringLiteral("%1 %2[%3];").arg(vectorType(width), valueName(load, width), items()));
    }
    out.line(QStringLiteral("#pragma unroll"));
    out.open(head);
    position(out);
    out.block(QStringLiteral("if (%1)").arg(guard), loads(width, place, false, QStringLiteral("[j]")));
    out.close();
    out.line(QStringLiteral("#pragma unroll"));
    out.open(head);
    position(out);
    out.open(QStringLiteral("if (%1)").arg(guard));
    out.lines(rowLoads() + results(width, place, QStringLiteral("[j]")));
    out.close();
    out.close();
}

QString PointwiseEmitter::flatKernel(const QString &name, int width)
{
    CodeWriter out;
    out.line();
    out.line(width > 1 ? QStringLiteral(
                             "// %1 neighbouring elements in one access; the first block also takes what is left over.")
                             .arg(width)
                       : QStringLiteral("// One element at a time."));
    QStringList parameters = kernelParameters(m_view, m_use);
    parameters.append(QStringLiteral("size_t count"));
    out.lines(wrapped(QStringLiteral("__global__ void __launch_bounds__(%1) %2(").arg(threads(), name), parameters,
                      QStringLiteral(")")));
    out.open();
    for (const Load &load : m_program.loads) {
        if (load.kind == LoadKind::Uniform)
            out.line(QStringLiteral("const float %1_value = %2[0];").arg(identifierFor(load.name), load.buffer));
    }
    const QString scale = width > 1 ? QStringLiteral(" * %1").arg(width) : QString();
    const bool many = m_schedule.itemsPerThread > 1;
    const QString guard = width > 1 ? QStringLiteral("i + %1 < count").arg(width - 1) : QStringLiteral("i < count");
    if (many) {
        out.line(
            QStringLiteral("const size_t first = blockIdx.x * size_t(%1) * %2 + threadIdx.x;").arg(threads(), items()));
        emitItems(
            out, width,
            [&](CodeWriter &w) {
                w.line(width > 1 ? QStringLiteral("const size_t i = (first + j * %1)%2;").arg(threads(), scale)
                                 : QStringLiteral("const size_t i = first + j * %1;").arg(threads()));
            },
            guard, QStringLiteral("i"));
    } else {
        const QString index = QStringLiteral("blockIdx.x * size_t(%1) + threadIdx.x").arg(threads());
        out.line(
            QStringLiteral("const size_t i = %1;").arg(width > 1 ? QStringLiteral("(%1)%2").arg(index, scale) : index));
        out.open(QStringLiteral("if (%1)").arg(guard));
        out.lines(loads(width, QStringLiteral("i"), true, {}) + results(width, QStringLiteral("i"), {}));
        out.close();
    }
    if (width > 1) {
        out.line();
        out.line(QStringLiteral("// Up to %1 elements at the end make no whole vector.").arg(width - 1));
        out.line(QStringLiteral("const size_t rest = count / %1 * %1 + threadIdx.x;").arg(width));
        out.open(QStringLiteral("if (blockIdx.x == 0 && rest < count)"));
        out.lines(loads(1, QStringLiteral("rest"), true, {}) + results(1, QStringLiteral("rest"), {}));
        out.close();
    }
    out.close();
    return out.result();
}

QString PointwiseEmitter::rowKernel(const QString &name, int width)
{
    CodeWriter out;
    out.line();
    out.line(width > 1
                 ? QStringLiteral(
                       "// A thread keeps to %1 neighbouring columns and goes down the rows. cols is a multiple of %1.")
                       .arg(width)
                 : QStringLiteral("// A thread keeps to one column and goes down the rows."));
    QStringList parameters = kernelParameters(m_view, m_use);
    parameters += {QStringLiteral("int rows"), QStringLiteral("int cols")};
    out.lines(wrapped(QStringLiteral("__global__ void __launch_bounds__(%1) %2(").arg(threads(), name), parameters,
                      QStringLiteral(")")));
    out.open();
    const QString index = QStringLiteral("blockIdx.x * %1 + threadIdx.x").arg(threads());
    out.line(QStringLiteral("const int col = %1;")
                 .arg(width > 1 ? QStringLiteral("(%1) * %2").arg(index).arg(width) : index));
    out.text(QStringLiteral("if (col >= cols)\n    return;"));
    for (const Load &load : m_program.loads) {
        if (load.kind == LoadKind::Uniform)
            out.line(QStringLiteral("const float %1_value = %2[0];").arg(identifierFor(load.name), load.buffer));
        if (load.kind == LoadKind::PerColumn)
            out.line(QStringLiteral("const %1 %2 = %3;")
                         .arg(vectorType(width), valueName(load, width),
                              accessed(load.buffer, QStringLiteral("col"), width, true)));
    }
    if (m_schedule.itemsPerThread > 1) {
        out.open(QStringLiteral("for (int first = blockIdx.y; first < rows; first += gridDim.y * %1)").arg(items()));
        emitItems(
            out, width,
            [](CodeWriter &w) {
                w.line(QStringLiteral("const int row = first + j * gridDim.y;"));
                w.line(QStringLiteral("const size_t i = size_t(row) * cols + col;"));
            },
            QStringLiteral("row < rows"), QStringLiteral("i"));
        out.close();
    } else {
        out.open(QStringLiteral("for (int row = blockIdx.y; row < rows; row += gridDim.y)"));
        out.line(QStringLiteral("const size_t i = size_t(row) * cols + col;"));
        for (const Load &load : m_program.loads) {
            if (load.kind == LoadKind::PerRow)
                out.line(QStringLiteral("const float %1_value = %2[row];").arg(identifierFor(load.name), load.buffer));
        }
        out.lines(loads(width, QStringLiteral("i"), true, {}) + results(width, QStringLiteral("i"), {}));
        out.close();
    }
    out.close();
    return out.result();
}

Result<GroupCode> PointwiseEmitter::emit()
{
    GroupCode code;
    const int width = m_schedule.vectorWidth;
    code.constants =
        QStringLiteral("constexpr int %1 = %2; // threads of a block\n").arg(threads()).arg(m_schedule.threads);
    if (m_schedule.itemsPerThread > 1) {
        code.constants += QStringLiteral("constexpr int %1 = %2; // %3 a thread works on\n")
                              .arg(items())
                              .arg(m_schedule.itemsPerThread)
                              .arg(!m_program.isFlat ? QStringLiteral("rows")
                                   : width > 1       ? QStringLiteral("vectors")
                                                     : QStringLiteral("elements"));
    }
    for (const ElementFunction &element : m_elements)
        code.kernels += element.definition().isEmpty() ? QString() : u'\n' + element.definition();
    auto rows = m_view.extentCode(m_program.space.outer);
    auto cols = m_view.extentCode(m_program.space.inner);
    auto count = countCode(m_view, m_program.space.outer + m_program.space.inner);
    for (const auto *each : {&rows, &cols, &count}) {
        if (!*each) return std::unexpected(each->error());
    }
    const auto kernel = [&](const QString &name, int lanes) {
        return m_program.isFlat ? flatKernel(name, lanes) : rowKernel(name, lanes);
    };
    const QString fallback = m_names.kernel + QStringLiteral("AnySize");
    code.kernels += kernel(m_names.kernel, width);
    if (width > 1) code.kernels += kernel(fallback, 1);

    CodeWriter solve;
    const auto launch = [&](const QString &name, int lanes) {
        solve.lines(launchLines(name, lanes, *rows, *cols, *count));
    };
    if (width == 1) {
        launch(m_names.kernel, 1);
    } else {
        code.helpers.append(QStringLiteral("areAligned"));
        QStringList conditions, aligned;
        if (!m_program.isFlat) conditions.append(QStringLiteral("%1 % %2 == 0").arg(*cols).arg(width));
        for (const QString &buffer : usedBuffers(m_view, m_use)) {
            const bool isVector = std::ranges::any_of(m_program.loads, [&](const Load &load) {
                return load.buffer == buffer && (load.kind == LoadKind::Element || load.kind == LoadKind::PerColumn);
            });
            if (isVector || m_use.written.contains(buffer)) aligned.append(buffer);
        }
        conditions.append(QStringLiteral("areAligned(%1)").arg(aligned.join(QStringLiteral(", "))));
        solve.open(QStringLiteral("if (%1)").arg(conditions.join(QStringLiteral(" && "))));
        launch(m_names.kernel, width);
        solve.close(QStringLiteral(" else {"));
        solve.indent();
        launch(fallback, 1);
        solve.close();
    }
    code.launch = solve.result();
    return code;
}

QStringList PointwiseEmitter::launchLines(const QString &name, int width, const QString &rows, const QString &cols,
                                          const QString &count) const
{
    const QString perBlock = threads() + (width > 1 ? QStringLiteral(" * %1").arg(width) : QString());
    const bool many = m_schedule.itemsPerThread > 1;
    QStringList arguments = kernelArguments(m_view, m_use);
    if (m_program.isFlat) {
        const QString work = many ? perBlock + QStringLiteral(" * ") + items() : perBlock;
        arguments.append(QStringLiteral("count"));
        return {QStringLiteral("const size_t count = %1;").arg(count),
                QStringLiteral("const unsigned blocks = unsigned((count + %1 - 1) / (%1));").arg(work),
                QStringLiteral("%1<<<blocks, %2, 0, stream>>>(%3);")
                    .arg(name, threads(), arguments.join(QStringLiteral(", ")))};
    }
    arguments += {rows, cols};
    const QString rowBlocks = many ? QStringLiteral("(%1 + %2 - 1) / %2").arg(rows, items()) : rows;
    return {QStringLiteral("const int rowBlocks = %1;").arg(rowBlocks),
            QStringLiteral("const dim3 blocks((%1 + %2 - 1) / (%2), rowBlocks < 65535 ? rowBlocks : 65535);")
                .arg(cols, perBlock),
            QStringLiteral("%1<<<blocks, %2, 0, stream>>>(%3);")
                .arg(name, threads(), arguments.join(QStringLiteral(", ")))};
}

} // namespace

Result<GroupCode> emitPointwise(const TaskView &view, const Group &group, const GroupNames &names)
{
    auto program = buildPointwise(view, group);
    if (!program) return std::unexpected(program.error());
    return PointwiseEmitter(view, group, *program, names).emit();
}

} // namespace kernelskill::expert
