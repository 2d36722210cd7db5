// SPDX-License-Identifier: Apache-2.0
// How precisely a candidate computes: its error against the reference in double, next to the baseline's.
#pragma once

#include "request.h"
#include "result.h"

#include <string>

namespace kernelskill::cuda {

// "float64", "float32", "tf32" or "half": the coarsest arithmetic that explains a relative error norm. A norm is no
// worse than the baseline's by more than rounding order explains is as good as the baseline, whatever its size.
[[nodiscard]] std::string precisionClass(double errorNorm, double baselineNorm);

// Records the figures, and in strict mode fails "precision" when the class is below the outputs' own dtype.
void judgePrecision(const Request &request, double errorNorm, double baselineNorm, Result &result);

} // namespace kernelskill::cuda
