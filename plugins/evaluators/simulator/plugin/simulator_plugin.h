// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin/plugin_interfaces.h"

#include <QObject>

namespace kernelskill::simulator {

class SimulatorPlugin : public QObject, public EvaluatorPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID KernelSkillEvaluatorPlugin_iid FILE "metadata.json")
    Q_INTERFACES(kernelskill::EvaluatorPlugin)

public:
    // Settings: "compiler" (clang, nvcc), "device" (a file in resources/gpus). See metadata.json.
    [[nodiscard]] std::unique_ptr<Evaluator> createEvaluator(const QJsonObject &settings) override;
    [[nodiscard]] QList<QJsonObject> doctor() override;
};

} // namespace kernelskill::simulator
