// SPDX-License-Identifier: Apache-2.0
// Results of references: recent ones mapped, all on disk up to a limit. Safe to use from several threads and programs.
#pragma once

#include "task/reference.h"

#include <QByteArray>
#include <QCache>
#include <QMutex>

#include <optional>

namespace kernelskill {

class ReferenceCache
{
public:
    [[nodiscard]] static ReferenceCache &instance(); // below paths::cacheFolder()

    explicit ReferenceCache(QString root, qint64 limitBytes = qint64(1) << 30);

    [[nodiscard]] const QString &root() const { return m_root; }
    [[nodiscard]] QString folderOf(const QByteArray &key) const;
    [[nodiscard]] std::optional<ReferenceOutputs> find(const QByteArray &key); // in memory
    void remember(const QByteArray &key, const ReferenceOutputs &outputs);     // and mark its folder as used now
    void forget(const QByteArray &key);                                        // in memory and on disk
    void evict(); // removes the folders used longest ago until the rest fits, but none used a moment ago

private:
    const QString m_root;
    const qint64 m_limitBytes;
    QMutex m_mutex;
    QCache<QByteArray, ReferenceOutputs> m_recent{64};
};

} // namespace kernelskill
