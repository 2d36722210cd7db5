// SPDX-License-Identifier: Apache-2.0
#include "cuda_settings.h"

#include "base/paths.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>

#include <dlfcn.h>

namespace kernelskill::cuda {

namespace {

const QLatin1String program("kernelskill-cuda-worker");

QString ownFolder()
{
    Dl_info info;
    if (dladdr(reinterpret_cast<const void *>(&ownFolder), &info) != 0 && info.dli_fname)
        return QFileInfo(QString::fromLocal8Bit(info.dli_fname)).absolutePath();
    return {};
}

QStringList texts(const QJsonValue &value)
{
    if (value.isString()) return {value.toString()};
    QStringList result;
    for (const QJsonValue &one : value.toArray())
        result.append(one.toString());
    return result;
}

Result<int> count(const QJsonValue &value)
{
    if (value.isUndefined() || value.isNull() || value == QJsonValue(QString())) return 0;
    bool isNumber = value.isDouble();
    const int number = isNumber ? value.toInt(-1) : value.toString().toInt(&isNumber);
    if (isNumber && number >= 0) return number;
    return failure(QStringLiteral("settings.cuda"),
                   QStringLiteral("The CUDA evaluator's setting \"samples\" must be a whole number of 0 or more."));
}

} // namespace

Result<CudaSettings> CudaSettings::read(const QJsonObject &object)
{
    CudaSettings settings;
    settings.device = object.value(u"device").toString();
    settings.compiler = object.value(u"compiler").toString();
    if (const QString profiler = object.value(u"profiler").toString(); !profiler.isEmpty())
        settings.profiler = profiler;
    const QStringList known{QStringLiteral("auto"), QStringLiteral("cupti"), QStringLiteral("ncu"),
                            QStringLiteral("ncu-full"), QStringLiteral("none")};
    if (!known.contains(settings.profiler))
        return failure(QStringLiteral("settings.cuda"),
                       QStringLiteral("The CUDA evaluator's setting \"profiler\" is \"%1\"; it must be one of %2.")
                           .arg(settings.profiler, known.join(QStringLiteral(", "))));
    const auto samples = count(object.value(u"samples"));
    if (!samples) return std::unexpected(samples.error());
    settings.samples = *samples;
    auto hosts = parseHosts(texts(object.value(u"hosts")));
    if (!hosts) return std::unexpected(hosts.error());
    settings.hosts = std::move(*hosts);
    return settings;
}

WorkerInstallation findWorker()
{
    WorkerInstallation found;
    for (const char *folder : {"bin/", "plugins/cuda/", "lib/kernelskill/plugins/cuda/", ""})
        found.bundlePaths.append(QLatin1String(folder) + program);
    found.buildScript = QStringLiteral("plugins/evaluators/cuda/worker/build.sh");
    QStringList folders{ownFolder() + QStringLiteral("/cuda")};
    for (const QString &folder : paths::pluginFolders())
        folders.append(folder + QStringLiteral("/cuda"));
    for (const QString &folder : std::as_const(folders)) {
        if (found.sources.isEmpty() && QFileInfo(folder + QStringLiteral("/source")).isDir())
            found.sources = folder + QStringLiteral("/source");
        if (found.program.isEmpty() && QFileInfo(folder + u'/' + program).isExecutable())
            found.program = QDir(folder).absoluteFilePath(program);
    }
    if (const QString wanted = qEnvironmentVariable("KERNELSKILL_CUDA_WORKER"); !wanted.isEmpty())
        found.program = QDir::current().absoluteFilePath(wanted);
    if (found.program.isEmpty()) found.program = folders.first() + u'/' + program;
    return found;
}

} // namespace kernelskill::cuda
