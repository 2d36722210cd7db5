// SPDX-License-Identifier: Apache-2.0
// The forms of the objects that roles answer with, as JSON Schema: every object closed, every key required, what may be
// missing nullable.
#pragma once

#include "agent/roles.h"

namespace kernelskill::llm {

[[nodiscard]] QJsonObject featureSchema();
[[nodiscard]] QString featureMeanings(); // a line a feature
[[nodiscard]] QJsonObject planSchema(const Retrieval &retrieval);
[[nodiscard]] QJsonObject diagnosisSchema();
[[nodiscard]] QStringList errorClasses();
[[nodiscard]] QJsonObject skillSchema();

} // namespace kernelskill::llm
