// SPDX-License-Identifier: Apache-2.0
// Files of a folder or an archive, read into memory under PackageCheck's rules. Private to skill_package.
#pragma once

#include "memory/longterm/package_check.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

namespace kernelskill {

struct PackageFile
{
    QString path; // '/' between
    QByteArray bytes;
    bool executable = false;
};

// What no skill means to carry: version control and what file managers leave behind.
[[nodiscard]] bool isLitter(const QString &name);

// All files below `folder`, their paths prefixed by `prefix` ("" or "name/"). Links, devices, pipes and sockets are
// refused.
[[nodiscard]] Result<QList<PackageFile>> readFolder(const QString &folder, const QString &prefix, PackageCheck &check);
// Folders with a SKILL.md at or below `root`, relative to it ("" is root itself), none inside another.
[[nodiscard]] Result<QStringList> findSkillFolders(const QString &root);
// What tells whether anything in a folder has changed: names, sizes, times and modes of its files. Empty when a file is
// so young that a change within the clock's grain would not show.
[[nodiscard]] QString folderStamp(const QString &folder);

// All files of a .zip, .tar or .tar.gz, told by content ("package.format").
[[nodiscard]] Result<QList<PackageFile>> readArchive(const QString &path, PackageCheck &check);

} // namespace kernelskill
