// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_interfaces.h"
#include "process_agent.h"

#include <QObject>

namespace kernelskill::process {

class ProcessPlugin final : public QObject, public AgentPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID KernelSkillAgentPlugin_iid FILE "metadata.json")
    Q_INTERFACES(kernelskill::AgentPlugin)
public:
    std::unique_ptr<Agent> createAgent(const QJsonObject &settings) override { return std::make_unique<ProcessAgent>(settings); }
};

} // namespace kernelskill::process

#include "process_plugin.moc"
