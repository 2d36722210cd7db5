// SPDX-License-Identifier: Apache-2.0
#include "engine/checks/names.h"

#include "engine/launch_report.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace kernelskill::simulator {

std::string demangled(const std::string &mangled) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void *)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text ? std::string(text.get()) : mangled;
}

std::string_view name(InstructionClass c) {
    static constexpr std::string_view names[] = {
        "fp32", "fp64", "fp16", "integer", "integer_multiply", "special", "convert", "compare", "move", "branch",
        "load_global", "store_global", "atomic_global", "load_shared", "store_shared", "atomic_shared", "load_local", "store_local",
        "load_constant", "shuffle", "vote", "barrier", "fence", "tensor", "async_copy", "other"};
    static_assert(std::size(names) == instructionClassCount);
    return c < InstructionClass::Count ? names[static_cast<std::size_t>(c)] : std::string_view("unknown");
}

std::string_view name(StallReason r) {
    static constexpr std::string_view names[] = {"long_scoreboard", "short_scoreboard", "wait", "barrier", "branch", "math_pipe_throttle",
                                                 "lg_throttle", "not_selected", "no_instruction"};
    static_assert(std::size(names) == stallReasonCount);
    return r < StallReason::Count ? names[static_cast<std::size_t>(r)] : std::string_view("unknown");
}

} // namespace kernelskill::simulator
