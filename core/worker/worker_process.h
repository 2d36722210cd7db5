// SPDX-License-Identifier: Apache-2.0
// Our own worker programs: JSON lines over pipes, a versioned hello, a wall clock, death to the group.
#pragma once

#include "base/result.h"

#include <QCoroTask>
#include <QHash>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <stop_token>

namespace kernelskill {

inline constexpr int workerProtocolVersion = 1;

// A worker is one of our programs (trusted); what it runs for us is not, and it confines that itself.
// Protocol: the worker writes {"hello": "<name>", "protocol": 1}; we write one request object; it streams messages,
// each one line, the last with "done": true. Its stderr is a log, capped.
struct WorkerCommand
{
    QString program;
    QStringList arguments;
    QJsonObject request;
    int wallClock_ms = 120'000;
    // Stage → milliseconds. A message whose "stage" is another one than before restarts the wall clock with that stage's
    // limit (wallClock_ms where it has none).
    QHash<QString, int> stageClock_ms = {};
    // Its standard input stays open until it has ended, so that its end means ours (kit/lifeline.h); without, it is closed
    // after the request. An empty line every heartbeat_ms, where that is not 0.
    bool holdInput = false;
    int heartbeat_ms = 0;
    // Text before the hello belongs to the log: a login shell on another machine may print some.
    bool mayPrintFirst = false;
    QString title = {}; // for messages; empty: the program's file name
    std::function<void(const QJsonObject &)> greeted = {}; // gets the hello once it is accepted
};

struct WorkerEnd
{
    QJsonObject last; // the message with "done"
    QString log;
};

// `message` gets every message but the hello and the last. Errors: worker.start, worker.protocol, worker.died,
// worker.timeout, worker.stopped. Fork happens on the calling thread (the engine's).
QCoro::Task<Result<WorkerEnd>> runWorker(WorkerCommand command, std::function<void(const QJsonObject &)> message,
                                         std::stop_token stop);

} // namespace kernelskill
