// SPDX-License-Identifier: Apache-2.0
// Device and host functions that emitted kernels share, written into a candidate only when they are used.
#pragma once

#include <QString>
#include <QStringList>

namespace kernelskill::expert {

// "warpSum", "blockSum", "blockSumShuffled", the same for Maximum and Minimum, "areAligned". In the order of
// definition, with what they need themselves.
[[nodiscard]] QString helperText(const QStringList &names);

} // namespace kernelskill::expert
