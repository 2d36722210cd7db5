// SPDX-License-Identifier: Apache-2.0
// kernelskill-cuda-host: the process of one candidate or baseline. Loads its shared library and calls its entry point
// when the supervisor says so, over the descriptor it was started with. Confined; nothing here decides a verdict.
#include "host_session.h"

#include <cstdio>
#include <fcntl.h>

int main()
{
    if (fcntl(kernelskill::cuda::hostDescriptor, F_GETFD) < 0) {
        std::fprintf(stderr, "kernelskill-cuda-host is started by kernelskill-cuda-worker, not by people\n");
        return 2;
    }
    kernelskill::cuda::Link link(kernelskill::cuda::hostDescriptor);
    return kernelskill::cuda::HostSession(link).run();
}
