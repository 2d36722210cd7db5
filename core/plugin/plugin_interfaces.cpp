// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_interfaces.h"

namespace kernelskill {

EvaluatorPlugin::~EvaluatorPlugin() = default;

QList<QJsonObject> EvaluatorPlugin::doctor()
{
    return {};
}

AgentPlugin::~AgentPlugin() = default;

QList<QJsonObject> AgentPlugin::doctor()
{
    return {};
}

QCoro::Task<Result<QStringList>> AgentPlugin::choices(QString setting, QJsonObject)
{
    co_return failure("settings.choices", QStringLiteral("what may stand in '%1' cannot be listed").arg(setting));
}

} // namespace kernelskill
