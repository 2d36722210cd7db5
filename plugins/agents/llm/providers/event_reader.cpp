// SPDX-License-Identifier: Apache-2.0
#include "providers/event_reader.h"

#include "providers/error_body.h"

#include <QJsonDocument>

#include <utility>

namespace kernelskill::llm {

namespace {

constexpr qsizetype wholeCap = 64 * 1024 * 1024;

bool looksLikeJson(const QByteArray &bytes)
{
    return bytes.startsWith('{') || bytes.startsWith('[');
}

} // namespace

std::optional<QJsonObject> parsedObject(const QByteArray &bytes)
{
    QJsonParseError error;
    QJsonDocument document = QJsonDocument::fromJson(bytes, &error);
    if (error.error == QJsonParseError::IllegalUTF8String)
        document = QJsonDocument::fromJson(QString::fromUtf8(bytes).toUtf8(), &error);
    if (error.error != QJsonParseError::NoError || !document.isObject())
        return {};
    return document.object();
}

qint64 count(const QJsonValue &value)
{
    constexpr double most = 1e15;
    const double number = value.isString() ? value.toString().toDouble() : value.toDouble();
    return number > 0 && number < most ? qint64(number) : 0;
}

EventReader::EventReader(Framing framing, const QByteArray &contentType) : m_framing(framing)
{
    m_wholeByType = contentType.trimmed().toLower().startsWith("application/json");
}

QList<StreamEvent> EventReader::feed(const QByteArray &bytes)
{
    if (!m_failed)
        takeBytes(bytes);
    return std::exchange(m_out, {});
}

void EventReader::takeBytes(const QByteArray &bytes)
{
    if (m_form == Form::Stream) {
        if (m_framing == Framing::Events) {
            for (const ServerEvent &event : m_events.feed(bytes))
                takeData(event.name, event.data, false);
        } else {
            for (const QByteArray &line : m_lines.feed(bytes))
                takeData({}, line, false);
        }
        if (!m_failed && (m_events.overflowed() || m_lines.overflowed()))
            fail(QStringLiteral("stream.size"), QStringLiteral("One event of the answer is too large."));
        return;
    }
    m_bytes += bytes;
    if (m_bytes.size() > wholeCap)
        return fail(QStringLiteral("stream.size"), QStringLiteral("The answer is too large."));
    if (m_form == Form::Unknown)
        recognise();
}

// The first character tells events from one whole JSON, whatever the content type says. Of lines the first character is the
// same either way, there the content type counts.
void EventReader::recognise()
{
    constexpr QByteArrayView mark = "\xEF\xBB\xBF";
    QByteArray start = m_bytes;
    if (mark.startsWith(start.first(qMin(start.size(), mark.size()))) && start.size() < mark.size())
        return;
    if (start.startsWith(mark))
        start.remove(0, mark.size());
    start = start.trimmed();
    if (start.isEmpty())
        return;
    const bool whole = m_framing == Framing::Events ? looksLikeJson(start) : m_wholeByType;
    m_form = whole ? Form::Whole : Form::Stream;
    if (!whole)
        takeBytes(std::exchange(m_bytes, {}));
}

void EventReader::takeData(const QByteArray &name, const QByteArray &data, bool maybeCut)
{
    const QByteArray trimmed = data.trimmed();
    if (m_failed || trimmed.isEmpty())
        return;
    if (const auto object = parsedObject(trimmed))
        return readObject(name, *object, false);
    if (name == "error")
        return fail({}, QString::fromUtf8(trimmed));
    if (!trimmed.startsWith('{'))
        return takeWord(trimmed);
    if (!maybeCut)
        fail(QStringLiteral("stream.malformed"), QStringLiteral("An event of the answer is no valid JSON."));
}

void EventReader::readObject(const QByteArray &name, const QJsonObject &data, bool whole)
{
    if (m_failed)
        return;
    if (const auto error = errorIn(data, name == "error"))
        return fail(error->name(), error->message);
    if (whole)
        takeWhole(data);
    else
        take(name, data);
}

QList<StreamEvent> EventReader::finish()
{
    if (!m_failed) {
        if (m_form == Form::Stream)
            finishStream();
        else if (m_form == Form::Whole)
            finishWhole();
        if (!m_failed)
            close();
    }
    return std::exchange(m_out, {});
}

void EventReader::finishStream()
{
    if (m_framing == Framing::Lines)
        return takeData({}, m_lines.rest(), true);
    for (const ServerEvent &event : m_events.rest())
        takeData(event.name, event.data, true);
}

void EventReader::finishWhole()
{
    if (m_bytes.startsWith("\xEF\xBB\xBF"))
        m_bytes.remove(0, 3);
    const QJsonDocument document = QJsonDocument::fromJson(m_bytes);
    if (document.isArray()) { // Gemini without alt=sse: the chunks as an array
        const QJsonArray chunks = document.array();
        for (const QJsonValue &chunk : chunks)
            readObject({}, chunk.toObject(), true);
        return;
    }
    if (const auto object = parsedObject(m_bytes))
        return readObject({}, *object, true);
    if (m_framing == Framing::Lines)
        for (const QByteArray &line : m_bytes.split('\n'))
            takeData({}, line, true);
}

QString EventReader::joined(const QString &channel, const QString &piece)
{
    QString all = m_halves.take(channel) + piece;
    if (!all.isEmpty() && all.back().isHighSurrogate()) {
        m_halves.insert(channel, all.last(1));
        all.chop(1);
    }
    return all;
}

void EventReader::text(const QString &piece)
{
    StreamEvent event;
    event.text = joined(QStringLiteral("text"), piece);
    if (!event.text.isEmpty())
        m_out.append(event);
}

void EventReader::reasoning(const QString &piece)
{
    StreamEvent event;
    event.kind = StreamEvent::Kind::Reasoning;
    event.text = joined(QStringLiteral("reasoning"), piece);
    if (!event.text.isEmpty())
        m_out.append(event);
}

void EventReader::toolCall(const QString &key, const QString &id, const QString &name, const QString &piece)
{
    StreamEvent event;
    event.kind = StreamEvent::Kind::ToolCall;
    event.key = key;
    event.id = id;
    event.name = name;
    event.text = joined(QStringLiteral("call ") + key, piece);
    m_out.append(event);
}

void EventReader::wholeToolCall(const QString &key, const QString &id, const QString &name, const QJsonObject &arguments)
{
    StreamEvent event;
    event.kind = StreamEvent::Kind::ToolCall;
    event.key = key;
    event.id = id;
    event.name = name;
    event.whole = arguments;
    m_out.append(event);
}

void EventReader::usage(const Usage &usage)
{
    if (!usage.known)
        return;
    StreamEvent event;
    event.kind = StreamEvent::Kind::Usage;
    event.usage = usage;
    m_out.append(event);
}

void EventReader::stop(Stop stop, const QString &word)
{
    if (std::exchange(m_stopped, true))
        return;
    StreamEvent event;
    event.kind = StreamEvent::Kind::Stop;
    event.stop = stop;
    event.text = word;
    m_out.append(event);
}

void EventReader::model(const QString &name)
{
    if (name.isEmpty() || name == m_model)
        return;
    m_model = name;
    StreamEvent event;
    event.kind = StreamEvent::Kind::Model;
    event.text = name;
    m_out.append(event);
}

void EventReader::verbatim(const QJsonArray &items)
{
    if (items.isEmpty())
        return;
    StreamEvent event;
    event.kind = StreamEvent::Kind::Verbatim;
    event.verbatim = items;
    m_out.append(event);
}

void EventReader::fail(const QString &code, const QString &message)
{
    if (std::exchange(m_failed, true))
        return;
    StreamEvent event;
    event.kind = StreamEvent::Kind::Error;
    event.key = code;
    event.text = message;
    m_out.append(event);
}

} // namespace kernelskill::llm
