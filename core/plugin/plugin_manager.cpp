// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_manager.h"

#include "base/paths.h"
#include "plugin/load_guard.h"
#include "plugin/plugin_settings.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QLibrary>
#include <QLoggingCategory>
#include <QPluginLoader>

#include <algorithm>
#include <vector>

namespace kernelskill {

namespace {

Q_LOGGING_CATEGORY(logPlugin, "kernelskill.plugin")

const QString evaluatorKind = QStringLiteral("evaluator");
const QString agentKind = QStringLiteral("agent");

struct Entry
{
    PluginInfo info;
    std::unique_ptr<QPluginLoader> loader; // null when the file cannot be loaded
    QObject *root = nullptr;               // owned by the loader's library, which is never unloaded
};

QString interfaceOf(const QString &kind)
{
    return kind == evaluatorKind ? QStringLiteral(KernelSkillEvaluatorPlugin_iid)
                                 : QStringLiteral(KernelSkillAgentPlugin_iid);
}

QString guardKey(const PluginInfo &info)
{
    return info.kind + u'-' + info.id;
}

// moc writes what the build adds on its command line (-M) beside "MetaData", as a list of texts.
QString abiOf(const QJsonObject &metadata)
{
    const QJsonValue value = metadata.value("abi");
    return value.isArray() ? value.toArray().first().toString() : value.toString();
}

void set(PluginInfo &info, PluginState state, const QString &reason)
{
    info.state = state;
    info.reason = reason;
}

// Everything that can be told without running any of the plugin's code.
Entry inspect(const QString &path)
{
    Entry entry;
    entry.info.path = path;
    entry.info.id = QFileInfo(path).completeBaseName(); // until the metadata says better
    auto loader = std::make_unique<QPluginLoader>(path);
    const QJsonObject metadata = loader->metaData();
    const QJsonObject facts = metadata.value("MetaData").toObject();
    if (metadata.isEmpty()) {
        const QString why = loader->errorString();
        set(entry.info, PluginState::Broken, QStringLiteral("not a plugin: %1").arg(why.isEmpty() ? path : why));
        return entry;
    }
    entry.info.kind = facts.value("kind").toString();
    entry.info.title = facts.value("title").toString();
    entry.info.version = facts.value("version").toString();
    entry.info.description = facts.value("description").toString();
    for (const QJsonValue &role : facts.value("roles").toArray())
        entry.info.roles.append(role.toString());
    entry.info.settings = facts.value("settings").toObject();
    if (const QString id = facts.value("id").toString(); !id.isEmpty()) entry.info.id = id;
    const bool knownKind = entry.info.kind == evaluatorKind || entry.info.kind == agentKind;
    if (!facts.contains("id") || !knownKind) {
        set(entry.info, PluginState::Broken,
            QStringLiteral("its metadata must have \"id\" and \"kind\" (\"evaluator\" or \"agent\"); it has {%1}")
                .arg(facts.keys().join(QStringLiteral(", "))));
    } else if (const QString iid = metadata.value("IID").toString(); iid != interfaceOf(entry.info.kind)) {
        set(entry.info, PluginState::Incompatible,
            QStringLiteral("speaks the interface %1; this program speaks %2").arg(iid, interfaceOf(entry.info.kind)));
    } else if (const QString abi = abiOf(metadata); abi != PluginManager::abiTag()) {
        set(entry.info, PluginState::Incompatible,
            QStringLiteral("was built as \"%1\"; this program is \"%2\". Build it together with this program")
                .arg(abi.isEmpty() ? QStringLiteral("no tag") : abi, PluginManager::abiTag()));
    } else if (const auto guard = LoadGuard::leftBehind(guardKey(entry.info))) {
        set(entry.info, PluginState::Disabled,
            QStringLiteral("crashed while loading last time. To try it again, delete %1").arg(*guard));
    } else {
        entry.loader = std::move(loader);
    }
    return entry;
}

} // namespace

struct PluginManager::Impl
{
    void find(const QStringList &folders);
    void breakDuplicates();
    [[nodiscard]] Result<Entry *> ready(const QString &kind, const QString &id);
    void load(Entry &entry); // sets its state

    std::vector<Entry> entries;
};

void PluginManager::Impl::find(const QStringList &folders)
{
    for (const QString &name : folders) {
        const QDir folder(name);
        for (const QString &file : folder.entryList({QStringLiteral("*.so")}, QDir::Files, QDir::Name)) {
            entries.push_back(inspect(folder.absoluteFilePath(file)));
        }
    }
    breakDuplicates();
    std::ranges::stable_sort(entries, {}, [](const Entry &entry) { return std::pair(entry.info.kind, entry.info.id); });
    for (const Entry &entry : entries) {
        if (!entry.info.reason.isEmpty()) qCWarning(logPlugin).noquote() << entry.info.path << entry.info.reason;
    }
}

// Folders are searched in order and the first wins, so that a developer's build comes before an installed one.
void PluginManager::Impl::breakDuplicates()
{
    for (size_t i = 0; i < entries.size(); ++i) {
        PluginInfo &later = entries[i].info;
        if (later.state == PluginState::Broken) continue;
        for (size_t j = 0; j < i; ++j) {
            const PluginInfo &first = entries[j].info;
            if (first.state == PluginState::Broken || first.kind != later.kind || first.id != later.id) continue;
            set(later, PluginState::Broken, QStringLiteral("%1 has the same id and was found first").arg(first.path));
            entries[i].loader.reset();
            break;
        }
    }
}

Result<Entry *> PluginManager::Impl::ready(const QString &kind, const QString &id)
{
    Entry *found = nullptr;
    QStringList known;
    for (Entry &entry : entries) {
        if (entry.info.kind != kind) continue;
        known.append(entry.info.id);
        // A broken namesake must not hide the one that works.
        if (entry.info.id == id && (!found || found->info.state == PluginState::Broken)) found = &entry;
    }
    if (!found) {
        return failure("plugin.missing",
                       QStringLiteral("there is no %1 '%2'; found: %3")
                           .arg(kind, id, known.isEmpty() ? QStringLiteral("none") : known.join(QStringLiteral(", "))));
    }
    if (found->info.state == PluginState::Found) load(*found);
    if (found->info.state != PluginState::Loaded) {
        return failure(QStringLiteral("plugin.%1").arg(toString(found->info.state)),
                       QStringLiteral("the %1 '%2' cannot be used: %3").arg(kind, id, found->info.reason),
                       found->info.path);
    }
    return found;
}

void PluginManager::Impl::load(Entry &entry)
{
    const LoadGuard guard(guardKey(entry.info), entry.info.path);
    entry.loader->setLoadHints(QLibrary::ResolveAllSymbolsHint | QLibrary::PreventUnloadHint);
    entry.root = entry.loader->instance();
    if (!entry.root) {
        set(entry.info, PluginState::Broken, entry.loader->errorString());
        return;
    }
    const bool fits = entry.info.kind == evaluatorKind ? qobject_cast<EvaluatorPlugin *>(entry.root) != nullptr
                                                       : qobject_cast<AgentPlugin *>(entry.root) != nullptr;
    if (!fits) {
        set(entry.info, PluginState::Broken, QStringLiteral("does not implement what its metadata promises"));
        return;
    }
    entry.info.state = PluginState::Loaded;
    return;
}

PluginManager::PluginManager(QStringList folders) : m_impl(std::make_unique<Impl>())
{
    m_impl->find(folders.isEmpty() ? paths::pluginFolders() : folders);
}

PluginManager::~PluginManager() = default;

QString toString(PluginState state)
{
    switch (state) {
    case PluginState::Found:
        return QStringLiteral("found");
    case PluginState::Loaded:
        return QStringLiteral("loaded");
    case PluginState::Disabled:
        return QStringLiteral("disabled");
    case PluginState::Incompatible:
        return QStringLiteral("incompatible");
    case PluginState::Broken:
        return QStringLiteral("broken");
    }
    return {};
}

QList<PluginInfo> PluginManager::plugins() const
{
    QList<PluginInfo> result;
    for (const Entry &entry : m_impl->entries)
        result.append(entry.info);
    return result;
}

Result<std::unique_ptr<Evaluator>> PluginManager::createEvaluator(const QString &id, const QJsonObject &settings)
{
    auto entry = m_impl->ready(evaluatorKind, id);
    if (!entry) return std::unexpected(entry.error());
    auto *plugin = qobject_cast<EvaluatorPlugin *>((*entry)->root);
    auto evaluator = plugin->createEvaluator(completedSettings(evaluatorKind, id, settings));
    if (!evaluator)
        return failure("plugin.broken", QStringLiteral("the evaluator '%1' made nothing with these settings").arg(id));
    return evaluator;
}

Result<std::unique_ptr<Agent>> PluginManager::createAgent(const QString &id, const QJsonObject &settings)
{
    auto entry = m_impl->ready(agentKind, id);
    if (!entry) return std::unexpected(entry.error());
    auto *plugin = qobject_cast<AgentPlugin *>((*entry)->root);
    auto agent = plugin->createAgent(completedSettings(agentKind, id, settings));
    if (!agent)
        return failure("plugin.broken", QStringLiteral("the agent '%1' made nothing with these settings").arg(id));
    return agent;
}

QCoro::Task<Result<QStringList>> PluginManager::choices(QString id, QString setting, QJsonObject settings)
{
    auto entry = m_impl->ready(agentKind, id);
    if (!entry) co_return std::unexpected(entry.error());
    auto *plugin = qobject_cast<AgentPlugin *>((*entry)->root);
    co_return co_await plugin->choices(setting, completedSettings(agentKind, id, settings));
}

QList<QJsonObject> PluginManager::doctor()
{
    QList<QJsonObject> lines;
    for (Entry &entry : m_impl->entries) {
        if (entry.info.state == PluginState::Found) m_impl->load(entry);
        if (entry.info.state != PluginState::Loaded) {
            lines.append({{"name", QStringLiteral("plugin ") + entry.info.id},
                          {"ok", false},
                          {"text", entry.info.reason},
                          {"remedy", QString()}});
            continue;
        }
        if (auto *evaluator = qobject_cast<EvaluatorPlugin *>(entry.root)) lines += evaluator->doctor();
        if (auto *agent = qobject_cast<AgentPlugin *>(entry.root)) lines += agent->doctor();
    }
    return lines;
}

} // namespace kernelskill
