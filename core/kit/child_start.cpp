// SPDX-License-Identifier: Apache-2.0
#include "kit/child_start.h"

#include "kit/group_keeper.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kernelskill::kit::internal {

namespace {

std::vector<char *> pointers(const std::vector<std::string> &texts)
{
    std::vector<char *> result;
    for (const std::string &text : texts) result.push_back(const_cast<char *>(text.c_str()));
    result.push_back(nullptr);
    return result;
}

// From here to exec in the child: only calls that are safe after a fork, no allocation.

void closeOnExecFrom(unsigned first)
{
#ifdef SYS_close_range
    constexpr unsigned closeRangeCloexec = 4;
    if (syscall(SYS_close_range, first, ~0U, closeRangeCloexec) == 0) return;
#endif
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const unsigned last = unsigned(std::min<rlim_t>(limit.rlim_cur, 65536));
    for (unsigned descriptor = first; descriptor < last; ++descriptor) fcntl(int(descriptor), F_SETFD, FD_CLOEXEC);
}

void limitTo(int resource, rlim_t soft, rlim_t hard)
{
    rlimit limit{};
    getrlimit(__rlimit_resource_t(resource), &limit);
    // Never above what is allowed already: raising the hard limit would fail and leave the old one.
    limit.rlim_max = std::min(limit.rlim_max, hard);
    limit.rlim_cur = std::min(soft, limit.rlim_max);
    setrlimit(__rlimit_resource_t(resource), &limit);
}

void restoreSignals()
{
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) sigaction(number, &standard, nullptr);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Moves everything out of the way first, so that no target overwrites a source. `moved` has room for all.
bool placeDescriptors(const std::vector<std::pair<int, int>> &descriptors, int *moved, int base)
{
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
        moved[i] = fcntl(descriptors[i].first, F_DUPFD_CLOEXEC, base);
        if (moved[i] < 0) return false;
    }
    closeOnExecFrom(3);
    for (std::size_t i = 0; i < descriptors.size(); ++i)
        if (dup2(moved[i], descriptors[i].second) < 0) return false;
    return true;
}

[[noreturn]] void reportAndEnd(int errorPipe)
{
    const int number = errno;
    [[maybe_unused]] const ssize_t written = write(errorPipe, &number, sizeof number);
    _exit(127);
}

} // namespace

pid_t startChild(const ChildStart &start, std::string &error)
{
    const std::vector<char *> arguments = pointers(start.arguments);
    const std::vector<char *> environment = pointers(start.environment);
    std::vector<int> moved(start.descriptors.size());
    int base = 10;
    for (const auto &[ours, theirs] : start.descriptors) base = std::max(base, theirs + 1);
    int errorPipe[2];
    if (pipe2(errorPipe, O_CLOEXEC) != 0) {
        error = std::strerror(errno);
        return -1;
    }
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        noteOwnGroup();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(127); // the parent died before the line above
        restoreSignals();
        const int report = fcntl(errorPipe[1], F_DUPFD_CLOEXEC, base);
        if (report < 0 || !placeDescriptors(start.descriptors, moved.data(), base)) reportAndEnd(report);
        limitTo(RLIMIT_CORE, 0, 0);
        limitTo(RLIMIT_CPU, start.cpu_s, start.cpu_s + 1);
        limitTo(RLIMIT_FSIZE, start.fileBytes, start.fileBytes);
        limitTo(RLIMIT_NOFILE, start.openFiles, start.openFiles);
        if (!start.workingFolder.empty() && chdir(start.workingFolder.c_str()) != 0) reportAndEnd(report);
        execve(arguments[0], arguments.data(), environment.data());
        reportAndEnd(report);
    }
    const int forkError = errno;
    close(errorPipe[1]);
    int number = 0;
    ssize_t count = 0;
    if (pid > 0) {
        setpgid(pid, pid);
        do count = read(errorPipe[0], &number, sizeof number);
        while (count < 0 && errno == EINTR);
    }
    close(errorPipe[0]);
    if (pid < 0) error = std::strerror(forkError);
    if (count <= 0) return pid;
    error = std::strerror(number);
    waitpid(pid, nullptr, 0);
    forgetGroup(pid);
    return -1;
}

} // namespace kernelskill::kit::internal
