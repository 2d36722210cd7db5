// SPDX-License-Identifier: Apache-2.0
// Archives through libarchive, into memory: nothing is unpacked to disk, so no entry can reach a file of ours.
#include "memory/longterm/package_source.h"

#include <QFile>
#include <QFileInfo>
#include <QStringDecoder>

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <optional>

namespace kernelskill {

namespace {

struct FreeArchive
{
    void operator()(archive *archive) const { archive_read_free(archive); }
};

std::optional<QString> pathOf(archive_entry *entry)
{
    const char *bytes = archive_entry_pathname_utf8(entry);
    if (!bytes) bytes = archive_entry_pathname(entry);
    if (!bytes) return std::nullopt;
    QStringDecoder decoder(QStringDecoder::Utf8);
    QString path = decoder(QByteArrayView(bytes));
    if (decoder.hasError()) return std::nullopt;
    while (path.startsWith(QStringLiteral("./")))
        path.remove(0, 2);
    while (path.size() > 1 && path.endsWith(u'/'))
        path.chop(1);
    return path == QLatin1String(".") ? QString() : path;
}

class ArchiveReader
{
public:
    ArchiveReader(QString source, PackageCheck &check) : m_source(std::move(source)), m_check(check) {}
    Result<QList<PackageFile>> read();

private:
    std::unexpected<Error> refuse(const QString &path, const QString &rule) const
    {
        return failure("package.unsafe",
                       QStringLiteral("%1: refused, nothing was taken in: '%2' is %3").arg(m_source, path, rule));
    }
    std::unexpected<Error> broken() const
    {
        const char *message = archive_error_string(m_archive.get());
        return failure("package.format",
                       QStringLiteral("%1: cannot be unpacked (%2); it must be a whole .zip, .skill, .tar or .tar.gz")
                           .arg(m_source, message ? QString::fromUtf8(message) : QStringLiteral("unknown format")));
    }
    Result<void> readEntry(archive_entry *entry);
    Result<void> readBytes(const QString &path, PackageFile &file);

    QString m_source;
    PackageCheck &m_check;
    std::unique_ptr<archive, FreeArchive> m_archive{archive_read_new()};
    QList<PackageFile> m_files;
};

Result<void> ArchiveReader::readBytes(const QString &path, PackageFile &file)
{
    QByteArray piece(64 * 1024, Qt::Uninitialized);
    for (;;) {
        const la_ssize_t got = archive_read_data(m_archive.get(), piece.data(), size_t(piece.size()));
        if (got < 0) return broken();
        if (got == 0) return {};
        if (auto fits = m_check.addBytes(path, got); !fits) return fits;
        file.bytes.append(piece.constData(), got);
    }
}

Result<void> ArchiveReader::readEntry(archive_entry *entry)
{
    const auto path = pathOf(entry);
    if (!path)
        return refuse(QStringLiteral("?"), QStringLiteral("a name that is not UTF-8; pack it anew with one that is"));
    if (path->isEmpty()) return {};
    if (archive_entry_hardlink(entry)) return refuse(*path, QStringLiteral("a hard link; put the file itself there"));
    const auto kind = archive_entry_filetype(entry);
    if (kind == AE_IFLNK || archive_entry_symlink(entry))
        return refuse(*path, QStringLiteral("a symbolic link; put the file itself there"));
    if (kind != AE_IFREG && kind != AE_IFDIR)
        return refuse(*path, QStringLiteral("no ordinary file or folder; leave it out"));
    if (archive_entry_is_encrypted(entry) > 0)
        return refuse(*path, QStringLiteral("encrypted; pack it without a password"));
    if (auto allowed = m_check.add(*path, kind == AE_IFDIR); !allowed) return allowed;
    if (kind == AE_IFDIR) return {};
    PackageFile file{*path, {}, (archive_entry_perm(entry) & 0111) != 0};
    if (auto done = readBytes(*path, file); !done) return done;
    for (const QString &component : path->split(u'/')) {
        if (isLitter(component)) return {};
    }
    m_files.append(std::move(file));
    return {};
}

Result<QList<PackageFile>> ArchiveReader::read()
{
    archive *reader = m_archive.get();
    archive_read_support_filter_gzip(reader);
    archive_read_support_format_zip(reader);
    archive_read_support_format_tar(reader);
    m_check.setPackedBytes(QFileInfo(m_source).size());
    if (archive_read_open_filename(reader, QFile::encodeName(m_source).constData(), 64 * 1024) != ARCHIVE_OK)
        return broken();
    for (;;) {
        archive_entry *entry = nullptr;
        const int status = archive_read_next_header(reader, &entry);
        if (status == ARCHIVE_EOF) return std::move(m_files);
        if (status < ARCHIVE_WARN) return broken();
        if (auto done = readEntry(entry); !done) return std::unexpected(done.error());
    }
}

} // namespace

Result<QList<PackageFile>> readArchive(const QString &path, PackageCheck &check)
{
    return ArchiveReader(path, check).read();
}

} // namespace kernelskill
