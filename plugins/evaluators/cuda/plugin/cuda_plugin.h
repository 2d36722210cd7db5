// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin/plugin_interfaces.h"

#include <QObject>

namespace kernelskill::cuda {

class CudaPlugin : public QObject, public EvaluatorPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID KernelSkillEvaluatorPlugin_iid FILE "metadata.json")
    Q_INTERFACES(kernelskill::EvaluatorPlugin)

public:
    [[nodiscard]] std::unique_ptr<Evaluator> createEvaluator(const QJsonObject &settings) override;
    // Asks every machine; waits for those that answer slowly, so not for a thread that must go on.
    [[nodiscard]] QList<QJsonObject> doctor() override;
};

} // namespace kernelskill::cuda
