// SPDX-License-Identifier: Apache-2.0
#include "evaluation/evaluator.h"

namespace kernelskill {

// Out of line, so that the virtual table lives in this library and not in each plugin.
Evaluator::~Evaluator() = default;

QCoro::Task<Result<QList<Finding>>> Evaluator::compile(EvaluationRequest, std::stop_token)
{
    co_return failure("evaluator.compile", QStringLiteral("the evaluator '%1' cannot compile without evaluating").arg(facts().id));
}

QCoro::Task<Result<Evaluation>> Evaluator::importReport(QString path, std::stop_token)
{
    co_return failure("evaluator.import", QStringLiteral("%1: the evaluator '%2' reads no profiler's reports").arg(path, facts().id));
}

} // namespace kernelskill
