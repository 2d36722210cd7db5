// SPDX-License-Identifier: Apache-2.0
// All objects that stand in a text, for those who look for something in them.
#pragma once

#include "replies/tolerant_json.h"

namespace kernelskill::llm {

struct FoundObject
{
    TolerantJson::Result result;
    qsizetype begin = 0;
};

// In order, none inside another. Objects that are none are skipped; the work is bounded by the length of the text.
[[nodiscard]] std::vector<FoundObject> objectsIn(QStringView text);

} // namespace kernelskill::llm
