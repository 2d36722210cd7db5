// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_settings.h"

#include "base/paths.h"

#include <QSettings>

namespace kernelskill {

QJsonObject storedSettings(const QString &kind, const QString &id)
{
    QSettings file(paths::configFolder() + QStringLiteral("/plugins.ini"), QSettings::IniFormat);
    file.beginGroup(QStringLiteral("%1-%2").arg(kind, id));
    QJsonObject settings;
    for (const QString &key : file.childKeys())
        settings.insert(key, QJsonValue::fromVariant(file.value(key)));
    return settings;
}

QJsonObject completedSettings(const QString &kind, const QString &id, const QJsonObject &settings)
{
    QJsonObject all = storedSettings(kind, id);
    for (auto it = settings.constBegin(); it != settings.constEnd(); ++it)
        all.insert(it.key(), it.value());
    return all;
}

} // namespace kernelskill
