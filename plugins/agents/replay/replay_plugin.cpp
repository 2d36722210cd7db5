// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_interfaces.h"
#include "replay_agent.h"

#include <QObject>

namespace kernelskill::replay {

class ReplayPlugin final : public QObject, public AgentPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID KernelSkillAgentPlugin_iid FILE "metadata.json")
    Q_INTERFACES(kernelskill::AgentPlugin)
public:
    std::unique_ptr<Agent> createAgent(const QJsonObject &settings) override { return std::make_unique<ReplayAgent>(settings); }
};

} // namespace kernelskill::replay

#include "replay_plugin.moc"
