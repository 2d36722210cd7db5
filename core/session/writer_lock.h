// SPDX-License-Identifier: Apache-2.0
// Keeps a second writer out of a file, in this process and any other.
#pragma once

#include "base/result.h"

#include <QString>

#include <memory>

namespace kernelskill {

// flock on a descriptor of its own. The kernel drops it when the process dies, so nothing stale stays behind. SQLite's
// locks are of another kind (fcntl) and are lost when any descriptor of the file is closed: so the lock must be
// released after SQLite has closed the file, and a process never opens a file a second time to try for a lock it
// already holds.
class WriterLock
{
public:
    [[nodiscard]] static Result<std::unique_ptr<WriterLock>> take(const QString &path);
    ~WriterLock();
    WriterLock(const WriterLock &) = delete;
    WriterLock &operator=(const WriterLock &) = delete;

private:
    WriterLock(int descriptor, quint64 device, quint64 inode);
    int m_descriptor;
    quint64 m_device, m_inode;
};

} // namespace kernelskill
