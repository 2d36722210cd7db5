// SPDX-License-Identifier: Apache-2.0
#include "client/key_source.h"
#include "plugin/plugin_interfaces.h"
#include "plugin/plugin_settings.h"
#include "roles/llm_agent.h"

#include <QObject>

namespace kernelskill::llm {

class LlmPlugin final : public QObject, public AgentPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID KernelSkillAgentPlugin_iid FILE "metadata.json")
    Q_INTERFACES(kernelskill::AgentPlugin)
public:
    std::unique_ptr<Agent> createAgent(const QJsonObject &settings) override
    {
        return std::make_unique<LlmAgent>(settings);
    }

    QCoro::Task<Result<QStringList>> choices(QString setting, QJsonObject settings) override
    {
        if (!setting.endsWith(u"model"))
            co_return failure(QStringLiteral("settings.choices"),
                              QStringLiteral("what may stand in '%1' cannot be listed; 'model' can").arg(setting));
        if (settings.value("model").toString().isEmpty())
            settings.insert("model", QStringLiteral("any")); // not known yet
        settings.remove("cassette");
        auto connection = connectTo(settings);
        if (!connection) co_return std::unexpected(connection.error());
        co_return co_await connection->client->models();
    }

    // Without a word to any server: whether what the settings name is there.
    QList<QJsonObject> doctor() override
    {
        const QString name = QStringLiteral("language model");
        const QJsonObject stored = storedSettings(QStringLiteral("agent"), QStringLiteral("llm"));
        if (stored.isEmpty())
            return {line(name, true, QStringLiteral("none is set; the rule-based expert needs none"))};
        const auto settings = settingsFrom(stored);
        if (!settings)
            return {line(name, false, settings.error().message,
                         QStringLiteral("in the window Run, Agent settings; or plugins.ini in the configuration "
                                        "folder, group agent-llm"))};
        return {line(name, true, QStringLiteral("%1 at %2").arg(settings->model, settings->endpoint.base.host())),
                keyDoctorLine(*settings)};
    }

private:
    static QJsonObject line(const QString &name, bool ok, const QString &text, const QString &remedy = {})
    {
        return {{"name", name}, {"ok", ok}, {"text", text}, {"remedy", remedy}};
    }
};

} // namespace kernelskill::llm

#include "llm_plugin.moc"
