// SPDX-License-Identifier: Apache-2.0
// Ends what this process has started when it is killed itself. A child asks the kernel to die with its parent, but
// bubblewrap's inner process asks for it only a moment after its birth; killed in between, its parent leaves it waiting
// for a word that never comes. So a small process of our own waits for our end and then kills the groups of our children
// that are still there.
#pragma once

#include <sys/types.h>

namespace kernelskill::kit {

// One in a program, made before it has threads. Where it cannot be made, things are as without it.
class GroupKeeper
{
public:
    GroupKeeper();
    ~GroupKeeper(); // waits for the keeper's end: nothing of ours is left then
    GroupKeeper(const GroupKeeper &) = delete;
    GroupKeeper &operator=(const GroupKeeper &) = delete;

private:
    pid_t m_keeper = -1;
};

namespace internal {

// The calling child leads a group of its own; before exec. Safe after fork.
void noteOwnGroup();
// A child was waited for: its number may be somebody else's from now on.
void forgetGroup(pid_t leader);

} // namespace internal

} // namespace kernelskill::kit
