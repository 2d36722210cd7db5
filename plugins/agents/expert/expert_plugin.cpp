// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_interfaces.h"
#include "roles/expert_agent.h"

#include <QObject>

namespace kernelskill::expert {

class ExpertPlugin final : public QObject, public AgentPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID KernelSkillAgentPlugin_iid FILE "metadata.json")
    Q_INTERFACES(kernelskill::AgentPlugin)
public:
    std::unique_ptr<Agent> createAgent(const QJsonObject &) override { return std::make_unique<ExpertAgent>(); }
};

} // namespace kernelskill::expert

#include "expert_plugin.moc"
