// SPDX-License-Identifier: Apache-2.0
// simulate: hands over to the simulator's own program, which lies in its plugin's folder: this program links no plugin.
#include "command.h"

#include "base/paths.h"

#include <QFileInfo>

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace kernelskill::cli {

int simulate(const QStringList &arguments)
{
    QStringList folders;
    if (const QString wanted = qEnvironmentVariable("KERNELSKILL_SIMULATOR"); !wanted.isEmpty()) folders.append(wanted);
    for (const QString &folder : paths::pluginFolders())
        folders.append(folder + QStringLiteral("/simulator"));
    for (const QString &folder : std::as_const(folders)) {
        const QByteArray program =
            QFileInfo(folder + QStringLiteral("/kernelskill-simulate")).absoluteFilePath().toLocal8Bit();
        if (::access(program.constData(), X_OK) != 0) continue;
        // It lies elsewhere, so it is told what this program knows.
        qputenv("KERNELSKILL_SIMULATOR", QFileInfo(folder).absoluteFilePath().toLocal8Bit());
        qputenv("KERNELSKILL_RESOURCES", paths::resources().toLocal8Bit());
        std::vector<QByteArray> words{program};
        for (const QString &argument : arguments)
            words.push_back(argument.toLocal8Bit());
        std::vector<char *> pointers;
        for (QByteArray &word : words)
            pointers.push_back(word.data());
        pointers.push_back(nullptr);
        ::execv(program.constData(), pointers.data());
        progressLine(QStringLiteral("kernelskill simulate: %1 could not be started: %2")
                         .arg(QString::fromLocal8Bit(program), QString::fromLocal8Bit(std::strerror(errno))));
        return EnvironmentLacks;
    }
    progressLine(QStringLiteral("kernelskill simulate: the simulator is not installed; looked in %1.")
                     .arg(folders.join(QStringLiteral(", "))));
    return EnvironmentLacks;
}

} // namespace kernelskill::cli
