// SPDX-License-Identifier: Apache-2.0
#include "session/writer_lock.h"

#include <QFile>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kernelskill {

namespace {

using FileKey = std::pair<quint64, quint64>; // device, inode

struct HeldLocks
{
    std::mutex mutex;
    std::set<FileKey> files;
};

HeldLocks &heldLocks()
{
    static HeldLocks locks;
    return locks;
}

std::unexpected<Error> locked(const QString &path)
{
    return failure(
        "session.locked",
        QStringLiteral("%1: another run or window is writing this session; wait for it, or stop it").arg(path));
}

} // namespace

WriterLock::WriterLock(int descriptor, quint64 device, quint64 inode)
    : m_descriptor(descriptor), m_device(device), m_inode(inode)
{
}

WriterLock::~WriterLock()
{
    HeldLocks &held = heldLocks();
    const std::scoped_lock guard(held.mutex);
    held.files.erase({m_device, m_inode});
    ::close(m_descriptor);
}

Result<std::unique_ptr<WriterLock>> WriterLock::take(const QString &path)
{
    const QByteArray name = QFile::encodeName(path);
    struct stat facts{};
    HeldLocks &held = heldLocks();
    const std::scoped_lock guard(held.mutex);
    if (::stat(name.constData(), &facts) != 0) {
        return failure("session.missing",
                       QStringLiteral("%1: %2").arg(path, QString::fromLocal8Bit(std::strerror(errno))));
    }
    const FileKey key{quint64(facts.st_dev), quint64(facts.st_ino)};
    if (held.files.contains(key)) return locked(path);
    const int descriptor = ::open(name.constData(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return failure("session.missing",
                       QStringLiteral("%1: %2").arg(path, QString::fromLocal8Bit(std::strerror(errno))));
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        ::close(descriptor);
        return locked(path);
    }
    held.files.insert(key);
    return std::unique_ptr<WriterLock>(new WriterLock(descriptor, key.first, key.second));
}

} // namespace kernelskill
