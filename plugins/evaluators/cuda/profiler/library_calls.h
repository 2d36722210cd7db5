// SPDX-License-Identifier: Apache-2.0
// The candidate's process as a user of the profiling library (cupti/profile_abi.h).
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace kernelskill::cuda {

class ProfilingCalls
{
public:
    // Before the candidate's library is loaded; no context is needed yet. Empty, with `error` set, when the library is
    // missing, does not load or is of another version.
    [[nodiscard]] static std::optional<ProfilingCalls> load(const std::string &library, std::string &error);

    // With the candidate's context current and before its first call. `prepare` makes a call's inputs and outputs new
    // and empties the L2, `call` is one call of solve; the first that returns false ends the profile. What could be
    // seen is written to `output` in any case; false, with `error` set, when nothing could be.
    [[nodiscard]] bool profile(const std::string &options, const std::function<bool()> &prepare,
                               const std::function<bool()> &call, const std::string &output, std::string &error) const;

private:
    ProfilingCalls() = default;

    int (*m_begin)(const char *) = nullptr;
    int (*m_wantsCall)() = nullptr;
    int (*m_callBegin)() = nullptr;
    int (*m_callEnd)() = nullptr;
    int (*m_end)(const char *) = nullptr;
    const char *(*m_error)() = nullptr;
};

} // namespace kernelskill::cuda
