// SPDX-License-Identifier: Apache-2.0
// kernelskill-cuda-host: the process of one candidate or baseline. Loads its shared library and calls its entry point
// when the supervisor says so, over the descriptor it was started with or the socket it is told. Confined; nothing here
// decides a verdict.
#include "host_session.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>

int main()
{
    using namespace kernelskill::cuda;
    const char *path = std::getenv(linkVariable);
    const int descriptor = path ? connectTo(path) : hostDescriptor;
    if (fcntl(descriptor, F_GETFD) < 0) {
        std::fprintf(stderr, "kernelskill-cuda-host is started by kernelskill-cuda-worker, not by people\n");
        return 2;
    }
    Link link(descriptor);
    return HostSession(link).run();
}
