// SPDX-License-Identifier: Apache-2.0
#include "providers/event_stream.h"

#include <utility>

namespace kernelskill::llm {

void EventStream::takeLine(const QByteArray &line, QList<ServerEvent> &events)
{
    if (line.isEmpty()) {
        ServerEvent event = std::exchange(m_event, {});
        if (std::exchange(m_hasData, false))
            events.append(std::move(event));
        return;
    }
    const qsizetype colon = line.indexOf(':');
    const QByteArray field = colon < 0 ? line : line.first(colon);
    QByteArray value = colon < 0 ? QByteArray() : line.sliced(colon + 1);
    if (value.startsWith(' '))
        value.remove(0, 1);
    if (field == "event")
        m_event.name = value;
    // llama.cpp's server writes its errors in a field of that name.
    if (field == "error")
        m_event.name = field;
    if (field != "data" && field != "error")
        return;
    if (std::exchange(m_hasData, true))
        m_event.data += '\n';
    m_event.data += value;
    if (m_event.data.size() > m_cap)
        m_overflowed = true;
}

QList<ServerEvent> EventStream::feed(const QByteArray &bytes)
{
    QList<ServerEvent> events;
    for (const QByteArray &line : m_lines.feed(bytes)) {
        if (m_overflowed)
            break;
        takeLine(line, events);
    }
    return events;
}

QList<ServerEvent> EventStream::rest()
{
    QList<ServerEvent> events;
    if (overflowed())
        return events;
    if (const QByteArray line = m_lines.rest(); !line.isEmpty())
        takeLine(line, events);
    takeLine({}, events);
    return events;
}

} // namespace kernelskill::llm
