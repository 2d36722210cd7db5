// SPDX-License-Identifier: Apache-2.0
#include "run_tool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace kernelskill::cuda {

namespace {

class Pipe
{
public:
    Pipe() { m_ok = pipe2(m_ends, O_CLOEXEC) == 0; }
    ~Pipe()
    {
        closeEnd(0);
        closeEnd(1);
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;
    [[nodiscard]] bool isOpen() const { return m_ok; }
    [[nodiscard]] int end(int which) const { return m_ends[which]; }
    void closeEnd(int which)
    {
        if (m_ends[which] >= 0) close(m_ends[which]);
        m_ends[which] = -1;
    }

private:
    int m_ends[2] = {-1, -1};
    bool m_ok = false;
};

// Reads both until both are closed or time is up; false when it was.
bool readAll(std::array<Pipe *, 2> pipes, std::array<std::string *, 2> texts, int limit_s)
{
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::seconds(limit_s);
    std::array<char, 65536> buffer;
    while (pipes[0]->end(0) >= 0 || pipes[1]->end(0) >= 0) {
        std::array<pollfd, 2> waits{pollfd{pipes[0]->end(0), POLLIN, 0}, pollfd{pipes[1]->end(0), POLLIN, 0}};
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
        if (left <= 0) return false;
        if (poll(waits.data(), waits.size(), int(left)) < 0 && errno != EINTR) return false;
        for (std::size_t i = 0; i < waits.size(); ++i) {
            if (!(waits[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
            const ssize_t got = read(waits[i].fd, buffer.data(), buffer.size());
            if (got > 0)
                texts[i]->append(buffer.data(), std::size_t(got));
            else if (got == 0 || errno != EINTR)
                pipes[i]->closeEnd(0);
        }
    }
    return true;
}

} // namespace

ToolRun runTool(const std::vector<std::string> &arguments, int limit_s)
{
    ToolRun run;
    Pipe output, errors;
    if (arguments.empty() || !output.isOpen() || !errors.isOpen()) return run;
    std::vector<char *> pointers;
    for (const std::string &argument : arguments)
        pointers.push_back(const_cast<char *>(argument.c_str()));
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output.end(1), 1);
    posix_spawn_file_actions_adddup2(&actions, errors.end(1), 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); // a group of its own, killed as a whole
    pid_t child = -1;
    const int error = posix_spawnp(&child, pointers[0], &actions, &attributes, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    output.closeEnd(1);
    errors.closeEnd(1);
    if (error != 0) {
        run.status = error == ENOENT ? 127 : 126;
        run.errors = arguments[0] + ": " + std::strerror(error);
        return run;
    }
    if (!readAll({&output, &errors}, {&run.output, &run.errors}, limit_s)) kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return run;
}

} // namespace kernelskill::cuda
