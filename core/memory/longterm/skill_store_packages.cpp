// SPDX-License-Identifier: Apache-2.0
// Whole folders into the store and out of it: the skills that ship, imports, exports.
#include "memory/longterm/skill_store_impl.h"

#include "memory/longterm/package_source.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QLoggingCategory>

#include <algorithm>

namespace kernelskill {

namespace {

Q_LOGGING_CATEGORY(logMemory, "kernelskill.memory")

const QString foreignReason =
    QStringLiteral("it has no gate and no promises of this program's; accept it to have it offered");

struct DiskSkill
{
    SkillPackage package;
    QString stamp;
};

// Reads the folders of skills that are new or changed. One broken skill must not take the others away.
struct DiskReader
{
    QHash<QString, std::pair<QString, QString>> stamps; // SKILL.md → name and stamp when it was taken in
    QHash<QString, QString> folders;                    // name → folder
    std::vector<DiskSkill> changed;
    QList<SkillProblem> problems;

    void read(const QString &folder, const QString &path);

private:
    void problem(const QString &folder, const SkillDiagnostic &diagnostic)
    {
        problems.append({folder, 0, 0, diagnostic});
        qCWarning(logMemory).noquote() << diagnostic.text();
    }
};

void DiskReader::read(const QString &folder, const QString &path)
{
    const QString source = path + QStringLiteral("/SKILL.md");
    if (!QFileInfo::exists(source)) return;
    const QString stamp = folderStamp(path);
    const auto known = stamps.constFind(source);
    if (!stamp.isEmpty() && known != stamps.constEnd() && known->second == stamp) {
        folders.insert(known->first, folder);
        return;
    }
    auto package = readSkillFolder(path);
    if (!package) {
        problem(folder, {SkillDiagnostic::Severity::Error, source, 1, package.error().message, {}});
        return;
    }
    if (!package->skill) {
        for (const SkillDiagnostic &one : std::as_const(package->diagnostics)) {
            if (one.severity == SkillDiagnostic::Severity::Error) problem(folder, one);
        }
        return;
    }
    const QString name = package->skill->name;
    if (const auto other = folders.constFind(name); other != folders.constEnd()) {
        problem(folder, {SkillDiagnostic::Severity::Error, source, 2,
                         QStringLiteral("'%1' is the name of the skill in '%2', too").arg(name, *other),
                         QStringLiteral("give one of them another name")});
        return;
    }
    folders.insert(name, folder);
    changed.push_back({std::move(*package), stamp});
}

QString firstError(const SkillPackage &package)
{
    for (const SkillDiagnostic &diagnostic : package.diagnostics) {
        if (diagnostic.severity == SkillDiagnostic::Severity::Error) return diagnostic.text();
    }
    return {};
}

} // namespace

QByteArray packageDigestOf(const QString &textDigest, const QList<StoredFile> &files)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(textDigest.toLatin1());
    QStringList lines;
    for (const StoredFile &file : files)
        lines.append(QStringLiteral("%1 %2 %3").arg(file.digest, file.executable ? u"x" : u"-", file.path));
    lines.sort();
    for (const QString &line : std::as_const(lines))
        hash.addData(u'\n' + line.toUtf8());
    return hash.result().toHex();
}

Result<QByteArray> SkillStore::Impl::packageDigest(const QSqlDatabase &db, const QString &name, int revision) const
{
    auto content = sql::value(db, QStringLiteral("SELECT content FROM revisions WHERE skill = ? AND revision = ?"),
                              {name, revision});
    if (!content) return trouble(content.error());
    auto stored = files(db, name, revision);
    if (!stored) return std::unexpected(stored.error());
    return packageDigestOf(content->toString(), *stored);
}

// Only what changed on disk is read: a thousand skills are looked at in some ten milliseconds.
Result<void> SkillStore::Impl::takeIn(const QString &skillsFolder)
{
    if (skillsFolder.isEmpty()) return {};
    auto db = database();
    if (!db) return std::unexpected(db.error());
    DiskReader reader;
    auto rows = sql::run(*db, QStringLiteral("SELECT source, name, disk_stamp FROM skills WHERE disk_stamp <> ''"));
    if (!rows) return trouble(rows.error());
    while (rows->next())
        reader.stamps.insert(rows->value(0).toString(), {rows->value(1).toString(), rows->value(2).toString()});
    rows->finish();
    const QDir folder(QDir(skillsFolder).absolutePath());
    for (const QString &entry : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
        reader.read(entry, folder.filePath(entry));
    diskProblems = std::move(reader.problems);
    if (reader.changed.empty()) return {};
    auto transaction = begin(*db);
    if (!transaction) return std::unexpected(transaction.error());
    for (const DiskSkill &one : reader.changed) {
        if (auto taken = takeInOne(*db, one.package, one.stamp); !taken) return taken;
    }
    return commit(**transaction);
}

Result<void> SkillStore::Impl::takeInOne(const QSqlDatabase &db, const SkillPackage &package,
                                         const QString &stamp) const
{
    const Skill &skill = *package.skill;
    const QString digest = QString::fromLatin1(package.digest());
    auto row = stored(db, skill.name);
    if (!row) return std::unexpected(row.error());
    const bool known = row->has_value();
    if (!known) {
        const SkillState state = skill.foreign ? SkillState::Draft : SkillState::Active;
        if (auto made = addSkill(db, skill.name, state, skill.foreign ? foreignReason : QString(), package.source);
            !made)
            return made;
    }
    auto noted =
        sql::run(db, QStringLiteral("UPDATE skills SET disk_digest = ?, disk_stamp = ?, source = ? WHERE name = ?"),
                 {digest, stamp, package.source, skill.name});
    if (!noted) return trouble(noted.error());
    if (known) {
        if ((*row)->diskDigest == digest) return {};
        auto current = packageDigest(db, skill.name, (*row)->revision);
        if (!current) return std::unexpected(current.error());
        const QString used = QString::fromLatin1(*current);
        if (used == digest) return {};
        // A person's revision stays, unless it is what was on disk, as an undone edit leaves it.
        if ((*row)->author != shippedAuthor && used != (*row)->diskDigest) {
            qCInfo(logMemory).noquote() << package.source << "changed on disk; the revision a person made stays in use";
            return {};
        }
    }
    const QString reason = known ? QStringLiteral("changed on disk") : QStringLiteral("shipped");
    auto revision = addRevision(db, skill.name, package.text, reason, shippedAuthor);
    if (!revision) return std::unexpected(revision.error());
    if (auto put = putFiles(db, skill.name, *revision, package.attachments); !put) return put;
    return noteChange(db, {skill.name, reason, shippedAuthor, *revision, {}, {}, {}});
}

// True when anything was changed.
Result<bool> SkillStore::Impl::importOne(const QSqlDatabase &db, const SkillPackage &package, const QString &author,
                                         ImportedSkill &result) const
{
    const Skill &skill = *package.skill;
    result = {skill.name, 1, ImportedSkill::Outcome::Added, package.diagnostics};
    const QString reason = QStringLiteral("imported from %1").arg(QFileInfo(package.source).path());
    auto row = stored(db, skill.name);
    if (!row) return std::unexpected(row.error());
    if (*row) {
        auto current = packageDigest(db, skill.name, (*row)->revision);
        if (!current) return std::unexpected(current.error());
        result.revision = (*row)->revision;
        result.outcome = ImportedSkill::Outcome::Unchanged;
        if (*current == package.digest()) return false;
        result.outcome = ImportedSkill::Outcome::Changed;
    } else if (auto made = addSkill(db, skill.name, SkillState::Draft, reason, package.source); !made) {
        return std::unexpected(made.error());
    }
    auto revision = addRevision(db, skill.name, package.text, reason, author);
    if (!revision) return std::unexpected(revision.error());
    result.revision = *revision;
    if (auto put = putFiles(db, skill.name, *revision, package.attachments); !put) return std::unexpected(put.error());
    auto noted = noteChange(db, {skill.name, reason, author, *revision, SkillState::Draft, reason, {}});
    if (!noted) return std::unexpected(noted.error());
    return true;
}

Result<QList<ImportedSkill>> SkillStore::importSkills(const QString &path, const QString &author,
                                                      const PackageLimits &limits)
{
    auto packages = readSkillPackages(path, limits);
    if (!packages) return std::unexpected(packages.error());
    QHash<QString, QString> sources;
    for (const SkillPackage &package : std::as_const(*packages)) {
        if (!package.skill) {
            return failure("skill.syntax",
                           QStringLiteral("%1; nothing was taken in: mend it, or import the others one by one")
                               .arg(firstError(package)));
        }
        if (const auto other = sources.constFind(package.skill->name); other != sources.constEnd()) {
            return failure(
                "package.unsafe",
                QStringLiteral("%1: refused, nothing was taken in: '%2' is the name of the skill in %3, too; "
                               "import them one by one")
                    .arg(package.source, package.skill->name, *other));
        }
        sources.insert(package.skill->name, package.source);
    }
    auto db = m_impl->writable();
    if (!db) return std::unexpected(db.error());
    auto transaction = m_impl->begin(*db);
    if (!transaction) return std::unexpected(transaction.error());
    QList<ImportedSkill> result;
    for (const SkillPackage &package : std::as_const(*packages)) {
        ImportedSkill imported;
        auto done = m_impl->importOne(*db, package, author.isEmpty() ? QStringLiteral("person") : author, imported);
        if (!done) return std::unexpected(done.error());
        result.append(imported);
    }
    if (auto done = m_impl->commit(**transaction); !done) return std::unexpected(done.error());
    return result;
}

Result<QStringList> SkillStore::exportSkills(const QString &folder, const QStringList &names) const
{
    auto db = m_impl->database();
    if (!db) return std::unexpected(db.error());
    QStringList wanted = names;
    if (wanted.isEmpty()) {
        auto rows = sql::run(*db, QStringLiteral("SELECT name FROM skills ORDER BY name"));
        if (!rows) return m_impl->trouble(rows.error());
        while (rows->next())
            wanted.append(rows->value(0).toString());
    }
    wanted.removeDuplicates();
    const QDir target(QDir(folder).absolutePath());
    QList<std::pair<QString, int>> found;
    for (const QString &name : std::as_const(wanted)) {
        auto row = m_impl->known(*db, name);
        if (!row) return std::unexpected(row.error());
        if (QFileInfo::exists(target.filePath(name))) {
            return failure("package.write",
                           QStringLiteral("%1: exists; nothing is overwritten, so choose another folder "
                                          "or move it away")
                               .arg(target.filePath(name)));
        }
        found.append({name, row->revision});
    }
    QStringList written;
    for (const auto &[name, revision] : std::as_const(found)) {
        auto text = m_impl->text(*db, name, revision);
        auto files = attachments(name, revision);
        Result<void> done = !text    ? std::unexpected(text.error())
                            : !files ? std::unexpected(files.error())
                                     : writeSkillFolder(target.filePath(name), *text, *files);
        if (!done) {
            for (const QString &path : std::as_const(written))
                QDir(path).removeRecursively();
            return std::unexpected(done.error());
        }
        written.append(target.filePath(name));
    }
    return written;
}

} // namespace kernelskill
