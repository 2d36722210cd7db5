// SPDX-License-Identifier: Apache-2.0
#include "worker/child_group.h"

#include "kit/confine.h"

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace kernelskill {

void leadsItsGroup(QProcess &process)
{
    process.setChildProcessModifier([] {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    });
}

void killWithGroup(const QProcess &process)
{
    const auto pid = pid_t(process.processId());
    if (pid <= 0) return;
    kit::killTree(pid);
    kit::killGroup(pid);
}

QProcessEnvironment englishEnvironment()
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
    return environment;
}

} // namespace kernelskill
