// SPDX-License-Identifier: Apache-2.0
// An invented session of row_softmax with every kind of node. Its figures mean nothing.
#pragma once

#include "base/result.h"
#include "session/event.h"

#include <QHash>

namespace kernelskill {

struct ExampleSession
{
    QList<Event> events;              // numbered from 1
    QHash<QString, QByteArray> blobs; // SHA-256 → content
};

[[nodiscard]] QString digestOf(const QByteArray &content); // as blobs are named

// `running`: the last node is still being checked and the run has not ended.
[[nodiscard]] ExampleSession exampleSession(bool running);
[[nodiscard]] Result<void> writeExampleSession(const QString &path, bool running);
// The same again and again, each time from where the last one ended: at least so many nodes.
[[nodiscard]] ExampleSession longSession(int nodes);
[[nodiscard]] Result<void> writeSession(const QString &path, const ExampleSession &session);

} // namespace kernelskill
