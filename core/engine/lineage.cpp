// SPDX-License-Identifier: Apache-2.0
#include "engine/lineage.h"

namespace kernelskill {

int madeFrom(const Trajectory &trajectory, int node)
{
    const TrajectoryNode *step = trajectory.node(node);
    while (step && step->kind == u"repair")
        step = trajectory.node(step->parent);
    return step ? step->parent : -1;
}

} // namespace kernelskill
