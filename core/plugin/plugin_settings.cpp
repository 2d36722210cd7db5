// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_settings.h"

#include "base/paths.h"

#include <QDir>
#include <QSettings>

namespace kernelskill {

namespace {

QString settingsPath()
{
    return paths::configFolder() + QStringLiteral("/plugins.ini");
}

QString groupOf(const QString &kind, const QString &id)
{
    return QStringLiteral("%1-%2").arg(kind, id);
}

} // namespace

QJsonObject storedSettings(const QString &kind, const QString &id)
{
    QSettings file(settingsPath(), QSettings::IniFormat);
    file.beginGroup(groupOf(kind, id));
    QJsonObject settings;
    for (const QString &key : file.childKeys())
        settings.insert(key, QJsonValue::fromVariant(file.value(key)));
    return settings;
}

Result<void> storeSettings(const QString &kind, const QString &id, const QJsonObject &settings)
{
    const auto refused = [] {
        return failure("settings.write", QStringLiteral("the settings cannot be written to %1").arg(settingsPath()));
    };
    if (!QDir().mkpath(paths::configFolder())) return refused();
    QSettings file(settingsPath(), QSettings::IniFormat);
    file.beginGroup(groupOf(kind, id));
    for (auto it = settings.constBegin(); it != settings.constEnd(); ++it) {
        const QString text = it->toVariant().toString();
        if (text.isEmpty())
            file.remove(it.key());
        else
            file.setValue(it.key(), text);
    }
    file.endGroup();
    file.sync();
    if (file.status() != QSettings::NoError || (!settings.isEmpty() && !file.isWritable())) return refused();
    return {};
}

QJsonObject mergedSettings(QJsonObject settings, const QJsonObject &over)
{
    const QString address = QStringLiteral("base_url");
    if (over.contains(address) && over.value(address) != settings.value(address)) {
        for (const char *bound : {"key_variable", "key_header", "query", "ca_file", "allow_plain_http"})
            settings.remove(QLatin1String(bound));
    }
    for (auto it = over.constBegin(); it != over.constEnd(); ++it)
        settings.insert(it.key(), it.value());
    return settings;
}

QJsonObject trustedSettings(QJsonObject settings)
{
    for (const char *name : {"key_variable", "key_header", "ca_file", "allow_plain_http", "environment", "command", "folder"})
        settings.remove(QLatin1String(name));
    if (settings.value("cassette").toString().startsWith(u"record:")) settings.remove("cassette");
    return settings;
}

QJsonObject completedSettings(const QString &kind, const QString &id, const QJsonObject &settings)
{
    return mergedSettings(storedSettings(kind, id), settings);
}

} // namespace kernelskill
