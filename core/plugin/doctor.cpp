// SPDX-License-Identifier: Apache-2.0
#include "plugin/doctor.h"

#include "base/paths.h"
#include "profile/gpu_spec.h"
#include "worker/sandbox.h"

#include <QDir>
#include <QFileInfo>

namespace kernelskill {

namespace {

QJsonObject line(const QString &name, bool ok, const QString &text, const QString &remedy = {})
{
    return {{QStringLiteral("name"), name}, {QStringLiteral("ok"), ok}, {QStringLiteral("text"), text}, {QStringLiteral("remedy"), remedy}};
}

QJsonObject folderLine(const QString &name, const QString &path)
{
    const bool ok = QDir().mkpath(path) && QFileInfo(path).isWritable();
    return line(name, ok, path, ok ? QString() : QStringLiteral("make it writable, or point XDG_DATA_HOME and XDG_CACHE_HOME elsewhere"));
}

QList<QJsonObject> coreLines()
{
    QList<QJsonObject> lines;
    const SandboxSupport sandbox = sandboxSupport();
    lines << line(QStringLiteral("sandbox"), sandbox.available,
                  sandbox.available ? QStringLiteral("bubblewrap confines candidates") : sandbox.reason, sandbox.remedy);
    lines << folderLine(QStringLiteral("data folder"), paths::dataFolder());
    lines << folderLine(QStringLiteral("cache folder"), paths::cacheFolder());
    const bool haveSkills = QFileInfo::exists(QDir(paths::skills()).filePath(QStringLiteral("policy.yaml")));
    lines << line(QStringLiteral("skills"), haveSkills, paths::skills(), haveSkills ? QString() : QStringLiteral("set KERNELSKILL_SKILLS to the skills folder"));
    const QStringList gpus = GpuSpec::available();
    lines << line(QStringLiteral("GPU models"), !gpus.isEmpty(), gpus.join(QStringLiteral(", ")),
                  gpus.isEmpty() ? QStringLiteral("set KERNELSKILL_RESOURCES to the resources folder") : QString());
    return lines;
}

} // namespace

QList<QJsonObject> examine(PluginManager &plugins)
{
    return coreLines() + plugins.doctor();
}

} // namespace kernelskill
