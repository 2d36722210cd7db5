// SPDX-License-Identifier: Apache-2.0
// Compiles and links a whole program: PTX for the simulated device, and a shared library with the program's main that
// runs against our libcudart stand-in.
#pragma once

#include "base/result.h"
#include "evaluation/evaluation.h"
#include "program/arguments.h"

#include <QCoroTask>

#include <stop_token>

namespace kernelskill::simulator {

struct ProgramProduct
{
    bool succeeded = false;
    QStringList ptx;
    QString library;
    QList<Finding> findings; // "compile_error" when it did not succeed
    QString log;
};

// Builds in `folder`, which exists and is empty. An Error is trouble of the environment.
[[nodiscard]] QCoro::Task<Result<ProgramProduct>> buildProgram(ProgramOptions options, Installation installation,
                                                               Compiler compiler, QString folder, std::stop_token stop);

} // namespace kernelskill::simulator
