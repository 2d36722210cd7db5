// SPDX-License-Identifier: Apache-2.0
// One sentence a skill for the head of a candidate: what it did and why.
#pragma once

#include <QString>

namespace kernelskill::expert {

[[nodiscard]] QString skillNote(const QString &skill);

} // namespace kernelskill::expert
