// SPDX-License-Identifier: Apache-2.0
// A profiling library without a GPU: it wants three calls, and writes how many it got and what it was asked.
#include "profiler/cupti/profile_abi.h"

#include <cstdio>
#include <string>

namespace {

std::string options, error;
int calls = 0, attached = 0;
bool running = false;

} // namespace

int kernelskill_profile_abi(void)
{
    return KERNELSKILL_PROFILE_ABI;
}

int kernelskill_profile_attach(void)
{
    ++attached;
    return 0;
}

int kernelskill_profile_begin(const char *text)
{
    options = text;
    calls = 0;
    error = options == "refuse" ? "no context is current (no_context)" : "";
    return error.empty() ? 0 : 1;
}

int kernelskill_profile_wants_call(void)
{
    return calls < 3;
}

int kernelskill_profile_call_begin(void)
{
    running = true;
    return 0;
}

int kernelskill_profile_call_end(void)
{
    calls += running;
    running = false;
    return 0;
}

int kernelskill_profile_end(const char *outputPath)
{
    std::FILE *file = std::fopen(outputPath, "w");
    if (!file) {
        error = std::string("cannot write ") + outputPath;
        return 1;
    }
    std::fprintf(file, "%s %d %d", options.c_str(), attached, calls);
    return std::fclose(file);
}

const char *kernelskill_profile_error(void)
{
    return error.c_str();
}
