// SPDX-License-Identifier: Apache-2.0
// For a confined program of ours that loads code nobody trusts: makes the system-call filter's SIGSYS say which call it
// was, as a line on stderr that the supervisor reads, and then ends the program.
#pragma once

namespace kernelskill::kit {

inline constexpr char refusalPrefix[] = "kernelskill: refused system call ";

// Installs the SIGSYS handler. Call it before untrusted code is loaded.
void installRefusalReporter();

} // namespace kernelskill::kit
