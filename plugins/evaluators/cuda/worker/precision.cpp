// SPDX-License-Identifier: Apache-2.0
#include "precision.h"

#include "kit/dtypes.h"

#include <algorithm>
#include <cstdio>

namespace kernelskill::cuda {

namespace {

// Relative error norms above which an arithmetic cannot be the cause. Rounding both operands of a product to a fraction
// of p bits leaves a relative error of 2^-p·√(2/3)/2 in each term, and so in the sum's norm, however long it is: 4e-4
// for the 10 bits of TF32, 3e-3 for the 7 of bfloat16. Sums in float32 of up to millions of terms stay below 5e-5.
constexpr double mostFloat64 = 1e-12;
constexpr double mostFloat32 = 5e-5;
constexpr double mostTf32 = 1.2e-3;
constexpr double asTheBaseline = 4; // another order of summation is no other precision

int rank(const std::string &name)
{
    return name == "float64" ? 3 : name == "float32" ? 2 : name == "tf32" ? 1 : 0;
}

// What the outputs' dtype promises: the least precise of the floating outputs.
std::string promised(const Request &request)
{
    std::string lowest;
    for (const kit::ParameterSpec &parameter : request.parameters) {
        const kit::Dtype *dtype = kit::findDtype(parameter.dtype);
        if (!parameter.isTensor || !dtype || !dtype->isFloating) continue;
        const std::string own = dtype->bytes == 8 ? "float64" : dtype->bytes == 4 ? "float32" : "half";
        if (lowest.empty() || rank(own) < rank(lowest)) lowest = own;
    }
    return lowest;
}

} // namespace

std::string precisionClass(double errorNorm, double baselineNorm)
{
    const auto within = [&](double most) {
        return errorNorm <= most || (baselineNorm <= most && errorNorm <= asTheBaseline * baselineNorm);
    };
    if (within(mostFloat64)) return "float64";
    if (within(mostFloat32)) return "float32";
    return within(mostTf32) ? "tf32" : "half";
}

void judgePrecision(const Request &request, double errorNorm, double baselineNorm, Result &result)
{
    const std::string wanted = promised(request);
    if (wanted.empty()) return;
    std::string found = precisionClass(errorNorm, baselineNorm);
    if (rank(found) > rank(wanted)) found = wanted; // an exact result in float32 is float32
    result.evidence["precision"] = {{"error_norm", errorNorm}, {"baseline_error_norm", baselineNorm}, {"class", found}};
    char figures[160];
    std::snprintf(figures, sizeof figures, "relative error norm %.3g, the baseline's %.3g", errorNorm, baselineNorm);
    if (rank(found) >= rank(wanted))
        result.pass("precision", figures);
    else if (request.mode == "strict")
        result.fail("precision", "computed as " + found + " where " + wanted + " is asked for: " + figures);
    else
        result.pass("precision", "computed as " + found + ", which this mode allows: " + figures);
}

} // namespace kernelskill::cuda
