// SPDX-License-Identifier: Apache-2.0
// The file around a CUDA candidate that gives workers one way to call any task's entry point.
#pragma once

#include "task/candidate.h"
#include "task/task.h"

namespace kernelskill {

// Declares the task's entry point, includes the candidate's first file as "src/PATH" and defines
//   extern "C" void kernelskill_call(void **slots, void *stream)
// slots[i] points at the value of parameter i: a device pointer, or the scalar in the task's own type. The stream is a
// cudaStream_t, null for the default one.
[[nodiscard]] QString translationUnit(const Task &task, const Candidate &candidate);

} // namespace kernelskill
