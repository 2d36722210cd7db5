// SPDX-License-Identifier: Apache-2.0
#include "memory_folder.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

namespace kernelskill::test {

QString MemoryFolder::text(const QString &name, const QString &body)
{
    return QStringLiteral("---\nname: %1\ndescription: What %1 does\nmetadata:\n  languages: cuda\n---\n%2\n")
        .arg(name, body);
}

void MemoryFolder::writeSkill(const QString &name, const QString &body)
{
    write(QStringLiteral("skills/%1/SKILL.md").arg(name), text(name, body).toUtf8());
}

void MemoryFolder::write(const QString &path, const QByteArray &bytes, bool executable)
{
    const QString target = m_folder.filePath(path);
    QDir().mkpath(QFileInfo(target).path());
    QFile file(target);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("%s", qPrintable(file.errorString()));
    if (executable) file.setPermissions(file.permissions() | QFile::ExeOwner);
}

SkillStore MemoryFolder::store() const
{
    auto opened = SkillStore::open(memory(), skills());
    if (!opened) qFatal("%s", qPrintable(opened.error().message));
    return std::move(*opened);
}

QMap<QString, QByteArray> MemoryFolder::files(const QString &folder) const
{
    QMap<QString, QByteArray> result;
    const QDir root(path(folder));
    QDirIterator entries(root.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (entries.hasNext()) {
        QFile file(entries.next());
        if (!file.open(QIODevice::ReadOnly)) qFatal("%s", qPrintable(file.fileName()));
        const bool executable = file.permissions() & QFile::ExeOwner;
        result.insert((executable ? "x" : "") + root.relativeFilePath(file.fileName()), file.readAll());
    }
    return result;
}

} // namespace kernelskill::test
