// SPDX-License-Identifier: Apache-2.0
#include "archive_maker.h"

#include <QFile>

#include <archive.h>
#include <archive_entry.h>

namespace kernelskill::test {

void makeArchive(const QString &path, MadeFormat format, const QList<MadeEntry> &entries)
{
    archive *writer = archive_write_new();
    if (format == MadeFormat::Zip)
        archive_write_set_format_zip(writer);
    else
        archive_write_set_format_pax_restricted(writer);
    if (format == MadeFormat::TarGz) archive_write_add_filter_gzip(writer);
    if (archive_write_open_filename(writer, QFile::encodeName(path).constData()) != ARCHIVE_OK)
        qFatal("%s", archive_error_string(writer));
    for (const MadeEntry &made : entries) {
        archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, made.path.constData());
        archive_entry_set_perm(entry, made.executable ? 0755 : 0644);
        switch (made.kind) {
        case MadeEntry::Kind::File:
            archive_entry_set_filetype(entry, AE_IFREG);
            archive_entry_set_size(entry, made.bytes.size());
            break;
        case MadeEntry::Kind::Folder:
            archive_entry_set_filetype(entry, AE_IFDIR);
            break;
        case MadeEntry::Kind::SymbolicLink:
            archive_entry_set_filetype(entry, AE_IFLNK);
            archive_entry_set_symlink(entry, made.target.constData());
            break;
        case MadeEntry::Kind::HardLink:
            archive_entry_set_filetype(entry, AE_IFREG);
            archive_entry_set_hardlink(entry, made.target.constData());
            break;
        case MadeEntry::Kind::Device:
            archive_entry_set_filetype(entry, AE_IFCHR);
            archive_entry_set_rdevmajor(entry, 1);
            archive_entry_set_rdevminor(entry, 3);
            break;
        case MadeEntry::Kind::Pipe:
            archive_entry_set_filetype(entry, AE_IFIFO);
            break;
        }
        if (archive_write_header(writer, entry) < ARCHIVE_WARN) qFatal("%s", archive_error_string(writer));
        if (made.kind == MadeEntry::Kind::File)
            archive_write_data(writer, made.bytes.constData(), size_t(made.bytes.size()));
        archive_entry_free(entry);
    }
    archive_write_free(writer);
}

} // namespace kernelskill::test
