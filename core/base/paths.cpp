// SPDX-License-Identifier: Apache-2.0
#include "base/paths.h"

#include "kit/program_folder.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace kernelskill::paths {

namespace {

QString fromEnvironment(const char *name)
{
    const QString value = qEnvironmentVariable(name);
    return value.isEmpty() ? QString() : QDir::cleanPath(QDir::current().absoluteFilePath(value));
}

// Installed copy first: a program moved out of its build folder must not read the tree it came from.
QString shippedFolder(const QString &name)
{
    const QString installed = QDir::cleanPath(executableFolder() + QStringLiteral("/../share/kernelskill/") + name);
    return QFileInfo(installed).isDir() ? installed : QStringLiteral(KERNELSKILL_SOURCE_DIR "/") + name;
}

QString userFolder(const char *variable, const QString &belowHome)
{
    const QString base = qEnvironmentVariable(variable);
    // The XDG rules: a relative path in the variable counts as unset.
    const QString root = QDir::isAbsolutePath(base) ? base : QDir::homePath() + belowHome;
    return QDir::cleanPath(root) + QStringLiteral("/kernelskill");
}

} // namespace

QString resources()
{
    const QString set = fromEnvironment("KERNELSKILL_RESOURCES");
    return set.isEmpty() ? shippedFolder(QStringLiteral("resources")) : set;
}

QString skills()
{
    const QString set = fromEnvironment("KERNELSKILL_SKILLS");
    return set.isEmpty() ? shippedFolder(QStringLiteral("skills")) : set;
}

QStringList pluginFolders()
{
    const QString set = qEnvironmentVariable("KERNELSKILL_PLUGIN_PATH");
    if (!set.isEmpty()) return set.split(u':', Qt::SkipEmptyParts);
    return {QDir::cleanPath(executableFolder() + QStringLiteral("/../plugins")),
            QDir::cleanPath(executableFolder() + QStringLiteral("/../lib/kernelskill/plugins"))};
}

QString dataFolder() { return userFolder("XDG_DATA_HOME", QStringLiteral("/.local/share")); }

QString cacheFolder() { return userFolder("XDG_CACHE_HOME", QStringLiteral("/.cache")); }

QString configFolder() { return userFolder("XDG_CONFIG_HOME", QStringLiteral("/.config")); }

QString sessionsFolder() { return dataFolder() + QStringLiteral("/sessions"); }

QString executableFolder()
{
    // Not QCoreApplication::applicationDirPath: this must answer before an application object exists, and in a bundle.
    return QString::fromStdString(kit::programFolder());
}

QString helperProgram(const QString &name)
{
    const QString own = executableFolder();
    const QString found = QStandardPaths::findExecutable(
        name, {own, QDir::cleanPath(own + QStringLiteral("/../bin")),
               QDir::cleanPath(own + QStringLiteral("/../lib/kernelskill/bin"))});
    return found.isEmpty() ? QStandardPaths::findExecutable(name) : found;
}

} // namespace kernelskill::paths
