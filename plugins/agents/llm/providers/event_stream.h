// SPDX-License-Identifier: Apache-2.0
// Server-sent events out of bytes that arrive cut anywhere. Comments, ids, retry times and unknown fields are passed over;
// the data lines of an event are joined by line feeds.
#pragma once

#include "providers/line_stream.h"

namespace kernelskill::llm {

struct ServerEvent
{
    QByteArray name; // empty where the server gives none
    QByteArray data;
    friend bool operator==(const ServerEvent &, const ServerEvent &) = default;
};

class EventStream
{
public:
    // The cap holds for a line and for the data of one event.
    explicit EventStream(qsizetype cap = LineStream::usualCap) : m_lines(cap), m_cap(cap) {}

    [[nodiscard]] QList<ServerEvent> feed(const QByteArray &bytes);
    // An event the server did not close with an empty line. It may be cut off.
    [[nodiscard]] QList<ServerEvent> rest();
    [[nodiscard]] bool overflowed() const { return m_overflowed || m_lines.overflowed(); }

private:
    void takeLine(const QByteArray &line, QList<ServerEvent> &events);

    LineStream m_lines;
    qsizetype m_cap;
    ServerEvent m_event;
    bool m_hasData = false;
    bool m_overflowed = false;
};

} // namespace kernelskill::llm
