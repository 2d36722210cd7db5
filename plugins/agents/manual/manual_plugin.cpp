// SPDX-License-Identifier: Apache-2.0
#include "manual_agent.h"
#include "plugin/plugin_interfaces.h"

#include <QObject>

namespace kernelskill::manual {

class ManualPlugin final : public QObject, public AgentPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID KernelSkillAgentPlugin_iid FILE "metadata.json")
    Q_INTERFACES(kernelskill::AgentPlugin)
public:
    std::unique_ptr<Agent> createAgent(const QJsonObject &) override { return std::make_unique<ManualAgent>(); }
};

} // namespace kernelskill::manual

#include "manual_plugin.moc"
