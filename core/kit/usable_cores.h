// SPDX-License-Identifier: Apache-2.0
// How many threads this process can keep busy: what its affinity and its control groups leave it of the machine.
#pragma once

#include <string>

namespace kernelskill::kit {

// At least 1.
[[nodiscard]] int usableCores();

// What the CPU quotas of a process's control groups allow, whole cores, at least 1; 0 where nothing limits it.
// `membership` is the text of /proc/PID/cgroup, `root` the folder the groups are mounted at (versions 1 and 2). The
// groups above count too.
[[nodiscard]] int coresOfControlGroups(const std::string &membership, const std::string &root);

} // namespace kernelskill::kit
