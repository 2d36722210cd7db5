// SPDX-License-Identifier: Apache-2.0
#include "memory/longterm/package_source.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QFile>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kernelskill {

namespace {

constexpr int deepest = 32;           // folders inside folders, in a skill
constexpr int deepestSkill = 8;       // folders above a skill, in a folder of skills
constexpr int maximumVisits = 50'000; // entries looked at to find skills

struct CloseFolder
{
    void operator()(DIR *folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

struct FolderEntry
{
    QByteArray name;
    struct stat facts = {};
};

// Never follows a link: what was looked at is what is opened.
Folder openFolder(int parent, const QByteArray &name, bool followLink = false)
{
    const int descriptor =
        ::openat(parent, name.constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followLink ? 0 : O_NOFOLLOW));
    if (descriptor < 0) return nullptr;
    DIR *folder = ::fdopendir(descriptor);
    if (!folder) ::close(descriptor);
    return Folder(folder);
}

std::vector<FolderEntry> entriesOf(DIR *folder)
{
    std::vector<FolderEntry> result;
    while (const dirent *entry = ::readdir(folder)) {
        const QByteArray name(entry->d_name);
        if (name == "." || name == "..") continue;
        FolderEntry one{name, {}};
        if (::fstatat(::dirfd(folder), entry->d_name, &one.facts, AT_SYMLINK_NOFOLLOW) == 0) result.push_back(one);
    }
    std::ranges::sort(result, {}, &FolderEntry::name);
    return result;
}

QString reason()
{
    return QString::fromLocal8Bit(std::strerror(errno));
}

class FolderReader
{
public:
    FolderReader(QString root, PackageCheck &check) : m_root(std::move(root)), m_check(check) {}
    Result<void> read(DIR *folder, const QString &prefix, int depth);
    QList<PackageFile> files;

private:
    std::unexpected<Error> refuse(const QString &path, const QString &rule) const
    {
        return failure("package.unsafe",
                       QStringLiteral("%1: refused, nothing was taken in: '%2' is %3").arg(m_root, path, rule));
    }
    Result<void> readFile(int folder, const FolderEntry &entry, const QString &path);

    QString m_root;
    PackageCheck &m_check;
};

Result<void> FolderReader::readFile(int folder, const FolderEntry &entry, const QString &path)
{
    const int descriptor = ::openat(folder, entry.name.constData(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    QFile file;
    if (descriptor < 0 || !file.open(descriptor, QIODevice::ReadOnly, QFileDevice::AutoCloseHandle))
        return failure("package.missing", QStringLiteral("%1/%2: cannot be read (%3)").arg(m_root, path, reason()));
    PackageFile result{path, {}, (entry.facts.st_mode & 0111) != 0};
    char piece[64 * 1024];
    for (qint64 got = 0; (got = file.read(piece, sizeof piece)) != 0;) {
        if (got < 0)
            return failure("package.missing", QStringLiteral("%1/%2: %3").arg(m_root, path, file.errorString()));
        if (auto fits = m_check.addBytes(path, got); !fits) return fits;
        result.bytes.append(piece, got);
    }
    files.append(std::move(result));
    return {};
}

Result<void> FolderReader::read(DIR *folder, const QString &prefix, int depth)
{
    if (depth > deepest) return refuse(prefix, QStringLiteral("nested too deep"));
    for (const FolderEntry &entry : entriesOf(folder)) {
        const QString name = QString::fromUtf8(entry.name);
        if (isLitter(name)) continue;
        const QString path = prefix + name;
        const mode_t kind = entry.facts.st_mode & S_IFMT;
        if (kind == S_IFLNK) return refuse(path, QStringLiteral("a symbolic link; put the file itself there"));
        if (kind != S_IFREG && kind != S_IFDIR)
            return refuse(path, QStringLiteral("a device, pipe or socket; leave it out"));
        if (auto allowed = m_check.add(path, kind == S_IFDIR); !allowed) return allowed;
        if (kind == S_IFREG) {
            if (auto done = readFile(::dirfd(folder), entry, path); !done) return done;
            continue;
        }
        const Folder inner = openFolder(::dirfd(folder), entry.name);
        if (!inner)
            return failure("package.missing", QStringLiteral("%1/%2: cannot be read (%3)").arg(m_root, path, reason()));
        if (auto done = read(inner.get(), path + u'/', depth + 1); !done) return done;
    }
    return {};
}

struct SkillFinder
{
    QStringList found;
    int visits = 0;

    bool find(DIR *folder, const QString &path, int depth)
    {
        std::vector<FolderEntry> entries = entriesOf(folder);
        visits += int(entries.size());
        if (visits > maximumVisits) return false;
        const bool isSkill = std::ranges::any_of(entries, [](const FolderEntry &entry) {
            return (entry.name == "SKILL.md" || entry.name == "skill.md") && !S_ISDIR(entry.facts.st_mode);
        });
        if (isSkill) {
            found.append(path);
            return true;
        }
        if (depth >= deepestSkill) return true;
        for (const FolderEntry &entry : entries) {
            if (!S_ISDIR(entry.facts.st_mode) || isLitter(QString::fromUtf8(entry.name))) continue;
            const Folder inner = openFolder(::dirfd(folder), entry.name);
            const QString name = QString::fromUtf8(entry.name);
            if (inner && !find(inner.get(), path.isEmpty() ? name : path + u'/' + name, depth + 1)) return false;
        }
        return true;
    }
};

struct Stamp
{
    QCryptographicHash hash{QCryptographicHash::Sha1};
    qint64 newest_ms = 0;

    void add(DIR *folder, const QByteArray &prefix, int depth)
    {
        for (const FolderEntry &entry : entriesOf(folder)) {
            const auto &facts = entry.facts;
            hash.addData(prefix + entry.name + '\0');
            const qint64 numbers[]{qint64(facts.st_mode),        S_ISDIR(facts.st_mode) ? 0 : qint64(facts.st_size),
                                   qint64(facts.st_mtim.tv_sec), qint64(facts.st_mtim.tv_nsec),
                                   qint64(facts.st_ino),         qint64(facts.st_ctim.tv_sec),
                                   qint64(facts.st_ctim.tv_nsec)};
            hash.addData(QByteArrayView(reinterpret_cast<const char *>(numbers), sizeof numbers));
            newest_ms = std::max({newest_ms, qint64(facts.st_mtim.tv_sec) * 1000 + facts.st_mtim.tv_nsec / 1'000'000,
                                  qint64(facts.st_ctim.tv_sec) * 1000 + facts.st_ctim.tv_nsec / 1'000'000});
            if (!S_ISDIR(facts.st_mode) || depth > deepest) continue;
            if (const Folder inner = openFolder(::dirfd(folder), entry.name))
                add(inner.get(), prefix + entry.name + '/', depth + 1);
        }
    }
};

} // namespace

bool isLitter(const QString &name)
{
    static const QStringList names{QStringLiteral(".git"),     QStringLiteral(".hg"),
                                   QStringLiteral(".svn"),     QStringLiteral(".DS_Store"),
                                   QStringLiteral("__MACOSX"), QStringLiteral("Thumbs.db")};
    return names.contains(name);
}

Result<QList<PackageFile>> readFolder(const QString &folder, const QString &prefix, PackageCheck &check)
{
    const Folder opened = openFolder(AT_FDCWD, QFile::encodeName(folder), true);
    if (!opened) return failure("package.missing", QStringLiteral("%1: cannot be read (%2)").arg(folder, reason()));
    FolderReader reader(folder, check);
    if (auto done = reader.read(opened.get(), prefix, 0); !done) return std::unexpected(done.error());
    return std::move(reader.files);
}

Result<QStringList> findSkillFolders(const QString &root)
{
    const Folder opened = openFolder(AT_FDCWD, QFile::encodeName(root), true);
    if (!opened) return failure("package.missing", QStringLiteral("%1: cannot be read (%2)").arg(root, reason()));
    SkillFinder finder;
    if (!finder.find(opened.get(), {}, 0)) {
        return failure("package.limit",
                       QStringLiteral("%1: holds more than %2 files and folders; name the skill's own folder")
                           .arg(root)
                           .arg(maximumVisits));
    }
    return finder.found;
}

QString folderStamp(const QString &folder)
{
    // File systems count time in up to 2 s (FAT); a file as young as that may change again without showing it.
    constexpr qint64 grain_ms = 2'000;
    const Folder opened = openFolder(AT_FDCWD, QFile::encodeName(folder), true);
    if (!opened) return {};
    Stamp stamp;
    stamp.add(opened.get(), {}, 0);
    if (stamp.newest_ms > QDateTime::currentMSecsSinceEpoch() - grain_ms) return {};
    return QString::fromLatin1(stamp.hash.result().toHex());
}

} // namespace kernelskill
