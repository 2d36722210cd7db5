// SPDX-License-Identifier: Apache-2.0
#include "lease.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kernelskill::cuda {

namespace {

constexpr int step_ms = 100;

// Without O_CREAT first: in a sticky folder that flag keeps others than the owner from opening.
int openForAll(const std::string &path)
{
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file >= 0 || errno != ENOENT) return file;
    const int made = open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    return made >= 0 ? made : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

} // namespace

Lease::~Lease()
{
    if (m_file >= 0) close(m_file);
}

bool Lease::take(const std::string &uuid, int limit_ms, const std::function<void()> &waiting, std::string &error)
{
    using Clock = std::chrono::steady_clock;
    const std::string path = "/tmp/kernelskill-" + uuid + ".lease";
    m_file = openForAll(path);
    if (m_file < 0) {
        error = "The GPU's lease cannot be taken: " + path + ": " + std::strerror(errno) + ".";
        return false;
    }
    const Clock::time_point begin = Clock::now();
    for (int step = 0; flock(m_file, LOCK_EX | LOCK_NB) != 0; ++step) {
        if (Clock::now() - begin > std::chrono::milliseconds(limit_ms)) {
            error = "The GPU " + uuid + " was in use by another evaluation for " + std::to_string(limit_ms / 1000) +
                    " seconds (" + path + " is locked). Try again when that one is done.";
            return false;
        }
        if (step % 10 == 0) waiting();
        poll(nullptr, 0, step_ms);
    }
    return true;
}

} // namespace kernelskill::cuda
