// SPDX-License-Identifier: Apache-2.0
#include "task/candidate_file.h"

#include <QFile>

namespace kernelskill {

Result<CandidateFile> readCandidateFile(const QString &path, const QString &name)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return failure(QStringLiteral("candidate.read"),
                       QStringLiteral("%1: cannot be read: %2").arg(path, file.errorString()));
    if (file.size() > 4'000'000)
        return failure(QStringLiteral("candidate.size"),
                       QStringLiteral("%1: larger than 4 MB; a candidate is source text").arg(path));
    const QByteArray bytes = file.readAll();
    if (!bytes.isValidUtf8() || bytes.contains('\0'))
        return failure(QStringLiteral("candidate.text"),
                       QStringLiteral("%1: is no text in UTF-8; a candidate is source text").arg(path));
    return CandidateFile{name, QString::fromUtf8(bytes)};
}

} // namespace kernelskill
