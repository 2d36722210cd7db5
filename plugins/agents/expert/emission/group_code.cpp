// SPDX-License-Identifier: Apache-2.0
#include "emission/group_code.h"

#include <algorithm>

namespace kernelskill::expert {

namespace {

constexpr int columnLimit = 120;

} // namespace

ElementFunction::ElementFunction(const ElementCode &code, const QString &name) : m_code(code), m_name(name) {}

QString ElementFunction::definition() const
{
    if (m_code.locals.isEmpty()) return {};
    QStringList parameters;
    for (const QString &name : m_code.loads() + m_code.rowValues())
        parameters.append(QStringLiteral("float ") + identifierFor(name));
    CodeWriter writer;
    writer.lines(
        wrapped(QStringLiteral("__device__ __forceinline__ float %1(").arg(m_name), parameters, QStringLiteral(")")));
    writer.open();
    for (const Local &local : m_code.locals) {
        writer.line(QStringLiteral("const float %1 = %2;")
                        .arg(identifierFor(local.name), substituted(local.code.text, identifierFor, identifierFor)));
    }
    writer.line(QStringLiteral("return %1;").arg(substituted(m_code.result.text, identifierFor, identifierFor)));
    writer.close();
    return writer.result();
}

QString ElementFunction::at(const Substitution &load, const Substitution &row) const
{
    if (m_code.locals.isEmpty()) return substituted(m_code.result.text, load, row);
    QStringList arguments;
    for (const QString &name : m_code.loads())
        arguments.append(load(name));
    for (const QString &name : m_code.rowValues())
        arguments.append(row(name));
    return m_name + u'(' + arguments.join(QStringLiteral(", ")) + u')';
}

int ElementFunction::uses(const QString &load) const
{
    if (!m_code.locals.isEmpty()) return m_code.usesLoad(load) ? 1 : 0;
    return static_cast<int>(m_code.result.text.count(loadReference(load).text));
}

void BufferUse::add(const QList<Load> &loads, const QList<Store> &stores)
{
    for (const Load &load : loads)
        read.append(load.buffer);
    for (const Store &store : stores)
        written.append(store.buffer);
}

QStringList usedBuffers(const TaskView &view, const BufferUse &use)
{
    QStringList buffers;
    for (const Parameter &parameter : view.task().parameters) {
        if (use.read.contains(parameter.name) || use.written.contains(parameter.name)) buffers.append(parameter.name);
    }
    return buffers;
}

QStringList kernelParameters(const TaskView &view, const BufferUse &use)
{
    QStringList parameters;
    for (const QString &buffer : usedBuffers(view, use))
        parameters.append((use.written.contains(buffer) ? QStringLiteral("float *__restrict__ ")
                                                        : QStringLiteral("const float *__restrict__ ")) +
                          buffer);
    return parameters;
}

QStringList kernelArguments(const TaskView &view, const BufferUse &use)
{
    return usedBuffers(view, use);
}

QStringList wrapped(const QString &head, const QStringList &parameters, const QString &tail)
{
    QStringList lines;
    QString line = head;
    const QString margin(head.size(), u' ');
    for (qsizetype i = 0; i < parameters.size(); ++i) {
        const bool last = i == parameters.size() - 1;
        const QString piece = parameters.at(i) + (last ? tail : QStringLiteral(","));
        if (line.trimmed() != head.trimmed() && line.size() + piece.size() + 1 > columnLimit) {
            lines.append(line);
            line = margin;
        }
        line += (line == head || line == margin ? QString() : QStringLiteral(" ")) + piece;
    }
    if (parameters.isEmpty()) line += tail;
    lines.append(line);
    return lines;
}

QString vectorType(int width)
{
    return width == 1 ? QStringLiteral("float") : QStringLiteral("float%1").arg(width);
}

QStringList lanesOf(int width)
{
    static const QStringList all = {QStringLiteral("x"), QStringLiteral("y"), QStringLiteral("z"), QStringLiteral("w")};
    return width == 1 ? QStringList{QString()} : all.mid(0, width);
}

QString upperCamel(const QString &name)
{
    QString result;
    for (const QString &part : name.split(u'_', Qt::SkipEmptyParts))
        result += part.left(1).toUpper() + part.mid(1);
    return result;
}

Result<QString> countCode(const TaskView &view, const QStringList &dimensions)
{
    auto code = view.extentCode(dimensions);
    if (!code) return code;
    const qsizetype star = code->indexOf(QLatin1String(" * "));
    return star < 0 ? QStringLiteral("size_t(%1)").arg(*code)
                    : QStringLiteral("size_t(%1)%2").arg(code->left(star), code->mid(star));
}

} // namespace kernelskill::expert
