// SPDX-License-Identifier: Apache-2.0
#include "kit/refusal_reporter.h"

#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kernelskill::kit {

namespace {

// Only calls that are safe in a signal handler.
void writeRefusal(unsigned number)
{
    char line[96];
    std::size_t length = sizeof refusalPrefix - 1;
    std::memcpy(line, refusalPrefix, length);
    char digits[12];
    int count = 0;
    do digits[count++] = char('0' + number % 10);
    while ((number /= 10) != 0);
    while (count > 0) line[length++] = digits[--count];
    line[length++] = '\n';
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, length);
}

// The C library blocks signals while it forks, and a blocked SIGSYS kills at once: so this speaks before. Its line counts
// only for a program that SIGSYS ended.
void announceFork() { writeRefusal(SYS_clone); }

void report(int, siginfo_t *info, void *)
{
    writeRefusal(unsigned(info->si_syscall));
    // Back to the default: the signal, raised again, ends the program with SIGSYS as its status.
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGSYS, &standard, nullptr);
    raise(SIGSYS);
}

} // namespace

void installRefusalReporter()
{
    struct sigaction action = {};
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSYS, &action, nullptr);
    pthread_atfork(announceFork, nullptr, nullptr);
}

} // namespace kernelskill::kit
