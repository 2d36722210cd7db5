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
    return found ? std::optional(*found) : std::nullopt;
}

void ReferenceCache::remember(const QByteArray &key, const ReferenceOutputs &outputs)
{
    // The folder's date is the date of its last use.
    utimensat(AT_FDCWD, folderOf(key).toLocal8Bit().constData(), nullptr, 0);
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
        // Not what another program is just writing.
        const bool young = folder.lastModified().secsTo(QDateTime::currentDateTime()) < 300 && folder.fileName().startsWith(u"run-");
        if (total <= m_limitBytes || young) continue;
        QDir(folder.filePath()).removeRecursively();
        total -= size;
    }
}

} // namespace kernelskill
