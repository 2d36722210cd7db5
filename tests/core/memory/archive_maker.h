// SPDX-License-Identifier: Apache-2.0
// Archives as a stranger might send them.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

namespace kernelskill::test {

struct MadeEntry
{
    QByteArray path;
    QByteArray bytes;
    enum class Kind { File, Folder, SymbolicLink, HardLink, Device, Pipe } kind = Kind::File;
    QByteArray target{}; // of a link
    bool executable = false;
};

enum class MadeFormat { Zip, Tar, TarGz };
void makeArchive(const QString &path, MadeFormat format, const QList<MadeEntry> &entries);

} // namespace kernelskill::test
