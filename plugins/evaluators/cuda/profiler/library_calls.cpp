// SPDX-License-Identifier: Apache-2.0
#include "library_calls.h"

#include "cupti/profile_abi.h"

#include <dlfcn.h>

#include <type_traits>

namespace kernelskill::cuda {

std::optional<ProfilingCalls> ProfilingCalls::load(const std::string &library, std::string &error)
{
    // Never closed: CUPTI's threads may outlive the profile.
    void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        error = why ? why : library + ": cannot open shared object file";
        return std::nullopt;
    }
    bool complete = true;
    const auto look = [&](auto &function, const char *name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
        complete = complete && function;
    };
    ProfilingCalls calls;
    int (*abi)() = nullptr;
    int (*attach)() = nullptr;
    look(abi, "kernelskill_profile_abi");
    look(attach, "kernelskill_profile_attach");
    look(calls.m_begin, "kernelskill_profile_begin");
    look(calls.m_wantsCall, "kernelskill_profile_wants_call");
    look(calls.m_callBegin, "kernelskill_profile_call_begin");
    look(calls.m_callEnd, "kernelskill_profile_call_end");
    look(calls.m_end, "kernelskill_profile_end");
    look(calls.m_error, "kernelskill_profile_error");
    if (!complete || abi() != KERNELSKILL_PROFILE_ABI) {
        error = library + ": undefined symbol: the profiling library is of another version";
        return std::nullopt;
    }
    // Without it source lines are unknown, nothing else.
    attach();
    return calls;
}

bool ProfilingCalls::profile(const std::string &options, const std::function<bool()> &prepare,
                             const std::function<bool()> &call, const std::string &output, std::string &error) const
{
    if (m_begin(options.c_str()) != 0) {
        error = m_error();
        return false;
    }
    bool goesOn = true;
    while (goesOn && m_wantsCall() != 0) {
        goesOn = prepare();
        // A part that cannot begin is told in the output; the call is of no use then.
        if (!goesOn || m_callBegin() != 0) continue;
        goesOn = call();
        m_callEnd();
    }
    if (m_end(output.c_str()) == 0) return true;
    error = m_error();
    return false;
}

} // namespace kernelskill::cuda
