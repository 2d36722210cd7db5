// SPDX-License-Identifier: Apache-2.0
// A tensor to one value, in two kernels: every block leaves a partial result, one block combines them. No atomics: the
// result does not depend on the order in which blocks finish.
#include "emission/group_code.h"

namespace kernelskill::expert {

namespace {

struct Words
{
    QString name, start;
    QString (*accumulate)(const QString &, const QString &);
};

Words wordsOf(RowPhase::Kind kind)
{
    switch (kind) {
    case RowPhase::Kind::Maximum:
        return {QStringLiteral("Maximum"), QStringLiteral("-INFINITY"),
                [](const QString &t, const QString &v) { return QStringLiteral("%1 = fmaxf(%1, %2);").arg(t, v); }};
    case RowPhase::Kind::Minimum:
        return {QStringLiteral("Minimum"), QStringLiteral("INFINITY"),
                [](const QString &t, const QString &v) { return QStringLiteral("%1 = fminf(%1, %2);").arg(t, v); }};
    case RowPhase::Kind::Sum:
        break;
    }
    return {QStringLiteral("Sum"), QStringLiteral("0.0f"),
            [](const QString &t, const QString &v) { return QStringLiteral("%1 += %2;").arg(t, v); }};
}

} // namespace

Result<GroupCode> emitFullReduction(const TaskView &view, const Group &group, const GroupNames &names)
{
    auto program = buildFullReduction(view, group);
    if (!program) return std::unexpected(program.error());
    auto count = countCode(view, program->dimensions);
    if (!count) return std::unexpected(count.error());
    const Schedule &s = group.schedule;
    const Words words = wordsOf(program->kind);
    const int width = s.vectorWidth;
    const QString threads = names.constant("kThreads"), blocks = names.constant("kBlocks"),
                  partial = QStringLiteral("partial") + upperCamel(program->name);
    GroupCode code;
    code.constants = QStringLiteral("constexpr int %1 = %2; // threads of a block\nconstexpr int %3 = 1024; // most "
                                    "blocks, one partial result each\n")
                         .arg(threads)
                         .arg(s.threads)
                         .arg(blocks);
    code.helpers.append(
        QStringLiteral("block%1%2").arg(words.name, s.shuffle ? QStringLiteral("Shuffled") : QString()));
    ElementFunction element(program->element, QStringLiteral("elementFor") + upperCamel(program->name));
    BufferUse use;
    use.add(program->loads, {});
    QStringList parameters = kernelParameters(view, use);
    parameters.append(QStringLiteral("size_t count"));

    CodeWriter out;
    out.text(element.definition());
    out.line(QStringLiteral("__device__ float %1[%2];").arg(partial, blocks));
    const auto value = [&](const QString &place, const QString &lane) {
        return element.at([&](const QString &name) {
            const auto load = std::ranges::find_if(program->loads, [&](const Load &each) { return each.name == name; });
            if (load->kind == LoadKind::Uniform) return load->buffer + QStringLiteral("[0]");
            return lane.isEmpty() ? QStringLiteral("%1[%2]").arg(load->buffer, place)
                                  : identifierFor(name) + QStringLiteral("4.") + lane;
        });
    };
    out.line();
    out.line(QStringLiteral("// Each thread strides through the tensor; the block's result goes to %1.").arg(partial));
    out.lines(wrapped(QStringLiteral("__global__ void __launch_bounds__(%1) %2(").arg(threads, names.kernel),
                      parameters, QStringLiteral(")")));
    out.open();
    out.line(QStringLiteral("__shared__ float scratch[%1];").arg(threads));
    out.line(
        QStringLiteral("const size_t first = blockIdx.x * size_t(%1) + threadIdx.x, stride = gridDim.x * size_t(%1);")
            .arg(threads));
    out.line(QStringLiteral("float total = %1;").arg(words.start));
    if (width > 1) {
        QStringList body;
        for (const Load &load : program->loads) {
            if (load.kind == LoadKind::Element)
                body.append(QStringLiteral("const float4 %1 = reinterpret_cast<const float4 *>(%2)[i];")
                                .arg(identifierFor(load.name) + u'4', load.buffer));
        }
        for (const QString &lane : lanesOf(4))
            body.append(words.accumulate(QStringLiteral("total"), value({}, lane)));
        if (s.itemsPerThread > 1) out.line(QStringLiteral("#pragma unroll %1").arg(s.itemsPerThread));
        out.block(QStringLiteral("for (size_t i = first; i < count / 4; i += stride)"), body);
        out.block(QStringLiteral(
                      "for (size_t i = count / 4 * 4 + first; i < count; i += stride) // up to three are left over"),
                  {words.accumulate(QStringLiteral("total"), value(QStringLiteral("i"), {}))});
    } else {
        if (s.itemsPerThread > 1) out.line(QStringLiteral("#pragma unroll %1").arg(s.itemsPerThread));
        out.block(QStringLiteral("for (size_t i = first; i < count; i += stride)"),
                  {words.accumulate(QStringLiteral("total"), value(QStringLiteral("i"), {}))});
    }
    out.line(QStringLiteral("total = block%1<%2>(total, scratch);").arg(words.name, threads));
    out.block(QStringLiteral("if (threadIdx.x == 0)"), {QStringLiteral("%1[blockIdx.x] = total;").arg(partial)});
    out.close();
    out.line();
    out.line(QStringLiteral("// One block combines the partial results."));
    out.line(QStringLiteral(
                 "__global__ void __launch_bounds__(%1) %2Finish(float *__restrict__ %3, int blocks, size_t count)")
                 .arg(threads, names.kernel, program->output));
    out.open();
    out.line(QStringLiteral("__shared__ float scratch[%1];").arg(threads));
    out.line(QStringLiteral("float total = %1;").arg(words.start));
    out.block(QStringLiteral("for (int i = threadIdx.x; i < blocks; i += %1)").arg(threads),
              {words.accumulate(QStringLiteral("total"), partial + QStringLiteral("[i]"))});
    out.line(QStringLiteral("total = block%1<%2>(total, scratch);").arg(words.name, threads));
    out.block(QStringLiteral("if (threadIdx.x == 0)"),
              {QStringLiteral("%1[0] = %2;")
                   .arg(program->output,
                        program->isMean ? QStringLiteral("total / float(count)") : QStringLiteral("total"))});
    out.close();
    code.kernels = u'\n' + out.result();

    CodeWriter solve;
    solve.line(QStringLiteral("const size_t count = %1;").arg(*count));
    solve.line(QStringLiteral("const size_t wanted = (count + %1 * %2 - 1) / (%1 * %2);")
                   .arg(threads)
                   .arg(width * s.itemsPerThread));
    solve.line(QStringLiteral("const int blocks = wanted < %1 ? int(wanted) : %1;").arg(blocks));
    QStringList arguments = kernelArguments(view, use);
    arguments.append(QStringLiteral("count"));
    solve.line(QStringLiteral("%1<<<blocks, %2, 0, stream>>>(%3);")
                   .arg(names.kernel, threads, arguments.join(QStringLiteral(", "))));
    solve.line(QStringLiteral("%1Finish<<<1, %2, 0, stream>>>(%3, blocks, count);")
                   .arg(names.kernel, threads, program->output));
    code.launch = solve.result();
    return code;
}

} // namespace kernelskill::expert
