// SPDX-License-Identifier: Apache-2.0
// Transposition: element by element, or through a tile of shared memory so that both sides of it are coalesced.
#include "emission/group_code.h"

namespace kernelskill::expert {

namespace {

struct TransposeText
{
    QMap<QString, QString> values; // for the templates below
    const Schedule &schedule;
};

// One thread moves one element. Coalesced means here: stores are, loads are not (that side hits in the cache more
// often).
QString directKernel(const TransposeText &text)
{
    return filled(text.schedule.coalesced ? QStringLiteral(R"(
// One thread moves one element; neighbouring threads write neighbouring addresses.
@signature@
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
    const size_t matrix = blockIdx.z * size_t(rows) * cols;
    if (row < rows && col < cols)
        @y@[matrix + size_t(col) * rows + row] = @element@;
}
)")
                                          : QStringLiteral(R"(
// One thread moves one element.
@signature@
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const size_t matrix = blockIdx.z * size_t(rows) * cols;
    if (row < rows && col < cols)
        @y@[matrix + size_t(col) * rows + row] = @element@;
}
)"),
                  text.values);
}

QString tiledKernel(const TransposeText &text)
{
    return filled(QStringLiteral(R"(
// A block moves a kTile@s@×kTile@s@ tile through shared memory: read along the rows of @x@, written along the rows of @y@,
// so that neighbouring threads touch neighbouring addresses on both sides. Any size.
@signature@
{
@tile@
    const size_t matrix = blockIdx.z * size_t(rows) * cols;
    const int tileCol = blockIdx.x * kTile@s@, tileRow = blockIdx.y * kTile@s@;

    const int col = tileCol + threadIdx.x;
#pragma unroll
    for (int i = 0; i < kTile@s@; i += kTileRows@s@) {
        const int row = tileRow + threadIdx.y + i;
        if (row < rows && col < cols)
            tile[threadIdx.y + i][threadIdx.x] = @element@;
    }
    __syncthreads();

    const int outCol = tileRow + threadIdx.x; // a column of @y@ is a row of @x@
#pragma unroll
    for (int i = 0; i < kTile@s@; i += kTileRows@s@) {
        const int outRow = tileCol + threadIdx.y + i;
        if (outRow < cols && outCol < rows)
            @y@[matrix + size_t(outRow) * rows + outCol] = tile[threadIdx.x][threadIdx.y + i];
    }
}
)"),
                  text.values);
}

QString vectorKernel(const TransposeText &text)
{
    return filled(QStringLiteral(R"(
// A block moves a kTile@s@×kTile@s@ tile, four neighbours in one access on both sides. rows and cols are multiples of 4.
@signature@
{
@tile@
    constexpr int kVectors = kTile@s@ / 4; // of a row of the tile
    const size_t matrix = blockIdx.z * size_t(rows) * cols;
    const int tileCol = blockIdx.x * kTile@s@, tileRow = blockIdx.y * kTile@s@;
    const int lane = threadIdx.x % kVectors * 4, line = threadIdx.x / kVectors;

#pragma unroll
    for (int i = line; i < line + kTile@s@; i += kThreads@s@ / kVectors) {
        const int row = tileRow + i, col = tileCol + lane;
        if (row < rows && col < cols) {
            const float4 @v@4 = *reinterpret_cast<const float4 *>(@x@ + matrix + size_t(row) * cols + col);
            tile[i][lane] = @elementX@;
            tile[i][lane + 1] = @elementY@;
            tile[i][lane + 2] = @elementZ@;
            tile[i][lane + 3] = @elementW@;
        }
    }
    __syncthreads();

#pragma unroll
    for (int i = line; i < line + kTile@s@; i += kThreads@s@ / kVectors) {
        const int outRow = tileCol + i, outCol = tileRow + lane; // a column of @y@ is a row of @x@
        if (outRow < cols && outCol < rows) {
            const float4 moved = make_float4(tile[lane][i], tile[lane + 1][i], tile[lane + 2][i], tile[lane + 3][i]);
            *reinterpret_cast<float4 *>(@y@ + matrix + size_t(outRow) * rows + outCol) = moved;
        }
    }
}
)"),
                  text.values);
}

QString tileDeclaration(const Schedule &schedule, const QString &suffix)
{
    if (schedule.padding == 0) return QStringLiteral("    __shared__ float tile[kTile%1][kTile%1];").arg(suffix);
    return QStringLiteral("    // One column more than needed: the elements of a column then lie in different banks.\n"
                          "    __shared__ float tile[kTile%1][kTile%1 + %2];")
        .arg(suffix)
        .arg(schedule.padding);
}

} // namespace

Result<GroupCode> emitTranspose(const TaskView &view, const Group &group, const GroupNames &names)
{
    auto program = buildTranspose(view, group);
    if (!program) return std::unexpected(program.error());
    auto rows = view.extentCode(program->rows), cols = view.extentCode(program->cols),
         batch = view.extentCode(program->batch);
    for (const auto *each : {&rows, &cols, &batch}) {
        if (!*each) return std::unexpected(each->error());
    }
    const Schedule &s = group.schedule;
    const QString suffix = names.suffix, x = program->input, y = program->output;
    ElementFunction element(program->element, QStringLiteral("elementOf") + upperCamel(group.id()));
    const QString direct = QStringLiteral("%1[matrix + size_t(row) * cols + col]").arg(x);
    const auto at = [&](const QString &load) { return element.at([&](const QString &) { return load; }); };
    TransposeText text{{{QStringLiteral("x"), x},
                        {QStringLiteral("y"), y},
                        {QStringLiteral("s"), suffix},
                        {QStringLiteral("v"), x},
                        {QStringLiteral("kernel"), names.kernel},
                        {QStringLiteral("element"), at(direct)},
                        {QStringLiteral("elementX"), at(x + QStringLiteral("4.x"))},
                        {QStringLiteral("elementY"), at(x + QStringLiteral("4.y"))},
                        {QStringLiteral("elementZ"), at(x + QStringLiteral("4.z"))},
                        {QStringLiteral("elementW"), at(x + QStringLiteral("4.w"))},
                        {QStringLiteral("tile"), tileDeclaration(s, suffix)}},
                       s};
    const auto sign = [&](const QString &kernel, const QString &bounds) {
        const QString head = bounds.isEmpty()
                                 ? QStringLiteral("__global__ void %1(").arg(kernel)
                                 : QStringLiteral("__global__ void __launch_bounds__(%1) %2(").arg(bounds, kernel);
        const QStringList parameters{QStringLiteral("const float *__restrict__ ") + x,
                                     QStringLiteral("float *__restrict__ ") + y, QStringLiteral("int rows"),
                                     QStringLiteral("int cols")};
        text.values.insert(QStringLiteral("signature"), wrapped(head, parameters, QStringLiteral(")")).join(u'\n'));
    };
    const QString tileThreads = QStringLiteral("kTile%1 * kTileRows%1").arg(suffix);
    GroupCode code;
    code.kernels = element.definition().isEmpty() ? QString() : u'\n' + element.definition();
    const QString arguments = QStringLiteral("%1, %2, %3, %4").arg(x, y, *rows, *cols);
    CodeWriter solve;
    if (s.tileM == 0) {
        sign(names.kernel, {});
        code.kernels += directKernel(text);
        solve.line(QStringLiteral("const dim3 threads(32, %1);").arg(std::max(1, s.threads / 32)));
        solve.line(
            QStringLiteral("const dim3 blocks((%1 + threads.x - 1) / threads.x, (%2 + threads.y - 1) / threads.y, %3);")
                .arg(s.coalesced ? *rows : *cols, s.coalesced ? *cols : *rows, *batch));
        solve.line(QStringLiteral("%1<<<blocks, threads, 0, stream>>>(%2);").arg(names.kernel, arguments));
        code.launch = solve.result();
        return code;
    }
    const int tileRows = std::max(1, s.threads / s.tileM);
    code.constants =
        QStringLiteral("constexpr int kTile%1 = %2; // rows and columns of a tile\n").arg(suffix).arg(s.tileM);
    code.constants += QStringLiteral("constexpr int kTileRows%1 = %2; // rows of it that the block touches at a time\n")
                          .arg(suffix)
                          .arg(tileRows);
    if (s.vectorWidth > 1)
        code.constants +=
            QStringLiteral("constexpr int kThreads%1 = %2; // threads of a block\n").arg(suffix).arg(s.threads);
    solve.line(QStringLiteral("const dim3 blocks((%1 + kTile%4 - 1) / kTile%4, (%2 + kTile%4 - 1) / kTile%4, %3);")
                   .arg(*cols, *rows, *batch, suffix));
    const QString scalarLaunch =
        QStringLiteral("<<<blocks, dim3(kTile%1, kTileRows%1), 0, stream>>>(%2);").arg(suffix, arguments);
    if (s.vectorWidth == 1) {
        sign(names.kernel, tileThreads);
        code.kernels += tiledKernel(text);
        solve.line(names.kernel + scalarLaunch);
    } else {
        const QString fallback = names.kernel + QStringLiteral("AnySize");
        sign(names.kernel, QStringLiteral("kThreads") + suffix);
        code.kernels += vectorKernel(text);
        sign(fallback, tileThreads);
        code.kernels += tiledKernel(text);
        code.helpers.append(QStringLiteral("areAligned"));
        solve.line(QStringLiteral("if (%1 % 4 == 0 && %2 % 4 == 0 && areAligned(%3, %4))").arg(*rows, *cols, x, y));
        solve.indent();
        solve.line(QStringLiteral("%1<<<blocks, kThreads%2, 0, stream>>>(%3);").arg(names.kernel, suffix, arguments));
        solve.outdent();
        solve.line(QStringLiteral("else"));
        solve.indent();
        solve.line(fallback + scalarLaunch);
        solve.outdent();
    }
    code.launch = solve.result();
    return code;
}

} // namespace kernelskill::expert
