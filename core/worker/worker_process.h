// SPDX-License-Identifier: Apache-2.0
// Our own worker programs: JSON lines over pipes, a versioned hello, a wall clock, death to the group.
#pragma once

#include "base/result.h"

#include <QCoroTask>
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
