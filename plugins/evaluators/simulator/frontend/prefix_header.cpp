// SPDX-License-Identifier: Apache-2.0
#include "prefix_header.h"

#include "base/paths.h"
#include "worker/sandbox.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QSaveFile>
#include <QSet>
#include <QUuid>

namespace kernelskill::simulator {

PrefixHeader::PrefixHeader(const Installation &installation, const Compiler &compiler)
    : m_headers(installation.headers()), m_program(compiler.program)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(installation.digest());
    hash.addData((compiler.program + u'\n' + compiler.version + u'\n' + m_headers).toUtf8());
    m_folder = paths::cacheFolder() + QStringLiteral("/simulator-headers/") +
               QString::fromLatin1(hash.result().toHex().left(32));
}

QCoro::Task<QString> PrefixHeader::ensure(Pass pass, QStringList flags, bool unconfined, std::stop_token stop) const
{
    const QString path =
        m_folder + (pass == Pass::Device ? QStringLiteral("/device.pch") : QStringLiteral("/host.pch"));
    if (QFile::exists(path)) co_return path;
    const QString source = m_folder + QStringLiteral("/prefix.h");
    if (!QDir().mkpath(m_folder)) co_return QString();
    if (!QFile::exists(source)) {
        // Several processes may be here at once: the file is whole whenever it is there.
        QSaveFile file(source);
        if (!file.open(QIODevice::WriteOnly) ||
            file.write("#define KERNELSKILL_PRECOMPILING 1\n#include <cuda_runtime.h>\n") < 0 || !file.commit())
            co_return QString();
    }
    const QString made = path + u'.' + QUuid::createUuid().toString(QUuid::Id128);
    SandboxCommand command;
    command.program = m_program;
    // Without the time stamp, another process that writes the same prefix.h again does not spoil it.
    command.arguments = flags + QStringList{QStringLiteral("-Xclang"), QStringLiteral("-fno-pch-timestamp"),
                                            QStringLiteral("-Xclang"), QStringLiteral("-emit-pch"),
                                            source,                    QStringLiteral("-o"),
                                            made};
    command.workingFolder = m_folder;
    command.readable = {m_headers};
    command.unconfined = unconfined;
    const auto result = co_await runSandboxed(command, stop);
    // Another process may have been first; both are the same.
    if (!result || !result->succeeded() || !QFile::rename(made, path)) QFile::remove(made);
    co_return QFile::exists(path) ? path : QString();
}

void PrefixHeader::remove() const
{
    // The folder stays: other processes may be binding it into a sandbox at this moment.
    for (const QFileInfo &file : QDir(m_folder).entryInfoList({QStringLiteral("*.pch")}, QDir::Files))
        QFile::remove(file.absoluteFilePath());
}

bool PrefixHeader::suits(const Candidate &candidate)
{
    static const QSet<QString> harmless{QStringLiteral("cuda_runtime.h"),
                                        QStringLiteral("cuda_runtime_api.h"),
                                        QStringLiteral("cuda_fp16.h"),
                                        QStringLiteral("cuda_bf16.h"),
                                        QStringLiteral("cooperative_groups.h"),
                                        QStringLiteral("cuda_pipeline.h"),
                                        QStringLiteral("math_constants.h"),
                                        QStringLiteral("device_launch_parameters.h"),
                                        QStringLiteral("cmath"),
                                        QStringLiteral("math.h"),
                                        QStringLiteral("cstdint"),
                                        QStringLiteral("stdint.h"),
                                        QStringLiteral("cstdio"),
                                        QStringLiteral("stdio.h"),
                                        QStringLiteral("cfloat"),
                                        QStringLiteral("float.h"),
                                        QStringLiteral("climits"),
                                        QStringLiteral("limits.h"),
                                        QStringLiteral("cstddef"),
                                        QStringLiteral("cassert"),
                                        QStringLiteral("assert.h"),
                                        QStringLiteral("cstdlib"),
                                        QStringLiteral("limits"),
                                        QStringLiteral("type_traits")};
    static const QRegularExpression include(QStringLiteral("^[ \\t]*#[ \\t]*include[ \\t]*<([^>]+)>"),
                                            QRegularExpression::MultilineOption);
    for (const CandidateFile &file : candidate.files) {
        for (auto it = include.globalMatch(file.content); it.hasNext();) {
            if (!harmless.contains(it.next().captured(1))) return false;
        }
    }
    return true;
}

bool PrefixHeader::isRefused(const QString &output)
{
    return output.contains(QStringLiteral("precompiled header")) || output.contains(QStringLiteral("PCH file")) ||
           output.contains(QStringLiteral("AST file"));
}

} // namespace kernelskill::simulator
