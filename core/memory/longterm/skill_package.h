// SPDX-License-Identifier: Apache-2.0
// A whole Agent Skills folder as a value: SKILL.md and all files beside it. Read from folders and archives that may be
// hostile; nothing in them is ever run, and nothing is unpacked to disk.
#pragma once

#include "memory/longterm/skill.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

namespace kernelskill {

// Beyond any of these an import is refused whole.
struct PackageLimits
{
    qint64 totalBytes = 64 << 20;
    qint64 fileBytes = 16 << 20;
    int entries = 4096;
    int unpackedPerPackedByte = 200; // looked at above 4 MiB; text is packed about 4 : 1, and 30 : 1 at most
};

struct SkillAttachment
{
    QString path; // below the skill's folder, '/' between: "references/example/task.json"
    QByteArray bytes;
    bool executable = false;
};

struct SkillPackage
{
    QString folder;                     // its name
    QString source;                     // its SKILL.md, for diagnostics: a path, in archives "x.zip/folder/SKILL.md"
    QByteArray text;                    // SKILL.md byte for byte
    QList<SkillAttachment> attachments; // by path
    std::optional<Skill> skill;         // missing when SKILL.md is broken; `diagnostics` say why
    QList<SkillDiagnostic> diagnostics;

    [[nodiscard]] QByteArray digest() const; // over all bytes and paths
};

// One skill's folder, as a whole. Links and device files are refused, `.git` and `.DS_Store` left out.
[[nodiscard]] Result<SkillPackage> readSkillFolder(const QString &folder, const PackageLimits &limits = {});
// A folder (one skill, or skills somewhere below it), SKILL.md itself, or an archive (.zip, .skill, .tar, .tar.gz),
// told by content. Errors: "package.unsafe" (names the entry and the rule), "package.limit", "package.missing",
// "package.format". Broken skills are in the list with their diagnostics.
[[nodiscard]] Result<QList<SkillPackage>> readSkillPackages(const QString &path, const PackageLimits &limits = {});
// Writes <folder>/SKILL.md and the attachments. The folder must not exist; nothing is left behind on an error.
[[nodiscard]] Result<void> writeSkillFolder(const QString &folder, const QByteArray &text,
                                            const QList<SkillAttachment> &attachments);

} // namespace kernelskill
