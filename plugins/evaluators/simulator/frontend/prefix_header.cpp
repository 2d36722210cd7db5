// SPDX-License-Identifier: Apache-2.0
#include "prefix_header.h"

#include "base/paths.h"
#include "worker/sandbox.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QRegularExpression>
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
    QFile file(source);
    if (!QDir().mkpath(m_folder) || !file.open(QIODevice::WriteOnly) ||
        file.write("#define KERNELSKILL_PRECOMPILING 1\n#include <cuda_runtime.h>\n") < 0)
        co_return QString();
    file.close();
    const QString made = path + u'.' + QUuid::createUuid().toString(QUuid::Id128);
    SandboxCommand command;
    command.program = m_program;
    command.arguments =
        flags + QStringList{QStringLiteral("-Xclang"), QStringLiteral("-emit-pch"), source, QStringLiteral("-o"), made};
    command.workingFolder = m_folder;
    command.readable = {m_headers};
    command.unconfined = unconfined;
    const auto result = co_await runSandboxed(command, stop);
    // Another process may have been first; both are the same.
    if (!result || !result->succeeded() || !QFile::exists(made) || (!QFile::rename(made, path) && !QFile::exists(path)))
        co_return QString();
    co_return path;
}

void PrefixHeader::remove() const
{
    QDir(m_folder).removeRecursively();
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
