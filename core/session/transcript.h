// SPDX-License-Identifier: Apache-2.0
// What was asked of each role for one node, and what it answered, in order: read off the events. Pure but for blobs.
#pragma once

#include "session/event.h"
#include "session/trajectory.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QList>
#include <QString>

#include <functional>

namespace kernelskill {

struct TranscriptPart
{
    QString title;
    QString text;
    bool isCode = false; // code, logs: fixed width
};

// Of the exchange with a model, in its order.
struct TranscriptMessage
{
    QString from; // "system", "user", "assistant", "reasoning", "tool"
    QString text;
    QString note; // what was taken or dropped of it, and why
};

struct TranscriptEntry
{
    QString role;   // of the cast; "reviewer" for the evaluator, "person" for a prediction or an edit
    QString agent;  // plugin id; "person"
    qint64 time_ms = 0; // since the epoch, when it was done
    double wall_ms = -1; // −1: not known
    int calls = 0;       // to a model; 0: it talked to none
    qint64 tokensIn = 0, tokensOut = 0;
    qint64 tokensCached = 0; // of tokensIn
    double cost_usd = 0;
    bool recorded = false; // played again
    QList<TranscriptPart> asked, answered; // what the engine wanted, and what it took
    QList<TranscriptMessage> messages;
    QJsonObject facts; // provider, model, prompt {name, version, digest}, …
    QString outcome; // one line: what it came to
    QString error;   // why nothing came of the call

    [[nodiscard]] QJsonObject toJson() const;
};

using BlobReader = std::function<QByteArray(const QString &digest)>;

// Empty for a node that does not exist.
[[nodiscard]] QList<TranscriptEntry> transcriptOf(const QList<Event> &events, const Trajectory &trajectory, int node,
                                                  const BlobReader &blob);
[[nodiscard]] QJsonArray toJson(const QList<TranscriptEntry> &entries);

} // namespace kernelskill
