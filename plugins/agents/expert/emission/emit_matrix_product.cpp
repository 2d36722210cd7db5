// SPDX-License-Identifier: Apache-2.0
// Matrix products in four shapes: one thread an output; the same with tiles in shared memory; register blocks, with or
// without four-element accesses. The epilogue is applied where the result is written.
#include "emission/group_code.h"
#include "emission/matrix_kernel.h"

namespace kernelskill::expert {

namespace {

// Operand at (row or column `x`, depth `p`).
QString elementAt(const MatrixNames &names, bool first, const QString &x, const QString &p)
{
    const MatrixOperand &operand = first ? names.a : names.b;
    return operand.depthContiguous
               ? QStringLiteral("%1[size_t(%2) * %3 + %4]").arg(operand.buffer, x, names.k, p)
               : QStringLiteral("%1[size_t(%2) * %3 + %4]").arg(operand.buffer, p, operand.extent, x);
}

QString directKernel(const MatrixNames &names, const Schedule &schedule)
{
    CodeWriter out;
    out.line();
    out.line(schedule.coalesced
                 ? QStringLiteral("// One thread computes one element; neighbouring threads have neighbouring columns, "
                                  "so they share an element of %1 and read\n// neighbours of %2.")
                       .arg(names.a.buffer, names.b.buffer)
                 : QStringLiteral("// One thread computes one element."));
    out.lines(names.signature(QStringLiteral("__global__ void ")));
    out.open();
    const char *rowAxis = schedule.coalesced ? "y" : "x", *colAxis = schedule.coalesced ? "x" : "y";
    out.line(QStringLiteral("const int row = blockIdx.%1 * blockDim.%1 + threadIdx.%1;").arg(QLatin1String(rowAxis)));
    out.line(QStringLiteral("const int col = blockIdx.%1 * blockDim.%1 + threadIdx.%1;").arg(QLatin1String(colAxis)));
    out.text(QStringLiteral("if (row >= @m@ || col >= @n@)\n    return;"), names.values());
    out.line(QStringLiteral("float product = 0.0f;"));
    out.block(QStringLiteral("for (int p = 0; p < %1; ++p)").arg(names.k),
              {QStringLiteral("product += %1 * %2;")
                   .arg(elementAt(names, true, QStringLiteral("row"), QStringLiteral("p")),
                        elementAt(names, false, QStringLiteral("col"), QStringLiteral("p")))});
    out.line(names.result(QStringLiteral("row"), QStringLiteral("col"), QStringLiteral("product")));
    out.close();
    return out.result();
}

// The element a thread fetches for a tile: neighbouring threads read neighbours in memory, whichever way the operand is
// stored.
QString fetched(const MatrixNames &names, bool first)
{
    const MatrixOperand &operand = first ? names.a : names.b;
    const QString origin = first ? QStringLiteral("tileRow") : QStringLiteral("tileCol");
    const QString fast = QStringLiteral("threadIdx.x"), slow = QStringLiteral("threadIdx.y");
    const QString x = QStringLiteral("%1 + %2").arg(origin, operand.depthContiguous ? slow : fast);
    const QString p = QStringLiteral("start + %1").arg(operand.depthContiguous ? fast : slow);
    return QStringLiteral("const float %1_fetched = %2 < %3 && %4 < %5 ? %6 : 0.0f;")
        .arg(operand.buffer, x, operand.extent, p, names.k, elementAt(names, first, x, p));
}

QString tiledKernel(const MatrixNames &names, const Schedule &schedule)
{
    CodeWriter out;
    const QString tile = names.constant("kTile");
    const QString padded = schedule.padding > 0 ? QStringLiteral("%1 + %2").arg(tile).arg(schedule.padding) : tile;
    out.line();
    out.line(QStringLiteral(
                 "// A block computes a %1×%1 tile of the result and reads each element of %2 and %3 once a tile.")
                 .arg(tile, names.a.buffer, names.b.buffer));
    out.line(QStringLiteral("// Beyond the edges the tiles hold zeros. Any size."));
    out.lines(names.signature(QStringLiteral("__global__ void __launch_bounds__(%1 * %1) ").arg(tile)));
    out.open();
    out.line(QStringLiteral("__shared__ float %1[%2][%3], %4[%2][%3];").arg(names.a.tile, tile, padded, names.b.tile));
    out.line(QStringLiteral("const int tileRow = blockIdx.y * %1, tileCol = blockIdx.x * %1;").arg(tile));
    out.line(QStringLiteral("float product = 0.0f;"));
    out.open(QStringLiteral("for (int start = 0; start < %1; start += %2)").arg(names.k, tile));
    out.line(fetched(names, true));
    out.line(fetched(names, false));
    for (const MatrixOperand *operand : {&names.a, &names.b})
        out.line(QStringLiteral("%1[threadIdx.y][threadIdx.x] = %2_fetched;").arg(operand->tile, operand->buffer));
    out.line(QStringLiteral("__syncthreads();"));
    const QString a =
        names.a.depthContiguous ? QStringLiteral("%1[threadIdx.y][p]") : QStringLiteral("%1[p][threadIdx.y]");
    const QString b =
        names.b.depthContiguous ? QStringLiteral("%1[threadIdx.x][p]") : QStringLiteral("%1[p][threadIdx.x]");
    out.line(QStringLiteral("#pragma unroll"));
    out.block(QStringLiteral("for (int p = 0; p < %1; ++p)").arg(tile),
              {QStringLiteral("product += %1 * %2;").arg(a.arg(names.a.tile), b.arg(names.b.tile))});
    out.line(QStringLiteral("__syncthreads(); // before the tiles are overwritten"));
    out.close();
    out.line();
    out.line(QStringLiteral("const int row = tileRow + threadIdx.y, col = tileCol + threadIdx.x;"));
    out.block(QStringLiteral("if (row < %1 && col < %2)").arg(names.m, names.n),
              {names.result(QStringLiteral("row"), QStringLiteral("col"), QStringLiteral("product"))});
    out.close();
    return out.result();
}

QString vectorCondition(const MatrixNames &names)
{
    QStringList conditions;
    QStringList extents{names.nCode};
    for (const MatrixOperand *operand : {&names.a, &names.b})
        extents.append(operand->depthContiguous ? names.kCode : operand == &names.a ? names.mCode : names.nCode);
    extents.removeDuplicates();
    for (const QString &extent : extents)
        conditions.append(QStringLiteral("%1 % 4 == 0").arg(extent));
    conditions.append(QStringLiteral("areAligned(%1, %2, %3)").arg(names.a.buffer, names.b.buffer, names.output));
    return conditions.join(QStringLiteral(" && "));
}

QString launchLine(const MatrixNames &names, const QString &kernel, const QString &threads)
{
    return QStringLiteral("%1<<<blocks, %2, 0, stream>>>(%3);")
        .arg(kernel, threads, names.arguments.join(QStringLiteral(", ")));
}

void emitBlocked(GroupCode &code, CodeWriter &solve, MatrixNames names, const Schedule &s)
{
    const int threads = s.tileM / s.threadM * (s.tileN / s.threadN);
    const QString suffix = names.suffix;
    code.constants =
        QStringLiteral("constexpr int kTileM%1 = %2, kTileN%1 = %3, kTileK%1 = %4; // tile of a block, and its depth\n"
                       "constexpr int kThreadM%1 = %5, kThreadN%1 = %6; // outputs of a thread\n"
                       "constexpr int kThreads%1 = %7; // kTileM / kThreadM * kTileN / kThreadN\n")
            .arg(suffix)
            .arg(s.tileM)
            .arg(s.tileN)
            .arg(s.tileK)
            .arg(s.threadM)
            .arg(s.threadN)
            .arg(threads);
    solve.line(QStringLiteral("const dim3 blocks((%1 + kTileN%3 - 1) / kTileN%3, (%2 + kTileM%3 - 1) / kTileM%3);")
                   .arg(names.nCode, names.mCode, suffix));
    const QString threadsName = names.constant("kThreads");
    code.kernels += blockedKernel(names, s);
    if (s.vectorWidth == 1) {
        solve.line(launchLine(names, names.kernel, threadsName));
        return;
    }
    Schedule plain = s;
    plain.vectorWidth = 1;
    plain.padding = s.padding > 0 ? 1 : 0;
    const QString main = names.kernel;
    names.kernel = main + QStringLiteral("AnySize");
    code.kernels += blockedKernel(names, plain);
    code.helpers.append(QStringLiteral("areAligned"));
    solve.line(QStringLiteral("if (%1)").arg(vectorCondition(names)));
    solve.indent();
    solve.line(launchLine(names, main, threadsName));
    solve.outdent();
    solve.line(QStringLiteral("else"));
    solve.indent();
    solve.line(launchLine(names, names.kernel, threadsName));
    solve.outdent();
}

} // namespace

Result<GroupCode> emitMatrixProduct(const TaskView &view, const Group &group, const GroupNames &groupNames)
{
    auto program = buildMatrixProduct(view, group);
    if (!program) return std::unexpected(program.error());
    auto names = MatrixNames::make(view, *program, groupNames);
    if (!names) return std::unexpected(names.error());
    const Schedule &s = group.schedule;
    GroupCode code;
    if (!names->elementDefinition.isEmpty()) code.kernels = u'\n' + names->elementDefinition;
    CodeWriter solve;
    if (s.tileM == 0) {
        code.kernels += directKernel(*names, s);
        solve.line(s.coalesced ? QStringLiteral("const dim3 threads(32, %1);").arg(std::max(1, s.threads / 32))
                               : QStringLiteral("const dim3 threads(16, %1);").arg(std::max(1, s.threads / 16)));
        solve.line(
            QStringLiteral("const dim3 blocks((%1 + threads.x - 1) / threads.x, (%2 + threads.y - 1) / threads.y);")
                .arg(s.coalesced ? names->nCode : names->mCode, s.coalesced ? names->mCode : names->nCode));
        solve.line(launchLine(*names, names->kernel, QStringLiteral("threads")));
    } else if (s.threadM == 1 && s.threadN == 1) {
        const QString tile = names->constant("kTile");
        code.constants = QStringLiteral("constexpr int %1 = %2; // rows and columns of a tile, and its depth\n")
                             .arg(tile)
                             .arg(s.tileM);
        code.kernels += tiledKernel(*names, s);
        solve.line(QStringLiteral("const dim3 blocks((%1 + %3 - 1) / %3, (%2 + %3 - 1) / %3);")
                       .arg(names->nCode, names->mCode, tile));
        solve.line(launchLine(*names, names->kernel, QStringLiteral("dim3(%1, %1)").arg(tile)));
    } else {
        emitBlocked(code, solve, *names, s);
    }
    code.launch = solve.result();
    return code;
}

} // namespace kernelskill::expert
