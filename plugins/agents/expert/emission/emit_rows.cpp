// SPDX-License-Identifier: Apache-2.0
// Groups that work along rows: the kernel the schedule asks for, a plain one for sizes it does not fit, and the choice
// between them.
#include "emission/row_kernel.h"

namespace kernelskill::expert {

namespace {

QString mappingWords(RowMapping mapping)
{
    switch (mapping) {
    case RowMapping::Thread:
        return QStringLiteral("One thread a row");
    case RowMapping::Warp:
        return QStringLiteral("One warp a row");
    case RowMapping::Block:
        return QStringLiteral("One block a row");
    }
    return {};
}

} // namespace

Result<GroupCode> emitRows(const TaskView &view, const Group &group, const GroupNames &names)
{
    auto program = buildRows(view, group);
    auto rows = view.extentCode(program ? program->space.outer : QStringList{});
    auto cols = view.extentCode(program ? program->space.inner : QStringList{});
    if (!program) return std::unexpected(program.error());
    if (!rows) return std::unexpected(rows.error());
    if (!cols) return std::unexpected(cols.error());
    const Schedule &schedule = group.schedule;
    const bool special = schedule.vectorWidth > 1 || schedule.cachedVectors > 0;
    const int width = schedule.vectorWidth;

    GroupCode code;
    const QString threads = names.constant("kThreads"), vectors = names.constant("kVectors");
    code.constants =
        QStringLiteral("constexpr int %1 = %2; // threads of a block\n").arg(threads).arg(schedule.threads);
    if (schedule.cachedVectors > 0) {
        code.constants +=
            QStringLiteral("constexpr int %1 = %2; // %3 of a row that a thread keeps in registers\n")
                .arg(vectors)
                .arg(schedule.cachedVectors)
                .arg(width > 1 ? QStringLiteral("groups of %1 elements").arg(width) : QStringLiteral("elements"));
    }
    QString comment = mappingWords(schedule.mapping) + u'.';
    if (schedule.peeled)
        comment += QStringLiteral(" Whole vectors where the row allows it, its two ends apart.");
    else if (width > 1)
        comment += QStringLiteral(" Rows must start on a %1-byte boundary: cols is a multiple of %2.")
                       .arg(width * 4)
                       .arg(width);
    RowKernel main(view, group, *program, names, schedule);
    QString kernels = main.emit(names.kernel, comment);
    code.helpers = main.helpers();
    QString functions = main.functions();

    const QString blocks = schedule.mapping == RowMapping::Block ? *rows
                           : schedule.mapping == RowMapping::Thread
                               ? QStringLiteral("(%1 + %2 - 1) / %2").arg(*rows, threads)
                               : QStringLiteral("(%1 + %2 / 32 - 1) / (%2 / 32)").arg(*rows, threads);
    const QString arguments =
        (kernelArguments(view, main.use()) + QStringList{*rows, *cols}).join(QStringLiteral(", "));
    const auto launch = [&](const QString &kernel) {
        return QStringLiteral("%1<<<%2, %3, 0, stream>>>(%4);").arg(kernel, blocks, threads, arguments);
    };
    CodeWriter solve;
    if (special) {
        Schedule plain = schedule;
        plain.vectorWidth = 1;
        plain.cachedVectors = 0;
        plain.keepExponentials = false;
        plain.peeled = false;
        Group fallbackGroup = group;
        fallbackGroup.schedule = plain;
        auto fallbackProgram = buildRows(view, fallbackGroup);
        if (!fallbackProgram) return std::unexpected(fallbackProgram.error());
        RowKernel fallback(view, group, *fallbackProgram, names, plain);
        const QString name = names.kernel + QStringLiteral("AnySize");
        kernels += fallback.emit(name, mappingWords(schedule.mapping) + QStringLiteral(", any number of columns."));
        for (const QString &definition : {fallback.functions()}) {
            if (!functions.contains(definition)) functions += definition;
        }
        code.helpers += fallback.helpers();
        QStringList conditions;
        if (width > 1) {
            if (!schedule.peeled) conditions.append(QStringLiteral("%1 % %2 == 0").arg(*cols).arg(width));
            conditions.append(
                QStringLiteral("areAligned(%1)").arg(usedBuffers(view, main.use()).join(QStringLiteral(", "))));
            code.helpers.append(QStringLiteral("areAligned"));
        }
        if (schedule.cachedVectors > 0) {
            const QString lanes = schedule.mapping == RowMapping::Block  ? threads
                                  : schedule.mapping == RowMapping::Warp ? QStringLiteral("32")
                                                                         : QStringLiteral("1");
            conditions.append(
                QStringLiteral("%1 <= %2 * %3%4")
                    .arg(*cols, lanes, vectors, width > 1 ? QStringLiteral(" * %1").arg(width) : QString()));
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
