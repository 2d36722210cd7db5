// SPDX-License-Identifier: Apache-2.0
// How precisely a candidate computed: as its outputs' dtype promises, or with fewer bits inside (TF32, half), which a
// loose tolerance would let pass. Shared by all evaluators.
#pragma once

#include "kit/dtypes.h"

#include <nlohmann/json_fwd.hpp>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace kernelskill::kit {

// From fine to coarse, by the bits that are right: about 50, 21, 10, fewer. TF32 and float16 keep the same ten bits of
// fraction, so an error alone cannot tell them apart: Half by error means bfloat16 or sums kept in half.
enum class PrecisionClass { Float64, Float32, Tf32, Half };

[[nodiscard]] std::string_view toString(PrecisionClass precision); // "float64", "float32", "tf32", "half"

// What outputs of this dtype must be computed with: float64, float32, or half for float16 and bfloat16.
[[nodiscard]] PrecisionClass promisedBy(const Dtype &dtype);

// The norm of the candidate's error (kit::Comparison::relativeErrorNorm), and the baseline's at the same case where it
// is known, NaN where not. An error up to four times the baseline's is the price of the order of operations, not of
// fewer bits.
[[nodiscard]] PrecisionClass precisionOf(double errorNorm, double baselineNorm, const Dtype &dtype);

// Arithmetic with fewer bits than float32 that stands in a PTX text.
struct NarrowArithmetic
{
    bool tf32 = false;
    bool half = false;        // float16, bfloat16 and narrower: arithmetic, matrix products, rounding to it
    bool approximate = false; // instructions with about eleven right bits: tanh.approx
    [[nodiscard]] bool any() const { return tf32 || half || approximate; }
};
[[nodiscard]] NarrowArithmetic narrowArithmetic(std::string_view ptx);

struct PrecisionOutcome
{
    std::string outcome, detail; // of the check "precision": "passed", "failed", "not made"
    PrecisionClass found = PrecisionClass::Float32, promised = PrecisionClass::Float32; // of the worst case
    double errorNorm = 0, baselineNorm = std::numeric_limits<double>::quiet_NaN();
    bool known = false; // there was a floating output with a reference
    // {"error_norm", "baseline_error_norm" where known, "class", "promised"}: the evidence's member "precision".
    [[nodiscard]] nlohmann::json toJson() const;
};

// Collects the error norms of one evaluation. Add random inputs only (CheckCase::variant "random", and time sizes):
// adversarial ones are exact in any precision, or show cancellation and nothing else.
class PrecisionRecord
{
public:
    void add(const std::string &name, const Dtype &dtype, double errorNorm,
             double baselineNorm = std::numeric_limits<double>::quiet_NaN());
    void add(const PrecisionRecord &more); // its error norms
    // All of the candidate's device code. Without a baseline to compare with, an error is then put down to fewer bits
    // only where the code has them. Leave it out where libraries may run code of their own.
    void addCode(std::string_view ptx);
    // The check "precision". Only mode "strict" fails a candidate for it; the others report.
    [[nodiscard]] PrecisionOutcome conclude(std::string_view mode) const;

private:
    struct Sample
    {
        std::string name;
        PrecisionClass promised, found;
        double errorNorm, baselineNorm;
    };
    [[nodiscard]] PrecisionClass classOf(const Sample &sample) const;
    std::vector<Sample> m_samples;
    NarrowArithmetic m_narrow;
    bool m_hasCode = false;
};

} // namespace kernelskill::kit
