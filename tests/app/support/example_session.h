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
// Eleven nodes, a round each. 2 and 3 are failed repairs of 1, 4 the repair that passes; 6 to 9 are failed repairs of 5,
// after which node 10 is made from 4, the best.
[[nodiscard]] ExampleSession sessionWithFailedRepairs();
// The same again and again, each time from where the last one ended: at least so many nodes.
[[nodiscard]] ExampleSession longSession(int nodes);
[[nodiscard]] ExampleSession longSession(int nodes, const ExampleSession &once);
[[nodiscard]] Result<void> writeSession(const QString &path, const ExampleSession &session);

} // namespace kernelskill
