// SPDX-License-Identifier: Apache-2.0
// The Reviewer without a GPU: builds a candidate, checks and times it on the simulated device.
#pragma once

#include "evaluation/evaluator.h"

#include <QJsonObject>

namespace kernelskill::simulator {

class SimulatorEvaluator : public Evaluator
{
public:
    explicit SimulatorEvaluator(QJsonObject settings = {});
    [[nodiscard]] EvaluatorFacts facts() const override;
    [[nodiscard]] QList<DeviceInfo> devices() const override;
    QCoro::Task<Result<Evaluation>> evaluate(EvaluationRequest request, ProgressSink progress,
                                             std::stop_token stop) override;
    QCoro::Task<Result<QList<Finding>>> compile(EvaluationRequest request, std::stop_token stop) override;

private:
    QJsonObject m_settings;
};

} // namespace kernelskill::simulator
