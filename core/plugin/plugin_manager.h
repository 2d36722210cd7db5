// SPDX-License-Identifier: Apache-2.0
// Finds plugins, reads their metadata without loading code, loads on demand, says why one is not usable.
#pragma once

#include "base/result.h"
#include "plugin/plugin_interfaces.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <memory>

namespace kernelskill {

enum class PluginState { Found, Loaded, Disabled, Incompatible, Broken };
[[nodiscard]] QString toString(PluginState state);

struct PluginInfo
{
    QString id, kind, title, version, description, path;
    QStringList roles; // agents
    QJsonObject settings; // JSON Schema of what one may set; empty: nothing
    PluginState state = PluginState::Found;
    QString reason;    // a sentence for every state but Found and Loaded
};

class PluginManager
{
public:
    explicit PluginManager(QStringList folders = {}); // default: paths::pluginFolders()
    ~PluginManager();
    [[nodiscard]] QList<PluginInfo> plugins() const;  // deterministic order: kind, id
    [[nodiscard]] Result<std::unique_ptr<Evaluator>> createEvaluator(const QString &id, const QJsonObject &settings = {});
    [[nodiscard]] Result<std::unique_ptr<Agent>> createAgent(const QString &id, const QJsonObject &settings = {});
    // What may stand in a setting of an agent, asked of whoever knows: AgentPlugin::choices.
    [[nodiscard]] QCoro::Task<Result<QStringList>> choices(QString id, QString setting, QJsonObject settings = {});
    [[nodiscard]] QList<QJsonObject> doctor(); // of every loadable plugin
    // The tag a plugin's "abi" must equal: compiler, Qt, sanitizer, digest of public headers.
    [[nodiscard]] static QString abiTag();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace kernelskill
