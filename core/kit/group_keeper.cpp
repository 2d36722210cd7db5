// SPDX-License-Identifier: Apache-2.0
#include "kit/group_keeper.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kernelskill::kit {

namespace {

constexpr std::size_t mostGroups = 256;
std::atomic<int> notes = -1; // where groups are told of; −1: there is no keeper

void tell(pid_t number)
{
    // Shorter than a pipe's atomic size, so whole or not at all.
    const int descriptor = notes;
    if (descriptor < 0) return;
    [[maybe_unused]] const ssize_t written = write(descriptor, &number, sizeof number);
}

// The keeper's whole life. Only calls that are safe after a fork.
[[noreturn]] void keep(int input)
{
    std::array<pid_t, mostGroups> groups{};
    pid_t number = 0;
    for (;;) {
        const ssize_t count = read(input, &number, sizeof number);
        if (count < 0 && errno == EINTR) continue;
        if (count != sizeof number) break; // nobody can tell us anything any more
        const pid_t wanted = number > 0 ? 0 : -number; // a free place, or the group's own
        for (pid_t &group : groups) {
            if (group != wanted) continue;
            group = number > 0 ? number : 0;
            break;
        }
    }
    for (const pid_t group : groups)
        if (group > 1) kill(-group, SIGKILL);
    _exit(0);
}

} // namespace

GroupKeeper::GroupKeeper()
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    m_keeper = fork();
    if (m_keeper == 0) {
        setsid(); // no signal to our group reaches it
        const int input = fcntl(ends[0], F_DUPFD_CLOEXEC, 3);
        for (int descriptor = 0; descriptor < 64; ++descriptor) // whoever reads our output must see its end
            if (descriptor != input) close(descriptor);
        keep(input);
    }
    close(ends[0]);
    if (m_keeper < 0)
        close(ends[1]);
    else
        notes = ends[1];
}

GroupKeeper::~GroupKeeper()
{
    if (m_keeper < 0) return;
    close(notes.exchange(-1));
    while (waitpid(m_keeper, nullptr, 0) < 0 && errno == EINTR) {}
}

namespace internal {

void noteOwnGroup()
{
    tell(getpid());
}

void forgetGroup(pid_t leader)
{
    if (leader > 1) tell(-leader);
}

} // namespace internal

} // namespace kernelskill::kit
