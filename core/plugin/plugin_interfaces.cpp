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

} // namespace kernelskill
