// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/skill_package.h"

#include "memory/longterm/package_source.h"
#include "memory/longterm/skill_reader.h"
#include "memory/longterm/skill_store_impl.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QTemporaryDir>

#include <algorithm>

namespace kernelskill {

namespace {

using Severity = SkillDiagnostic::Severity;

const QString skillFile = QStringLiteral("SKILL.md");

QString folderOf(const QString &path)
{
    const qsizetype slash = path.lastIndexOf(u'/');
    return slash < 0 ? QString() : path.left(slash);
}

// One skill's files, their paths below its folder.
SkillPackage packageOf(const QString &folder, const QString &source, QList<PackageFile> files)
{
    SkillPackage package;
    package.folder = folder;
    QString textName = skillFile;
    const auto isNamed = [](const QString &name) {
        return [name](const PackageFile &file) { return file.path == name; };
    };
    if (std::ranges::none_of(files, isNamed(skillFile))) textName = QStringLiteral("skill.md");
    package.source = source + u'/' + textName;
    for (PackageFile &file : files) {
        if (file.path == textName)
            package.text = std::move(file.bytes);
        else
            package.attachments.append({file.path, std::move(file.bytes), file.executable});
    }
    std::ranges::sort(package.attachments, {}, &SkillAttachment::path);
    if (package.text.size() > maximumSkillTextBytes) {
        package.diagnostics.append({Severity::Error, package.source, 1, QStringLiteral("larger than 1 MiB"),
                                    QStringLiteral("put long material under references/")});
        return package;
    }
    SkillReading reading = examineSkillText(decodeSkillText(package.text), package.source, folder);
    if (textName != skillFile) {
        reading.diagnostics.prepend({Severity::Warning, package.source, 1,
                                     QStringLiteral("the file is called skill.md"),
                                     QStringLiteral("Agent Skills wants SKILL.md; it is exported so")});
    }
    if (decodeSkillText(package.text).toUtf8() != package.text) {
        reading.diagnostics.prepend({Severity::Warning, package.source, 1, QStringLiteral("it is not UTF-8 throughout"),
                                     QStringLiteral("its bytes are kept; save it as UTF-8 to read all of it")});
    }
    package.skill = std::move(reading.skill);
    package.diagnostics = std::move(reading.diagnostics);
    if (package.skill) package.skill->diagnostics = package.diagnostics;
    return package;
}

// Skills of an archive: every folder with a SKILL.md, none inside another. What belongs to none is left.
QList<SkillPackage> packagesOf(const QList<PackageFile> &files, const QString &source)
{
    QStringList roots;
    for (const PackageFile &file : files) {
        const QString name = file.path.section(u'/', -1);
        if (name == skillFile || name == QLatin1String("skill.md")) roots.append(folderOf(file.path));
    }
    std::ranges::sort(roots, {}, [](const QString &root) { return root.count(u'/') + (root.isEmpty() ? 0 : 1); });
    QStringList outer;
    for (const QString &root : std::as_const(roots)) {
        const bool inside = std::ranges::any_of(outer, [&](const QString &other) {
            return other.isEmpty() || root == other || root.startsWith(other + u'/');
        });
        if (!inside) outer.append(root);
    }
    std::ranges::sort(outer);
    QList<SkillPackage> result;
    for (const QString &root : std::as_const(outer)) {
        QList<PackageFile> own;
        for (const PackageFile &file : files) {
            if (root.isEmpty())
                own.append(file);
            else if (file.path.startsWith(root + u'/'))
                own.append({file.path.mid(root.size() + 1), file.bytes, file.executable});
        }
        const QString folder =
            root.isEmpty() ? QFileInfo(source).fileName().section(u'.', 0, 0) : root.section(u'/', -1);
        result.append(packageOf(folder, root.isEmpty() ? source : source + u'/' + root, std::move(own)));
    }
    return result;
}

Result<QList<SkillPackage>> readFolders(const QString &path, const PackageLimits &limits)
{
    auto roots = findSkillFolders(path);
    if (!roots) return std::unexpected(roots.error());
    PackageCheck check(path, limits);
    QList<SkillPackage> result;
    for (const QString &root : std::as_const(*roots)) {
        const QString folder = root.isEmpty() ? path : path + u'/' + root;
        const QString prefix = root.isEmpty() ? QString() : root + u'/';
        auto files = readFolder(folder, prefix, check);
        if (!files) return std::unexpected(files.error());
        for (PackageFile &file : *files)
            file.path.remove(0, prefix.size());
        result.append(packageOf(QFileInfo(folder).fileName(), folder, std::move(*files)));
    }
    return result;
}

Result<void> writeFile(const QString &path, const QByteArray &bytes, bool executable)
{
    QFile file(path);
    if (!QDir().mkpath(QFileInfo(path).path()) || !file.open(QIODevice::WriteOnly | QIODevice::NewOnly) ||
        file.write(bytes) != bytes.size() || !file.flush()) {
        return failure("package.write", QStringLiteral("%1: cannot be written (%2)").arg(path, file.errorString()));
    }
    if (executable)
        file.setPermissions(file.permissions() | QFile::ExeOwner | QFile::ExeUser | QFile::ExeGroup | QFile::ExeOther);
    return {};
}

} // namespace

QByteArray SkillPackage::digest() const
{
    QList<StoredFile> files;
    for (const SkillAttachment &attachment : attachments)
        files.append({attachment.path, contentDigest(attachment.bytes), attachment.executable});
    return packageDigestOf(contentDigest(text), files);
}

Result<SkillPackage> readSkillFolder(const QString &folder, const PackageLimits &limits)
{
    const QString path = QDir(folder).absolutePath();
    PackageCheck check(path, limits);
    auto files = readFolder(path, {}, check);
    if (!files) return std::unexpected(files.error());
    const bool hasText = std::ranges::any_of(*files, [](const PackageFile &file) {
        return file.path == skillFile || file.path == QLatin1String("skill.md");
    });
    if (!hasText) return failure("skill.missing", QStringLiteral("%1: holds no SKILL.md").arg(path));
    return packageOf(QFileInfo(path).fileName(), path, std::move(*files));
}

Result<QList<SkillPackage>> readSkillPackages(const QString &path, const PackageLimits &limits)
{
    QFileInfo info(path);
    if (!info.exists())
        return failure("package.missing", QStringLiteral("%1: there is no such file or folder").arg(path));
    if (info.isFile() && info.fileName().compare(skillFile, Qt::CaseInsensitive) == 0)
        info = QFileInfo(info.absolutePath());
    Result<QList<SkillPackage>> result;
    if (info.isDir()) {
        result = readFolders(QDir(info.absoluteFilePath()).absolutePath(), limits);
    } else if (info.isFile()) {
        if (info.size() > limits.totalBytes) {
            return failure("package.limit", QStringLiteral("%1: refused, nothing was taken in: larger than %2 MiB")
                                                .arg(path)
                                                .arg(limits.totalBytes >> 20));
        }
        PackageCheck check(path, limits);
        auto files = readArchive(path, check);
        if (!files) return std::unexpected(files.error());
        result = packagesOf(*files, path);
    } else {
        return failure("package.format", QStringLiteral("%1: is no file or folder").arg(path));
    }
    if (!result) return result;
    if (result->isEmpty())
        return failure("package.missing",
                       QStringLiteral("%1: holds no SKILL.md, so there is no skill in it").arg(path));
    return result;
}

Result<void> writeSkillFolder(const QString &folder, const QByteArray &text, const QList<SkillAttachment> &attachments)
{
    const QFileInfo target(QDir(folder).absolutePath());
    if (target.exists() || target.isSymLink()) {
        return failure("package.write",
                       QStringLiteral("%1: exists; nothing is overwritten, so choose another folder or "
                                      "move it away")
                           .arg(target.filePath()));
    }
    if (!QDir().mkpath(target.path()))
        return failure("package.write", QStringLiteral("%1: cannot be made").arg(target.path()));
    QTemporaryDir made(QDir(target.path()).filePath(QStringLiteral(".%1.XXXXXX").arg(target.fileName())));
    if (!made.isValid())
        return failure("package.write", QStringLiteral("%1: %2").arg(target.path(), made.errorString()));
    // A database may come from a stranger, too.
    PackageCheck check(target.filePath(), {});
    if (auto done = writeFile(made.filePath(skillFile), text, false); !done) return done;
    for (const SkillAttachment &attachment : attachments) {
        if (auto allowed = check.add(attachment.path, false); !allowed) return allowed;
        if (auto done = writeFile(made.filePath(attachment.path), attachment.bytes, attachment.executable); !done)
            return done;
    }
    QFile::setPermissions(made.path(),
                          QFile::Permissions(0x7755)); // rwxr-xr-x: a temporary folder is its owner's alone
    if (!QDir().rename(made.path(), target.filePath()))
        return failure("package.write", QStringLiteral("%1: cannot be made").arg(target.filePath()));
    made.setAutoRemove(false);
    return {};
}

} // namespace kernelskill
