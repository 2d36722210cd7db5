// SPDX-License-Identifier: Apache-2.0
#include "refused_calls.h"

#include <cerrno>
#include <csignal>
#include <ucontext.h>

namespace kernelskill::cuda {

namespace {

void answer(int, siginfo_t *, void *context)
{
    auto &machine = static_cast<ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
    machine.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
    machine.regs[0] = static_cast<unsigned long long>(-EPERM);
#endif
}

} // namespace

void answerRefusedCalls()
{
    struct sigaction action = {};
    action.sa_sigaction = answer;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSYS, &action, nullptr);
}

} // namespace kernelskill::cuda
