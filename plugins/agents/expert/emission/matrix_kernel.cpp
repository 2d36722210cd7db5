// SPDX-License-Identifier: Apache-2.0
// The register-blocked product. A thread computes threadM × threadN outputs, so one element taken from shared memory
// serves several multiplications. With four-element accesses both tiles are stored depth first ([k][x]), so that the
// parts a thread needs are neighbours; an operand that is contiguous along k is transposed on its way into the tile.
#include "emission/matrix_kernel.h"

namespace kernelskill::expert {

Result<MatrixNames> MatrixNames::make(const TaskView &view, const MatrixProgram &program, const GroupNames &groupNames)
{
    MatrixNames names;
    names.kernel = groupNames.kernel;
    names.suffix = groupNames.suffix;
    names.output = program.store.buffer;
    auto m = view.extentCode(program.batch + QStringList{program.m}), n = view.extentCode({program.n}),
         k = view.extentCode({program.k});
    for (const auto *each : {&m, &n, &k}) {
        if (!*each) return std::unexpected(each->error());
    }
    names.mCode = *m;
    names.nCode = *n;
    names.kCode = *k;
    BufferUse use;
    use.add(program.loads, {program.store});
    use.read += {program.a, program.b};
    const QStringList buffers = usedBuffers(view, use);
    const auto dimension = [&](const QString &name) {
        return buffers.contains(name) ? name + QStringLiteral("_size") : name;
    };
    names.m = dimension(QStringLiteral("m"));
    names.n = dimension(QStringLiteral("n"));
    names.k = dimension(QStringLiteral("k"));
    names.a = {program.a, program.a + QStringLiteral("_tile"), names.m, !program.transposedA};
    names.b = {program.b, program.b + QStringLiteral("_tile"), names.n, program.transposedB};
    if (names.a.tile == names.b.tile) names.b.tile += QStringLiteral("_right");
    names.parameters = kernelParameters(view, use);
    for (const QString &extent : {names.m, names.n, names.k})
        names.parameters.append(QStringLiteral("int ") + extent);
    names.arguments = kernelArguments(view, use) + QStringList{*m, *n, *k};
    names.element = std::make_shared<ElementFunction>(program.store.code,
                                                      QStringLiteral("elementOf") + upperCamel(program.store.value));
    names.elementDefinition = names.element->definition();
    names.loads = program.loads;
    names.productName = program.product;
    return names;
}

QMap<QString, QString> MatrixNames::values() const
{
    return {{QStringLiteral("m"), m}, {QStringLiteral("n"), n}, {QStringLiteral("k"), k}};
}

QStringList MatrixNames::signature(const QString &prefix) const
{
    return wrapped(prefix + kernel + u'(', parameters, QStringLiteral(")"));
}

QString MatrixNames::value(const QString &row, const QString &col, const QString &product) const
{
    return element->at([&](const QString &name) {
        if (name == productName) return product;
        const auto load = std::ranges::find_if(loads, [&](const Load &each) { return each.name == name; });
        switch (load->kind) {
        case LoadKind::Element:
            return QStringLiteral("%1[size_t(%2) * %3 + %4]").arg(load->buffer, row, n, col);
        case LoadKind::PerColumn:
            return QStringLiteral("%1[%2]").arg(load->buffer, col);
        case LoadKind::PerRow:
            return QStringLiteral("%1[%2]").arg(load->buffer, row);
        case LoadKind::Uniform:
            return QStringLiteral("%1[0]").arg(load->buffer);
        }
        return QString();
    });
}

QString MatrixNames::result(const QString &row, const QString &col, const QString &product) const
{
    return QStringLiteral("%1[size_t(%2) * %3 + %4] = %5;").arg(output, row, n, col, value(row, col, product));
}

namespace {

class BlockedKernel
{
public:
    BlockedKernel(const MatrixNames &names, const Schedule &schedule) : m_names(names), m_schedule(schedule) {}
    QString emit();

private:
    [[nodiscard]] bool isVector() const { return m_schedule.vectorWidth > 1; }
    [[nodiscard]] QString constant(const char *name) const { return m_names.constant(name); }
    [[nodiscard]] const MatrixOperand &operand(bool first) const { return first ? m_names.a : m_names.b; }
    [[nodiscard]] QString extentConstant(bool first) const { return constant(first ? "kTileM" : "kTileN"); }
    [[nodiscard]] int loadsOf(bool first) const;
    [[nodiscard]] bool isDepthFirst(bool first) const { return isVector() || !operand(first).depthContiguous; }
    [[nodiscard]] QString registerName(bool first) const { return operand(first).buffer + QStringLiteral("_fetched"); }
    void emitDeclarations();
    void emitPosition(bool first, const QString &index);
    void emitTransfer(bool first, bool fetch);
    void emitFetch(bool first, const QString &target);
    void emitStore(bool first, const QString &source);
    void emitMultiply();
    void emitFragment(bool first);
    void emitResults();

    const MatrixNames &m_names;
    const Schedule &m_schedule;
    CodeWriter m_out;
};

// Accesses a thread makes to fill one tile.
int BlockedKernel::loadsOf(bool first) const
{
    const int elements = (first ? m_schedule.tileM : m_schedule.tileN) * m_schedule.tileK / m_schedule.vectorWidth;
    return (elements + m_schedule.threads - 1) / m_schedule.threads;
}

void BlockedKernel::emitDeclarations()
{
    for (const bool first : {true, false}) {
        QString inner = isDepthFirst(first) ? extentConstant(first) : constant("kTileK");
        const QString outer = isDepthFirst(first) ? constant("kTileK") : extentConstant(first);
        // Padding helps where a tile is written or read across its rows.
        if (m_schedule.padding > 0 && operand(first).depthContiguous)
            inner += QStringLiteral(" + %1").arg(m_schedule.padding);
        m_out.line(
            QStringLiteral("__shared__ %1float %2[%3][%4];")
                .arg(isVector() ? QStringLiteral("__align__(16) ") : QString(), operand(first).tile, outer, inner));
    }
    m_out.line(QStringLiteral("const int tileRow = blockIdx.y * %1, tileCol = blockIdx.x * %2;")
                   .arg(constant("kTileM"), constant("kTileN")));
    m_out.line(QStringLiteral("const int threadRow = threadIdx.x / (%1 / %2), threadCol = threadIdx.x % (%1 / %2);")
                   .arg(constant("kTileN"), constant("kThreadN")));
    m_out.line(QStringLiteral("float sums[%1][%2] = {};").arg(constant("kThreadM"), constant("kThreadN")));
}

// Declares x (row of a or column of b, inside the tile) and p (depth inside the tile) of access number `index`.
void BlockedKernel::emitPosition(bool first, const QString &index)
{
    const bool deep = operand(first).depthContiguous;
    const QString fast = deep ? constant("kTileK") : extentConstant(first);
    const QString count = isVector() ? QStringLiteral("(%1 / 4)").arg(fast) : fast;
    const QString scale = isVector() ? QStringLiteral(" * 4") : QString();
    m_out.line(deep ? QStringLiteral("const int x = %1 / %2, p = %1 % %2%3;").arg(index, count, scale)
                    : QStringLiteral("const int p = %1 / %2, x = %1 % %2%3;").arg(index, count, scale));
}

// Fills `target` from memory, with zeros beyond the edges.
void BlockedKernel::emitFetch(bool first, const QString &target)
{
    const MatrixOperand &o = operand(first);
    const QString origin = first ? QStringLiteral("tileRow") : QStringLiteral("tileCol");
    const QString inside = QStringLiteral("%1 + x < %2 && start + p < %3").arg(origin, o.extent, m_names.k);
    const QString address =
        o.depthContiguous ? QStringLiteral("%1 + size_t(%2 + x) * %3 + start + p").arg(o.buffer, origin, m_names.k)
                          : QStringLiteral("%1 + size_t(start + p) * %2 + %3 + x").arg(o.buffer, o.extent, origin);
    if (!isVector()) {
        const QString element =
            o.depthContiguous ? QStringLiteral("%1[size_t(%2 + x) * %3 + start + p]").arg(o.buffer, origin, m_names.k)
                              : QStringLiteral("%1[size_t(start + p) * %2 + %3 + x]").arg(o.buffer, o.extent, origin);
        m_out.line(QStringLiteral("%1 = %2 ? %3 : 0.0f;").arg(target, inside, element));
        return;
    }
    m_out.line(QStringLiteral("%1 = make_float4(0.0f, 0.0f, 0.0f, 0.0f);").arg(target));
    m_out.block(QStringLiteral("if (%1)").arg(inside),
                {QStringLiteral("%1 = *reinterpret_cast<const float4 *>(%2);").arg(target, address)});
}

void BlockedKernel::emitStore(bool first, const QString &source)
{
    const MatrixOperand &o = operand(first);
    if (!isVector()) {
        m_out.line(QStringLiteral("%1[%2] = %3;")
                       .arg(o.tile, o.depthContiguous ? QStringLiteral("x][p") : QStringLiteral("p][x"), source));
    } else if (!o.depthContiguous) {
        m_out.line(QStringLiteral("*reinterpret_cast<float4 *>(&%1[p][x]) = %2;").arg(o.tile, source));
    } else {
        const QStringList lanes = lanesOf(4);
        for (int i = 0; i < 4; ++i)
            m_out.line(QStringLiteral("%1[p%2][x] = %3.%4;")
                           .arg(o.tile, i == 0 ? QString() : QStringLiteral(" + %1").arg(i), source, lanes.at(i)));
    }
}

// One loop over a thread's accesses to a tile: from memory to registers, or from registers to the tile.
void BlockedKernel::emitTransfer(bool first, bool fetch)
{
    const int loads = loadsOf(first);
    if (loads == 1) {
        m_out.open();
        m_out.line(QStringLiteral("const int i = threadIdx.x;"));
    } else {
        m_out.line(QStringLiteral("#pragma unroll"));
        m_out.open(QStringLiteral("for (int l = 0; l < %1; ++l)").arg(loads));
        m_out.line(QStringLiteral("const int i = threadIdx.x + l * %1;").arg(constant("kThreads")));
    }
    const int elements = (first ? m_schedule.tileM : m_schedule.tileN) * m_schedule.tileK / m_schedule.vectorWidth;
    if (elements % m_schedule.threads != 0) {
        m_out.text(QStringLiteral("if (i >= @total@)\n    break;"),
                   {{QStringLiteral("total"), QStringLiteral("%1 * %2%3")
                                                  .arg(extentConstant(first), constant("kTileK"),
                                                       isVector() ? QStringLiteral(" / 4") : QString())}});
    }
    emitPosition(first, QStringLiteral("i"));
    const QString slot = registerName(first) + (loads == 1 ? QString() : QStringLiteral("[l]"));
    if (fetch)
        emitFetch(first, slot);
    else
        emitStore(first, slot);
    m_out.close();
}

// The part of one operand that a thread multiplies at depth p.
void BlockedKernel::emitFragment(bool first)
{
    const MatrixOperand &o = operand(first);
    const QString count = constant(first ? "kThreadM" : "kThreadN"), part = o.buffer + QStringLiteral("_part");
    const QString index = first ? QStringLiteral("i") : QStringLiteral("j");
    const QString who = first ? QStringLiteral("threadRow") : QStringLiteral("threadCol");
    m_out.line(QStringLiteral("#pragma unroll"));
    if (isVector()) {
        const int chunks = (first ? m_schedule.threadM : m_schedule.threadN) / 4;
        const QString base =
            chunks == 1
                ? QStringLiteral("%1 * 4").arg(who)
                : QStringLiteral("%1 * (%2 / %3) + %4 * 4").arg(index, extentConstant(first)).arg(chunks).arg(who);
        m_out.block(
            QStringLiteral("for (int %1 = 0; %1 < %2 / 4; ++%1)").arg(index, count),
            {QStringLiteral("*reinterpret_cast<float4 *>(&%1[%2 * 4]) = *reinterpret_cast<const float4 *>(&%3[p][%4]);")
                 .arg(part, index, o.tile, base)});
        return;
    }
    // Rows of a thread are neighbours; its columns are spread, so that neighbouring threads write neighbours.
    const QString x = first ? QStringLiteral("threadRow * %1 + i").arg(count)
                            : QStringLiteral("threadCol + j * (%1 / %2)").arg(extentConstant(false), count);
    const QString place = isDepthFirst(first) ? QStringLiteral("p][%1").arg(x) : QStringLiteral("%1][p").arg(x);
    m_out.block(QStringLiteral("for (int %1 = 0; %1 < %2; ++%1)").arg(index, count),
                {QStringLiteral("%1[%2] = %3[%4];").arg(part, index, o.tile, place)});
}

void BlockedKernel::emitMultiply()
{
    m_out.line(QStringLiteral("#pragma unroll"));
    m_out.open(QStringLiteral("for (int p = 0; p < %1; ++p)").arg(constant("kTileK")));
    const QString align = isVector() ? QStringLiteral("__align__(16) ") : QString();
    m_out.line(QStringLiteral("%1float %2_part[%3];").arg(align, m_names.a.buffer, constant("kThreadM")));
    m_out.line(QStringLiteral("%1float %2_part[%3];").arg(align, m_names.b.buffer, constant("kThreadN")));
    emitFragment(true);
    emitFragment(false);
    m_out.text(
        QStringLiteral(
            "#pragma unroll\nfor (int i = 0; i < @tm@; ++i) {\n#pragma unroll\n    for (int j = 0; j < @tn@; ++j)\n"
            "        sums[i][j] += @a@_part[i] * @b@_part[j];\n}"),
        {{QStringLiteral("tm"), constant("kThreadM")},
         {QStringLiteral("tn"), constant("kThreadN")},
         {QStringLiteral("a"), m_names.a.buffer},
         {QStringLiteral("b"), m_names.b.buffer}});
    m_out.close();
}

void BlockedKernel::emitResults()
{
    m_out.line();
    m_out.line(QStringLiteral("#pragma unroll"));
    m_out.open(QStringLiteral("for (int i = 0; i < %1; ++i)").arg(constant("kThreadM")));
    if (!isVector()) {
        m_out.line(QStringLiteral("const int row = tileRow + threadRow * %1 + i;").arg(constant("kThreadM")));
        m_out.line(QStringLiteral("#pragma unroll"));
        m_out.open(QStringLiteral("for (int j = 0; j < %1; ++j)").arg(constant("kThreadN")));
        m_out.line(QStringLiteral("const int col = tileCol + threadCol + j * (%1 / %2);")
                       .arg(constant("kTileN"), constant("kThreadN")));
        m_out.block(QStringLiteral("if (row < %1 && col < %2)").arg(m_names.m, m_names.n),
                    {m_names.result(QStringLiteral("row"), QStringLiteral("col"), QStringLiteral("sums[i][j]"))});
        m_out.close();
        m_out.close();
        return;
    }
    const int rowChunks = m_schedule.threadM / 4, colChunks = m_schedule.threadN / 4;
    const QString row = rowChunks == 1 ? QStringLiteral("tileRow + threadRow * 4 + i")
                                       : QStringLiteral("tileRow + i / 4 * (%1 / %2) + threadRow * 4 + i % 4")
                                             .arg(constant("kTileM"))
                                             .arg(rowChunks);
    const QString col =
        colChunks == 1
            ? QStringLiteral("tileCol + threadCol * 4")
            : QStringLiteral("tileCol + j / 4 * (%1 / %2) + threadCol * 4").arg(constant("kTileN")).arg(colChunks);
    m_out.line(QStringLiteral("const int row = %1;").arg(row));
    m_out.line(QStringLiteral("#pragma unroll"));
    m_out.open(QStringLiteral("for (int j = 0; j < %1; j += 4)").arg(constant("kThreadN")));
    m_out.line(QStringLiteral("const int col = %1;").arg(col));
    m_out.open(QStringLiteral("if (row < %1 && col < %2)").arg(m_names.m, m_names.n));
    m_out.line(QStringLiteral("float4 four;"));
    const QStringList lanes = lanesOf(4);
    for (int lane = 0; lane < 4; ++lane) {
        const QString plus = lane == 0 ? QString() : QStringLiteral(" + %1").arg(lane);
        m_out.line(QStringLiteral("four.%1 = %2;")
                       .arg(lanes.at(lane), m_names.value(QStringLiteral("row"), QStringLiteral("col") + plus,
                                                          QStringLiteral("sums[i][j%1]").arg(plus))));
    }
    m_out.line(QStringLiteral("*reinterpret_cast<float4 *>(%1 + size_t(row) * %2 + col) = four;")
                   .arg(m_names.output, m_names.n));
    m_out.close();
    m_out.close();
    m_out.close();
}

QString BlockedKernel::emit()
{
    m_out.line();
    m_out.line(QStringLiteral("// A block computes a %1×%2 tile of the result, a thread %3×%4 of it in registers.")
                   .arg(constant("kTileM"), constant("kTileN"), constant("kThreadM"), constant("kThreadN")));
    m_out.line(isVector()
                   ? QStringLiteral(
                         "// Memory is accessed four elements at a time: the contiguous dimensions are multiples of 4.")
                   : QStringLiteral("// Any size."));
    m_out.lines(m_names.signature(QStringLiteral("__global__ void __launch_bounds__(%1) ").arg(constant("kThreads"))));
    m_out.open();
    emitDeclarations();
    const auto declared = [&](bool first) {
        return registerName(first) + (loadsOf(first) == 1 ? QString() : QStringLiteral("[%1]").arg(loadsOf(first)));
    };
    m_out.line();
    m_out.line(
        m_schedule.prefetch
            ? QStringLiteral("// The next tile waits in registers while the present one is multiplied.")
            : QStringLiteral(
                  "// A thread's share of a tile on its way: all loads are issued before the first value is stored."));
    m_out.line(QStringLiteral("%1 %2, %3;").arg(vectorType(m_schedule.vectorWidth), declared(true), declared(false)));
    m_out.open(QStringLiteral("const auto fetch = [&](int start)"));
    emitTransfer(true, true);
    emitTransfer(false, true);
    m_out.close(QStringLiteral(";"));
    m_out.line();
    if (m_schedule.prefetch) m_out.line(QStringLiteral("fetch(0);"));
    m_out.open(QStringLiteral("for (int start = 0; start < %1; start += %2)").arg(m_names.k, constant("kTileK")));
    if (!m_schedule.prefetch) m_out.line(QStringLiteral("fetch(start);"));
    emitTransfer(true, false);
    emitTransfer(false, false);
    m_out.line(QStringLiteral("__syncthreads();"));
    if (m_schedule.prefetch)
        m_out.block(QStringLiteral("if (start + %1 < %2)").arg(constant("kTileK"), m_names.k),
                    {QStringLiteral("fetch(start + %1);").arg(constant("kTileK"))});
    emitMultiply();
    m_out.line(QStringLiteral("__syncthreads(); // before the tiles are overwritten"));
    m_out.close();
    emitResults();
    m_out.close();
    return m_out.result();
}

} // namespace

QString blockedKernel(const MatrixNames &names, const Schedule &schedule)
{
    return BlockedKernel(names, schedule).emit();
}

} // namespace kernelskill::expert
