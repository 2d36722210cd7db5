// SPDX-License-Identifier: Apache-2.0
// What the readers of all protocols share: events or lines are split off and parsed, errors among them are seen, one whole
// JSON in place of a stream is recognised, and the neutral events are collected.
#pragma once

#include "providers/event_stream.h"
#include "providers/provider.h"

#include <QHash>

namespace kernelskill::llm {

class EventReader : public StreamReader
{
public:
    enum class Framing { Events, Lines };
    explicit EventReader(Framing framing, const QByteArray &contentType);

    [[nodiscard]] QList<StreamEvent> feed(const QByteArray &bytes) final;
    [[nodiscard]] QList<StreamEvent> finish() final;
    // Never after an error, whatever came behind it.
    [[nodiscard]] bool sawEnd() const final { return m_ended && !m_failed; }

protected:
    // One event or line, one JSON object. Errors are taken out before.
    virtual void take(const QByteArray &name, const QJsonObject &data) = 0;
    // The answer as one object, in place of a stream.
    virtual void takeWhole(const QJsonObject &answer) = 0;
    // An event's data that is no JSON object, such as "[DONE]".
    virtual void takeWord(const QByteArray &) {}
    // After the last byte, unless there was an error.
    virtual void close() {}

    void text(const QString &piece);
    void reasoning(const QString &piece);
    void toolCall(const QString &key, const QString &id, const QString &name, const QString &piece);
    void wholeToolCall(const QString &key, const QString &id, const QString &name, const QJsonObject &arguments);
    void usage(const Usage &usage);
    void stop(Stop stop, const QString &word = {}); // once; further ones are dropped
    void model(const QString &name);                // when it is new
    void verbatim(const QJsonArray &items);
    void fail(const QString &code, const QString &message);
    void ended() { m_ended = true; }
    [[nodiscard]] bool failed() const { return m_failed; }

private:
    enum class Form { Unknown, Stream, Whole };
    void recognise();
    void takeBytes(const QByteArray &bytes);
    void takeData(const QByteArray &name, const QByteArray &data, bool maybeCut);
    void readObject(const QByteArray &name, const QJsonObject &data, bool whole);
    void finishWhole();
    void finishStream();
    // A pair of surrogates may be cut in two by the server: its first half waits for the second.
    [[nodiscard]] QString joined(const QString &channel, const QString &piece);

    Framing m_framing;
    bool m_wholeByType = false;
    Form m_form = Form::Unknown;
    QByteArray m_bytes; // Unknown: what came so far; Whole: all of it
    EventStream m_events;
    LineStream m_lines;
    QList<StreamEvent> m_out;
    QHash<QString, QString> m_halves;
    QString m_model;
    bool m_stopped = false, m_ended = false, m_failed = false;
};

// The object in the bytes; broken UTF-8 in it is replaced. Nothing: no object, or a broken one.
[[nodiscard]] std::optional<QJsonObject> parsedObject(const QByteArray &bytes);
// A number as a server may write it: also as a double or as text. Negative and absurd ones are 0.
[[nodiscard]] qint64 count(const QJsonValue &value);

} // namespace kernelskill::llm
