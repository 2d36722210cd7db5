// SPDX-License-Identifier: Apache-2.0
// memory-coalescing, vectorised-access, alignment-and-tail: how addresses fall over threads.
#include "patterns/program.h"
#include "skills/transform.h"

#include <algorithm>

namespace kernelskill::expert {

Result<QList<Change>> coalesceMemory(const TaskView &view, const Group &group)
{
    QList<Change> changes;
    Schedule s = group.schedule;
    switch (group.pattern) {
    case Pattern::Rows:
        if (s.mapping != RowMapping::Thread)
            return inapplicable(QStringLiteral("neighbouring threads already read neighbouring columns"));
        s.mapping = RowMapping::Block;
        for (const int threads : {256, 128, 512}) {
            s.threads = threads;
            changes.append(
                {{{QStringLiteral("mapping"), QStringLiteral("block")}, {QStringLiteral("threads"), threads}},
                 s,
                 QStringLiteral("With one thread a row, the 32 threads of a warp read addresses a whole row apart: 32 "
                                "transactions a load, of "
                                "which an eighth is used. A block a row reads neighbouring columns, and there are as "
                                "many blocks as rows.")});
        }
        return changes;
    case Pattern::MatrixProduct:
        if (s.coalesced || s.tileM > 0)
            return inapplicable(QStringLiteral("neighbouring threads already compute neighbouring columns"));
        s.coalesced = true;
        changes.append(
            {{{QStringLiteral("neighbours"), QStringLiteral("columns")}},
             s,
             QStringLiteral("Neighbouring threads compute neighbouring rows, so they read the left operand and write "
                            "the result a row apart. "
                            "With neighbouring columns both matrices on that side are read along their rows.")});
        return changes;
    case Pattern::Transpose:
        if (s.coalesced || s.tileM > 0)
            return inapplicable(
                QStringLiteral("stores are coalesced already; loads can only be too through a tile in shared memory"));
        s.coalesced = true;
        changes.append({{{QStringLiteral("neighbours"), QStringLiteral("stores")}},
                        s,
                        QStringLiteral("One side of a transposition must be strided without a tile. Strided loads can "
                                       "be served from the cache the "
                                       "next time their line is touched; strided stores cannot.")});
        return changes;
    case Pattern::Pointwise:
    case Pattern::FullReduction:
        break;
    }
    Q_UNUSED(view)
    return inapplicable(QStringLiteral("every thread already works on the element next to its neighbour's"));
}

namespace {

bool dividesBy(const Result<qint64> &extent, int width)
{
    return extent && *extent % width == 0;
}

Result<QList<Change>> vectoriseMatrixProduct(const TaskView &view, const Group &group)
{
    Schedule s = group.schedule;
    if (s.threadM % 4 != 0 || s.threadN % 4 != 0)
        return inapplicable(
            QStringLiteral("a thread computes too few neighbouring outputs: register-blocking comes first"));
    auto program = buildMatrixProduct(view, group);
    if (!program) return std::unexpected(program.error());
    const auto m = view.extent(program->batch + QStringList{program->m}), n = view.extent({program->n}),
               k = view.extent({program->k});
    if (!dividesBy(n, 4) || !dividesBy(program->transposedA ? m : k, 4) || !dividesBy(program->transposedB ? k : n, 4))
        return inapplicable(
            QStringLiteral("rows of the matrices do not start on 16-byte boundaries at the timed size"));
    s.vectorWidth = 4;
    s.padding = s.padding > 0 ? 4 : 0;
    if (!isLegalBlocking(s))
        return inapplicable(QStringLiteral("tiles are too small to be filled four elements at a time"));
    return QList<Change>{{{{QStringLiteral("vector_width"), 4}},
                          s,
                          QStringLiteral("Filling the tiles and reading a thread's parts of them takes as many "
                                         "instructions as the multiplications leave room "
                                         "for. Four elements in one access quarter them.")}};
}

} // namespace

Result<QList<Change>> vectoriseAccess(const TaskView &view, const Group &group)
{
    Schedule s = group.schedule;
    if (s.vectorWidth > 1)
        return inapplicable(QStringLiteral("accesses are %1 elements wide already").arg(s.vectorWidth));
    if (group.pattern == Pattern::MatrixProduct) return vectoriseMatrixProduct(view, group);
    const Result<qint64> cols = columnsOf(view, group);
    QList<int> widths{4, 2};
    bool flat = group.pattern == Pattern::FullReduction;
    if (group.pattern == Pattern::Pointwise) {
        const auto program = buildPointwise(view, group);
        flat = program && program->isFlat;
    }
    if (group.pattern == Pattern::Rows && s.mapping == RowMapping::Thread)
        return inapplicable(QStringLiteral("neighbouring threads read different rows: memory-coalescing comes first"));
    if (group.pattern == Pattern::Transpose) {
        if (s.tileM == 0)
            return inapplicable(QStringLiteral(
                "without a tile only one side of the transposition is contiguous: shared-memory-tiling comes first"));
        if (!dividesBy(rowsOf(view, group), 4))
            return inapplicable(
                QStringLiteral("rows of the result do not start on 16-byte boundaries at the timed size"));
        widths = {4};
        s.threads = std::min(s.threads, 256); // a 32×32 tile is 256 vectors
    }
    if (group.pattern == Pattern::FullReduction) widths = {4};
    QList<Change> changes;
    for (const int width : widths) {
        if (!flat && !dividesBy(cols, width)) continue;
        s.vectorWidth = width;
        s.cachedVectors = group.schedule.cachedVectors > 0 ? (group.schedule.cachedVectors + width - 1) / width : 0;
        changes.append({{{QStringLiteral("vector_width"), width}},
                        s,
                        QStringLiteral("Each load and store instruction moves %1 bytes instead of 4: fewer "
                                       "instructions, more bytes in flight.")
                            .arg(width * 4)});
    }
    if (changes.isEmpty())
        return inapplicable(QStringLiteral("rows do not start on 8- or 16-byte boundaries at the timed size"));
    return changes;
}

Result<QList<Change>> separateTail(const TaskView &view, const Group &group)
{
    Schedule s = group.schedule;
    const auto cols = columnsOf(view, group);
    if (!cols) return std::unexpected(cols.error());
    if (s.peeled) return inapplicable(QStringLiteral("the ends of a row are apart already"));
    if (*cols % 4 == 0)
        return inapplicable(
            QStringLiteral("rows start on 16-byte boundaries at the timed size: vectorised-access is enough"));
    if (group.pattern != Pattern::Rows)
        return inapplicable(QStringLiteral("only rows that one block shares are worth taking apart at their ends"));
    if (s.mapping == RowMapping::Thread)
        return inapplicable(QStringLiteral("neighbouring threads read different rows: memory-coalescing comes first"));
    if (s.cachedVectors > 0 || *cols < 64)
        return inapplicable(QStringLiteral("the row is in registers, or too short for its ends to be few"));
    s.vectorWidth = 4;
    s.peeled = true;
    return QList<Change>{{{{QStringLiteral("ends"), QStringLiteral("apart")}},
                          s,
                          QStringLiteral("Rows of %1 elements start anywhere, so accesses are one element wide "
                                         "throughout. Up to three elements at either end "
                                         "apart, the rest of each row is whole vectors.")
                              .arg(*cols)}};
}

} // namespace kernelskill::expert
