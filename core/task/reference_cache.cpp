// SPDX-License-Identifier: Apache-2.0
#include "task/reference_cache.h"

#include "base/paths.h"

#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/stat.h>

namespace kernelskill {

namespace {

constexpr int inUse_s = 900; // since the last use

// The folder's date is the date of its last use. False when it is gone.
bool touch(const QString &folder)
{
    return utimensat(AT_FDCWD, folder.toLocal8Bit().constData(), nullptr, 0) == 0;
}

} // namespace

ReferenceCache &ReferenceCache::instance()
{
    static ReferenceCache cache(paths::cacheFolder() + QStringLiteral("/references/runs"));
    return cache;
}

ReferenceCache::ReferenceCache(QString root, qint64 limitBytes) : m_root(std::move(root)), m_limitBytes(limitBytes) {}

QString ReferenceCache::folderOf(const QByteArray &key) const { return m_root + u'/' + QString::fromLatin1(key); }

std::optional<ReferenceOutputs> ReferenceCache::find(const QByteArray &key)
{
    const QMutexLocker lock(&m_mutex);
    const ReferenceOutputs *found = m_recent.object(key);
    // Whoever asks may want the files: another program may have removed them, and they are in use from now.
    return found && touch(folderOf(key)) ? std::optional(*found) : std::nullopt;
}

void ReferenceCache::remember(const QByteArray &key, const ReferenceOutputs &outputs)
{
    touch(folderOf(key));
    const QMutexLocker lock(&m_mutex);
    m_recent.insert(key, new ReferenceOutputs(outputs));
}

void ReferenceCache::forget(const QByteArray &key)
{
    const QMutexLocker lock(&m_mutex);
    m_recent.remove(key);
    QDir(folderOf(key)).removeRecursively();
}

void ReferenceCache::evict()
{
    const QMutexLocker lock(&m_mutex);
    const QFileInfoList folders = QDir(m_root).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time); // newest first
    qint64 total = 0;
    for (const QFileInfo &folder : folders) {
        qint64 size = 0;
        QDirIterator files(folder.filePath(), QDir::Files);
        while (files.hasNext()) size += files.nextFileInfo().size();
        total += size;
        // Not what another program is just writing, nor what an evaluation was just told to read: it knows only the paths.
        const bool young = folder.lastModified().secsTo(QDateTime::currentDateTime()) < inUse_s;
        if (total <= m_limitBytes || young) continue;
        QDir(folder.filePath()).removeRecursively();
        total -= size;
    }
}

} // namespace kernelskill
