// SPDX-License-Identifier: Apache-2.0
#include "installation.h"

#include "base/paths.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QMap>
#include <QMutex>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>

#include <dlfcn.h>

namespace kernelskill::simulator {

namespace {

QString ownFolder()
{
    Dl_info info;
    if (dladdr(reinterpret_cast<const void *>(&ownFolder), &info) != 0 && info.dli_fname)
        return QFileInfo(QString::fromLocal8Bit(info.dli_fname)).absolutePath();
    return {};
}

QByteArray digestOf(const Installation &installation)
{
    QStringList files{installation.runtimeLibrary()};
    QDirIterator it(installation.headers(), QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext())
        files.append(it.next());
    files.sort();
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QString &path : std::as_const(files)) {
        QFile file(path);
        if (file.open(QIODevice::ReadOnly)) {
            hash.addData(path.mid(installation.folder.size()).toUtf8());
            hash.addData(file.readAll());
        }
    }
    return hash.result().toHex();
}

// First line of `program --version` that holds a number; empty when it does not run.
QString askVersion(const QString &program)
{
    QProcess process;
    process.start(program, {QStringLiteral("--version")});
    if (!process.waitForFinished(60'000) || process.exitCode() != 0) return {};
    const QStringList lines = QString::fromLocal8Bit(process.readAllStandardOutput()).split(u'\n');
    for (const QString &line : lines) {
        if (line.contains(QStringLiteral("release")) || line.contains(QStringLiteral("version"))) return line.trimmed();
    }
    return {};
}

int majorVersion(const QString &version)
{
    static const QRegularExpression number(QStringLiteral("version (\\d+)"));
    return number.match(version).captured(1).toInt();
}

Result<Compiler> findClang()
{
    const QStringList names{QStringLiteral("clang++-19"), QStringLiteral("clang++"), QStringLiteral("clang++-20"),
                            QStringLiteral("clang++-18"), QStringLiteral("clang++-17")};
    for (const QString &name : names) {
        const QString program = QStandardPaths::findExecutable(name);
        if (program.isEmpty()) continue;
        const QString version = askVersion(program);
        if (majorVersion(version) >= Compiler::leastClang) return Compiler{CompilerKind::Clang, program, version};
    }
    return failure(
        QStringLiteral("simulator.compiler"),
        QStringLiteral("The simulator needs clang %1 or later to turn CUDA C++ into PTX, and none was found. "
                       "Install the package clang-19, or CUDA's nvcc.")
            .arg(Compiler::leastClang));
}

Result<Compiler> findNvcc()
{
    const QString program = QStandardPaths::findExecutable(
        QStringLiteral("nvcc"), QStringList{QStringLiteral("/usr/local/cuda/bin")} +
                                    qEnvironmentVariable("PATH").split(u':', Qt::SkipEmptyParts));
    const QString version = program.isEmpty() ? QString() : askVersion(program);
    if (version.isEmpty())
        return failure(
            QStringLiteral("simulator.compiler"),
            QStringLiteral("nvcc was asked for as the simulator's front end, and it was not found in PATH or "
                           "/usr/local/cuda/bin."));
    return Compiler{CompilerKind::Nvcc, program, version};
}

} // namespace

QByteArray Installation::digest() const
{
    static QMutex mutex;
    static QMap<QString, QByteArray> known;
    const QMutexLocker lock(&mutex);
    QByteArray &digest = known[folder];
    if (digest.isEmpty()) digest = digestOf(*this);
    return digest;
}

Result<Installation> Installation::find()
{
    QStringList candidates;
    if (const QString wanted = qEnvironmentVariable("KERNELSKILL_SIMULATOR"); !wanted.isEmpty())
        candidates.append(wanted);
    candidates.append(ownFolder() + QStringLiteral("/simulator"));
    for (const QString &folder : paths::pluginFolders())
        candidates.append(folder + QStringLiteral("/simulator"));
    for (const QString &folder : std::as_const(candidates)) {
        const Installation installation{QDir(folder).absolutePath()};
        if (QFileInfo(installation.worker()).isExecutable()) return installation;
    }
    return failure(QStringLiteral("simulator.installation"),
                   QStringLiteral("The simulator's worker was not found; looked in %1.")
                       .arg(candidates.join(QStringLiteral(", "))));
}

Result<Compiler> Compiler::find(const QString &wanted)
{
    static QMutex mutex;
    static QMap<QString, Compiler> known;
    QString name = wanted.isEmpty() ? qEnvironmentVariable("KERNELSKILL_SIM_COMPILER") : wanted;
    const QMutexLocker lock(&mutex);
    if (const auto it = known.constFind(name); it != known.constEnd()) return *it;
    if (name.isEmpty()) {
        // A GPU machine often has nvcc and no clang.
        Result<Compiler> found = findClang();
        if (!found) {
            if (Result<Compiler> other = findNvcc(); other) found = std::move(other);
        }
        if (found) known.insert(name, *found);
        return found;
    }
    if (name != QLatin1String("clang") && name != QLatin1String("nvcc"))
        return failure(QStringLiteral("simulator.compiler"),
                       QStringLiteral("\"%1\" is no front end of the simulator; write clang or nvcc.").arg(name));
    Result<Compiler> found = name == QLatin1String("clang") ? findClang() : findNvcc();
    if (found) known.insert(name, *found);
    return found;
}

} // namespace kernelskill::simulator
