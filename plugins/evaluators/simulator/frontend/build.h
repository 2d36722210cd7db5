// SPDX-License-Identifier: Apache-2.0
// Builds a candidate: CUDA C++ to PTX for the simulated device, and to a shared library for the candidate's process.
#pragma once

#include "base/result.h"
#include "evaluation/evaluation.h"
#include "frontend/installation.h"
#include "task/task.h"

#include <QCoroTask>

#include <stop_token>

namespace kernelskill::simulator {

struct BuildRequest
{
    Task task;
    Candidate candidate;
    Compiler compiler;
    Installation installation;
    bool unconfined = false;
};

struct BuildProduct
{
    bool succeeded = false;
    QString folder;          // with what follows; in the cache, read-only by agreement
    QStringList ptx;         // paths, one a translation unit
    QString library;         // candidate.so
    QList<Finding> findings; // "compile_error" when it did not succeed; "timeout", "sandbox"
    QString log;
    QString stopped; // "timed out" …: how the compiler itself ended when it did not end by itself
    bool cached = false;
    double wall_ms = 0;
};


// An Error is trouble of the environment; a candidate that does not build is a product that says so.
// Finished builds are kept by content under paths::cacheFolder()/simulator.
[[nodiscard]] QCoro::Task<Result<BuildProduct>> build(BuildRequest request, std::stop_token stop);

} // namespace kernelskill::simulator
