// SPDX-License-Identifier: Apache-2.0
// A profiling library that saw one kernel in every call it asked for; or a graph of three, of which it has no counters.
#include "profiler/cupti/profile_abi.h"

#include <cstdio>

namespace {

constexpr int wanted = 2;
int calls = 0;
#ifdef STAND_IN_SEES_GRAPH
constexpr const char *seen =
    R"("problems":[{"part":"counters","code":"graph_launch","text":"the range profiler has no counters for graphs"}],"launches":[
{"kind":"kernel","name":"_Z7doublesPKfPfi","grid":[12,1,1],"block":[256,1,1],"durations_ns":[6000],"graph":true,"counters":{}},
{"kind":"kernel","name":"_Z4restPfi","grid":[3,1,1],"block":[32,1,1],"durations_ns":[2000],"graph":true,"counters":{}},
{"kind":"kernel","name":"_Z7doublesPKfPfi","grid":[12,1,1],"block":[256,1,1],"durations_ns":[8000],"graph":true,"counters":{}}])";
#else
constexpr const char *seen =
    R"("problems":[],"launches":[{"kind":"kernel","name":"_Z7doublesPKfPfi","grid":[12,1,1],"block":[256,1,1],
"durations_ns":[4000,5000,6000],"counters":{"gpu__time_duration.sum":5000}}])";
#endif

} // namespace

int kernelskill_profile_abi(void)
{
    return KERNELSKILL_PROFILE_ABI;
}
int kernelskill_profile_attach(void)
{
    return 0;
}
int kernelskill_profile_begin(const char *)
{
    return 0;
}
int kernelskill_profile_wants_call(void)
{
    return calls < wanted;
}
int kernelskill_profile_call_begin(void)
{
    return 0;
}
int kernelskill_profile_call_end(void)
{
    ++calls;
    return 0;
}
int kernelskill_profile_end(const char *outputPath)
{
    std::FILE *file = std::fopen(outputPath, "w");
    if (!file) return 1;
    std::fprintf(file, "{\"schema\":1,\"cupti\":130001,\"calls\":%d,\"passes\":%d,%s}", calls, calls, seen);
    return std::fclose(file);
}
const char *kernelskill_profile_error(void)
{
    return "";
}
