// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace kernelskill {

// What a learner reads beside a metric's value: what it means, its unit, which way is good, and the profiler's name for it. The
// name itself where the catalogue has none such.
[[nodiscard]] QString metricHelp(const QString &metric);

} // namespace kernelskill
