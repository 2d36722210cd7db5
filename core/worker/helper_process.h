// SPDX-License-Identifier: Apache-2.0
// Runs a trusted program of the system (ssh, tar, sh) to its end: own group, wall clock, output kept and capped.
#pragma once

#include "base/result.h"

#include <QByteArray>
#include <QCoroTask>
#include <QString>
#include <QStringList>

#include <stop_token>

namespace kernelskill {

struct HelperCommand
{
    QString program;
    QStringList arguments;
    QByteArray input; // written to its standard input, which then ends
    int wallClock_ms = 60'000;
};

struct HelperEnd
{
    int exitCode = 0; // 128 + n when signal n ended it
    QByteArray output;
    QString log; // its stderr
};

// The environment is inherited (the agent's socket among it), with messages in English so that they can be understood.
// Errors: helper.missing, helper.start, helper.timeout, helper.stopped.
QCoro::Task<Result<HelperEnd>> runHelper(HelperCommand command, std::stop_token stop);

} // namespace kernelskill
