// SPDX-License-Identifier: Apache-2.0
// Compiles a task's C++ into a library that the reference runner loads.
#pragma once

#include "base/result.h"
#include "task/task.h"

#include <QCoroTask>

#include <stop_token>

namespace kernelskill {

// C++ that calls reference(), generate() and check() through arrays of pointers, one to each parameter's value or data.
[[nodiscard]] QString trampolineSource(const Task &task);

// Path of the library, built on the first call for these sources and compiler.
QCoro::Task<Result<QString>> buildReference(Task task, std::stop_token stop, bool unconfined);

} // namespace kernelskill
