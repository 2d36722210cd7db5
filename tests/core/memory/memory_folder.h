// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own: skills on disk and a memory.db beside them.
#pragma once

#include "memory/longterm/skill_store.h"

#include <QTemporaryDir>

namespace kernelskill::test {

class MemoryFolder
{
public:
    // A skill of ours: it is active when it is taken in.
    void writeSkill(const QString &name, const QString &body);
    void write(const QString &path, const QByteArray &bytes, bool executable = false);
    [[nodiscard]] QString path(const QString &name) const { return m_folder.filePath(name); }
    [[nodiscard]] QString memory() const { return path(QStringLiteral("memory.db")); }
    [[nodiscard]] QString skills() const { return path(QStringLiteral("skills")); }
    [[nodiscard]] SkillStore store() const; // ends the test program when it cannot be opened
    // All files below a folder: path → bytes, "x" before those that can be run.
    [[nodiscard]] QMap<QString, QByteArray> files(const QString &folder) const;

    [[nodiscard]] static QString text(const QString &name, const QString &body);

private:
    QTemporaryDir m_folder;
};

} // namespace kernelskill::test
