// SPDX-License-Identifier: Apache-2.0
// Lines out of bytes that arrive cut anywhere. A line ends with LF, CR or CRLF; a byte order mark before the first is left
// out. Bytes stay bytes: nothing is decoded before its line is whole.
#pragma once

#include <QByteArray>
#include <QList>

namespace kernelskill::llm {

class LineStream
{
public:
    static constexpr qsizetype usualCap = 16 * 1024 * 1024;
    explicit LineStream(qsizetype cap = usualCap) : m_cap(cap) {}

    [[nodiscard]] QList<QByteArray> feed(const QByteArray &bytes);
    // What stands after the last line end; empty where nothing does.
    [[nodiscard]] QByteArray rest();
    // A line was longer than the cap: nothing more comes.
    [[nodiscard]] bool overflowed() const { return m_overflowed; }

private:
    void finishLine(QList<QByteArray> &lines);

    qsizetype m_cap;
    QByteArray m_line;
    bool m_first = true;
    bool m_afterReturn = false; // a line feed now belongs to the carriage return before it
    bool m_overflowed = false;
};

} // namespace kernelskill::llm
