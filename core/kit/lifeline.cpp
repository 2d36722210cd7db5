// SPDX-License-Identifier: Apache-2.0
#include "lifeline.h"

#include "confine.h"

#include <cerrno>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace kernelskill::kit {

namespace {

// False at the end of the stream.
bool dropInput(int descriptor)
{
    char buffer[4096];
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

} // namespace

Lifeline::Lifeline(int descriptor, double silence_s) : m_stop(eventfd(0, EFD_CLOEXEC))
{
    const int silence_ms = silence_s > 0 ? int(silence_s * 1000) : -1;
    m_thread = std::thread([this, descriptor, silence_ms] { watch(descriptor, silence_ms); });
}

Lifeline::~Lifeline()
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(m_stop, &one, sizeof one);
    m_thread.join();
    close(m_stop);
}

void Lifeline::watch(int descriptor, int silence_ms) const
{
    for (;;) {
        pollfd watched[2] = {{descriptor, POLLIN, 0}, {m_stop, POLLIN, 0}};
        const int ready = poll(watched, 2, silence_ms);
        if (ready < 0 && errno == EINTR) continue;
        if (watched[1].revents != 0) return;
        if (ready > 0 && dropInput(descriptor)) continue;
        killDescendants(getpid());
        _exit(exitCode);
    }
}

} // namespace kernelskill::kit
