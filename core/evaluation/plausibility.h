// SPDX-License-Identifier: Apache-2.0
// Whether a time can be true: nobody moves the task's bytes or does its arithmetic faster than the device can.
#pragma once

#include "evaluation/evaluation.h"
#include "profile/gpu_spec.h"
#include "task/task.h"

namespace kernelskill {

// The least time the task's own work needs on a device, in microseconds: bytes beyond L2 at DRAM's peak, all bytes at
// L2's bandwidth, flops at the fastest arithmetic the device has. A candidate below it skips work.
struct Floor
{
    double time_us = 0;
    QString reason; // "134 MB of DRAM traffic at 4.8 TB/s"
};
[[nodiscard]] Result<Floor> leastTime(const Task &task, const Sizes &sizes, const GpuSpec &gpu);

// Adds the check "plausible time": every timed size against its floor, so that a candidate cannot skip the large one.
void checkPlausibility(const Task &task, const GpuSpec &gpu, Evaluation &evaluation);

// Adds the check "work in the profile" where a measured profile says how much went to and from DRAM and the task's own
// work at the first time size does not fit into L2: a candidate whose kernels moved far less works elsewhere or skips
// work.
void checkProfiledWork(const Task &task, const GpuSpec &gpu, Evaluation &evaluation);

} // namespace kernelskill
