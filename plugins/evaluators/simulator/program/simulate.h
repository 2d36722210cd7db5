// SPDX-License-Identifier: Apache-2.0
// Builds a program, runs it through the worker, collects what came of it.
#pragma once

#include "base/result.h"
#include "program/arguments.h"
#include "program/report.h"

#include <QCoroTask>

#include <functional>
#include <stop_token>

namespace kernelskill::simulator {

// `printed` gets the program's output while it runs. An Error is trouble of the environment.
[[nodiscard]] QCoro::Task<Result<ProgramOutcome>>
simulate(ProgramOptions options, std::function<void(bool isError, const QByteArray &)> printed, std::stop_token stop);

} // namespace kernelskill::simulator
