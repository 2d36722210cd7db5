// SPDX-License-Identifier: Apache-2.0
// The Reviewer's interface: builds, checks, times and profiles one candidate.
#pragma once

#include "base/result.h"
#include "evaluation/evaluation.h"
#include "task/task.h"

#include <QCoroTask>

#include <functional>
#include <stop_token>

namespace kernelskill {

struct EvaluationRequest
{
    Task task;
    Candidate candidate;
    QString device;             // empty: the evaluator's default
    QString mode = QStringLiteral("strict"); // "kernelbench", "paper"
    quint64 seed = 1;           // inputs derive from it
    bool time = true;           // false: build and check only
    bool unconfined = false;    // the person allows running without a sandbox
};

struct EvaluationProgress
{
    QString stage;   // "building", "checking", "timing", "profiling"
    int done = 0, total = 0;
    QString text;    // "checking 14 of 24"
};
using ProgressSink = std::function<void(const EvaluationProgress &)>; // called on the evaluator's own thread: the engine's

struct EvaluatorFacts
{
    QString id, title;
    QStringList taskKinds;  // "native", "kernelbench"
    QStringList languages;  // "cuda"
    TimeKind kind = TimeKind::Modelled;
    QStringList metrics;    // names of the catalogue it can give
};

struct DeviceInfo
{
    QString id, title, architecture;
    bool usable = true;
    QString reason; // why not
};

class Evaluator
{
public:
    virtual ~Evaluator();
    [[nodiscard]] virtual EvaluatorFacts facts() const = 0;
    [[nodiscard]] virtual QList<DeviceInfo> devices() const = 0;
    // Lives on the engine's thread; leaves no process behind when stopped. An Error is trouble of the environment; a bad
    // candidate is an Evaluation that says so.
    virtual QCoro::Task<Result<Evaluation>> evaluate(EvaluationRequest request, ProgressSink progress,
                                                     std::stop_token stop) = 0;
    // What the compiler says of a candidate that is still being written, without running anything: findings of kind "build"
    // with file and line, none when it compiles. Errors: evaluator.compile where this evaluator cannot.
    virtual QCoro::Task<Result<QList<Finding>>> compile(EvaluationRequest request, std::stop_token stop);
    // A profile that another program wrote down: nothing but `profile` and what evidence tells of it. Errors:
    // evaluator.import where this evaluator knows no such file.
    virtual QCoro::Task<Result<Evaluation>> importReport(QString path, std::stop_token stop);
};

} // namespace kernelskill
