// SPDX-License-Identifier: Apache-2.0
// One entry of task.json's "parameters".
#pragma once

#include "base/json_reader.h"
#include "task/task.h"

namespace kernelskill {

[[nodiscard]] Result<Parameter> readParameter(const JsonReader &reader);
// A text or a number.
[[nodiscard]] Result<Expression> readExpression(const JsonReader &reader);
[[nodiscard]] bool fits(const QString &dtype, qint64 value);

} // namespace kernelskill
