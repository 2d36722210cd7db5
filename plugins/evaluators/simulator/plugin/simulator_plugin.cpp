// SPDX-License-Identifier: Apache-2.0
#include "simulator_plugin.h"

#include "frontend/installation.h"
#include "plugin/simulator_evaluator.h"

namespace kernelskill::simulator {

namespace {

QJsonObject line(const QString &name, bool ok, const QString &text, const QString &remedy = {})
{
    return {{QStringLiteral("name"), name},
            {QStringLiteral("ok"), ok},
            {QStringLiteral("text"), text},
            {QStringLiteral("remedy"), remedy}};
}

} // namespace

std::unique_ptr<Evaluator> SimulatorPlugin::createEvaluator(const QJsonObject &settings)
{
    return std::make_unique<SimulatorEvaluator>(settings);
}

QList<QJsonObject> SimulatorPlugin::doctor()
{
    QList<QJsonObject> lines;
    if (const auto installation = Installation::find())
        lines.append(line(QStringLiteral("simulator worker"), true, installation->worker()));
    else
        lines.append(line(QStringLiteral("simulator worker"), false, installation.error().message,
                          QStringLiteral("Build the target kernelskill-sim-worker, or reinstall.")));
    if (const auto clang = Compiler::find(QStringLiteral("clang")))
        lines.append(line(QStringLiteral("clang for the simulator"), true, clang->version));
    else
        lines.append(line(QStringLiteral("clang for the simulator"), false, clang.error().message,
                          QStringLiteral("Install the package clang-19.")));
    if (const auto nvcc = Compiler::find(QStringLiteral("nvcc")))
        lines.append(line(QStringLiteral("nvcc for the simulator"), true, nvcc->version));
    else
        lines.append(line(QStringLiteral("nvcc for the simulator"), true,
                          QStringLiteral("not installed; clang serves instead")));
    return lines;
}

} // namespace kernelskill::simulator
