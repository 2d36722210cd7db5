// SPDX-License-Identifier: Apache-2.0
#include "providers/line_stream.h"

#include <utility>

namespace kernelskill::llm {

void LineStream::finishLine(QList<QByteArray> &lines)
{
    if (std::exchange(m_first, false) && m_line.startsWith("\xEF\xBB\xBF"))
        m_line.remove(0, 3);
    lines.append(std::exchange(m_line, {}));
}

QList<QByteArray> LineStream::feed(const QByteArray &bytes)
{
    QList<QByteArray> lines;
    qsizetype from = 0;
    const auto keep = [&](qsizetype to) {
        m_line.append(bytes.constData() + from, to - from);
        if (m_line.size() > m_cap)
            m_overflowed = true;
    };
    for (qsizetype at = 0; at < bytes.size() && !m_overflowed; ++at) {
        const char byte = bytes[at];
        if (std::exchange(m_afterReturn, false) && byte == '\n') {
            from = at + 1;
            continue;
        }
        if (byte != '\n' && byte != '\r')
            continue;
        keep(at);
        from = at + 1;
        m_afterReturn = byte == '\r';
        if (!m_overflowed)
            finishLine(lines);
    }
    if (!m_overflowed)
        keep(bytes.size());
    if (m_overflowed)
        m_line.clear();
    return lines;
}

QByteArray LineStream::rest()
{
    QList<QByteArray> lines;
    if (!m_line.isEmpty())
        finishLine(lines);
    return lines.isEmpty() ? QByteArray() : lines.first();
}

} // namespace kernelskill::llm
