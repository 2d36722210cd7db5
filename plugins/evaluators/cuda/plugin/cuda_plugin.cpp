// SPDX-License-Identifier: Apache-2.0
#include "cuda_plugin.h"

#include "plugin/cuda_doctor.h"
#include "plugin/cuda_evaluator.h"
#include "plugin/device_directory.h"
#include "plugin/plugin_settings.h"

namespace kernelskill::cuda {

std::unique_ptr<Evaluator> CudaPlugin::createEvaluator(const QJsonObject &settings)
{
    return std::make_unique<CudaEvaluator>(settings);
}

QList<QJsonObject> CudaPlugin::doctor()
{
    const auto settings = CudaSettings::read(storedSettings(QStringLiteral("evaluator"), QStringLiteral("cuda")));
    if (!settings)
        return {{{QStringLiteral("name"), QStringLiteral("CUDA settings")},
                 {QStringLiteral("ok"), false},
                 {QStringLiteral("text"), settings.error().message},
                 {QStringLiteral("remedy"), QStringLiteral("Correct plugins.ini in the configuration folder.")}}};
    QList<QJsonObject> lines;
    for (const HostDevices &machine :
         DeviceDirectory::instance().look(findWorker(), settings->hosts, std::chrono::seconds(60)))
        lines += doctorLines(machine);
    return lines;
}

} // namespace kernelskill::cuda
