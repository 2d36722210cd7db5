// SPDX-License-Identifier: Apache-2.0
// Whether the entries of somebody's archive or folder may be taken in: names, kinds and sizes. Pure.
#pragma once

#include "base/result.h"
#include "memory/longterm/skill_package.h"

#include <QHash>
#include <QSet>

namespace kernelskill {

class PackageCheck
{
public:
    // `source` names the archive or folder in errors.
    PackageCheck(QString source, const PackageLimits &limits) : m_source(std::move(source)), m_limits(limits) {}

    // One entry, by its path with '/' between. "package.unsafe": "..", an absolute path, a backslash, a control
    // character, a name no system can have, or one that is another entry's but for case or Unicode form.
    [[nodiscard]] Result<void> add(const QString &path, bool isFolder);
    // Bytes of the entry added last, as they come. "package.limit".
    [[nodiscard]] Result<void> addBytes(const QString &path, qint64 bytes);
    // What the archive takes on disk, for the ratio.
    void setPackedBytes(qint64 bytes) { m_packedBytes = bytes; }

private:
    [[nodiscard]] std::unexpected<Error> refuse(const QString &path, const QString &rule) const;

    QString m_source;
    PackageLimits m_limits;
    qint64 m_packedBytes = 0, m_totalBytes = 0, m_fileBytes = 0;
    int m_entries = 0;
    QHash<QString, QString> m_spellings; // folded path of each entry and folder → as it was spelt
    QSet<QString> m_files;               // folded paths
    QSet<QString> m_folders;
};

} // namespace kernelskill
