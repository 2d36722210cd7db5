// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace kernelskill {

// A name for an idea from its first words, as a skill's must be: "use float4 loads" → "use-float4-loads".
[[nodiscard]] QString ideaName(const QString &words);

} // namespace kernelskill
