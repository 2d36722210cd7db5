// SPDX-License-Identifier: Apache-2.0
#include "kit/precision.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kernelskill::kit {

namespace {

// Rounding results or factors to ten bits of fraction makes a relative error norm of 2e-4 to 6e-4; to bfloat16's seven
// bits, eight times that. What float32 does to sums of a few thousand terms stays below 1e-5.
constexpr double float64Limit = 0x1p-40, float32Limit = 0x1p-15, tf32Limit = 0x1p-10;
constexpr double orderOfOperations = 4; // error over the baseline's that a different order of operations explains

// One opcode with its modifiers, "fma.rn.f16x2".
bool hasPart(std::string_view opcode, std::string_view part)
{
    for (std::size_t at = opcode.find(part); at != std::string_view::npos; at = opcode.find(part, at + 1)) {
        const std::size_t end = at + part.size();
        if (at > 0 && opcode[at - 1] == '.' && (end == opcode.size() || opcode[end] == '.')) return true;
    }
    return false;
}

bool isNarrowFloat(std::string_view opcode)
{
    constexpr std::string_view types[] = {"f16",  "f16x2",  "bf16",   "bf16x2", "e4m3",  "e4m3x2",
                                          "e5m2", "e5m2x2", "e2m1x2", "e2m3x2", "e3m2x2"};
    return std::ranges::any_of(types, [&](std::string_view type) { return hasPart(opcode, type); });
}

// Widening what is stored narrowly loses nothing: "cvt.f32.f16".
bool onlyWidens(std::string_view opcode)
{
    return opcode.starts_with("cvt.f32.") || opcode.starts_with("cvt.f64.") || opcode.starts_with("mov.") ||
           opcode.starts_with("ld.") || opcode.starts_with("st.");
}

void note(std::string_view opcode, NarrowArithmetic &narrow)
{
    if (hasPart(opcode, "tf32"))
        narrow.tf32 = true;
    else if (isNarrowFloat(opcode) && !onlyWidens(opcode))
        narrow.half = true;
    else if (opcode.starts_with("tanh.approx"))
        narrow.approximate = true;
}

} // namespace

std::string_view toString(PrecisionClass precision)
{
    switch (precision) {
    case PrecisionClass::Float64:
        return "float64";
    case PrecisionClass::Float32:
        return "float32";
    case PrecisionClass::Tf32:
        return "tf32";
    case PrecisionClass::Half:
        break;
    }
    return "half";
}

PrecisionClass promisedBy(const Dtype &dtype)
{
    if (!dtype.isFloating || dtype.bytes >= 8) return PrecisionClass::Float64;
    return dtype.bytes >= 4 ? PrecisionClass::Float32 : PrecisionClass::Half;
}

PrecisionClass precisionOf(double errorNorm, double baselineNorm, const Dtype &dtype)
{
    const PrecisionClass promised = promisedBy(dtype);
    if (!dtype.isFloating || errorNorm <= orderOfOperations * baselineNorm) return promised; // never of a NaN
    if (errorNorm <= float64Limit) return std::max(promised, PrecisionClass::Float64);
    if (errorNorm <= float32Limit) return std::max(promised, PrecisionClass::Float32);
    return std::max(promised, errorNorm <= tf32Limit ? PrecisionClass::Tf32 : PrecisionClass::Half);
}

NarrowArithmetic narrowArithmetic(std::string_view ptx)
{
    NarrowArithmetic narrow;
    // Words of letters, digits, dots and the like; opcodes have a dot inside and no sigil in front.
    std::size_t at = 0;
    const auto isWord = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == ':' || c == '%' || c == '$' || c == '@';
    };
    while (at < ptx.size()) {
        if (ptx[at] == '/' && at + 1 < ptx.size() && ptx[at + 1] == '/') { // comments carry source text
            at = std::min(ptx.find('\n', at), ptx.size());
            continue;
        }
        std::size_t end = at;
        while (end < ptx.size() && isWord(ptx[end]))
            ++end;
        const std::string_view word = ptx.substr(at, end - at);
        if (word.size() > 3 && word.front() >= 'a' && word.front() <= 'z' && word.find('.') != std::string_view::npos)
            note(word, narrow);
        at = std::max(end, at + 1);
    }
    return narrow;
}

nlohmann::json PrecisionOutcome::toJson() const
{
    if (!known) return nlohmann::json::object();
    nlohmann::json object{{"error_norm", errorNorm}, {"class", toString(found)}, {"promised", toString(promised)}};
    if (!std::isnan(baselineNorm)) object["baseline_error_norm"] = baselineNorm;
    return object;
}

void PrecisionRecord::add(const std::string &name, const Dtype &dtype, double errorNorm, double baselineNorm)
{
    if (!dtype.isFloating || !std::isfinite(errorNorm)) return; // infinite: all that was expected is 0
    m_samples.push_back(
        {name, promisedBy(dtype), precisionOf(errorNorm, baselineNorm, dtype), errorNorm, baselineNorm});
}

void PrecisionRecord::add(const PrecisionRecord &more)
{
    m_samples.insert(m_samples.end(), more.m_samples.begin(), more.m_samples.end());
}

void PrecisionRecord::addCode(std::string_view ptx)
{
    const NarrowArithmetic found = narrowArithmetic(ptx);
    m_narrow.tf32 = m_narrow.tf32 || found.tf32;
    m_narrow.half = m_narrow.half || found.half;
    m_narrow.approximate = m_narrow.approximate || found.approximate;
    m_hasCode = true;
}

PrecisionClass PrecisionRecord::classOf(const Sample &sample) const
{
    if (!m_hasCode || sample.found <= sample.promised || sample.promised == PrecisionClass::Float64)
        return sample.found;
    if (!m_narrow.any()) return std::isnan(sample.baselineNorm) ? sample.promised : sample.found;
    // What the code has names the class where the error cannot.
    return m_narrow.half && sample.found == PrecisionClass::Tf32 && !m_narrow.tf32 ? PrecisionClass::Half
                                                                                   : sample.found;
}

PrecisionOutcome PrecisionRecord::conclude(std::string_view mode) const
{
    PrecisionOutcome result;
    if (m_samples.empty()) {
        result.outcome = "passed";
        result.detail = "no output of a floating type was compared";
        return result;
    }
    result.known = true;
    // The largest step below what was promised; among equals the largest error.
    const auto rank = [&](const Sample &sample) {
        return std::pair(int(classOf(sample)) - int(sample.promised), sample.errorNorm);
    };
    const Sample &worst = *std::ranges::max_element(m_samples, {}, rank);
    result.found = classOf(worst);
    result.promised = worst.promised;
    result.errorNorm = worst.errorNorm;
    result.baselineNorm = worst.baselineNorm;
    char text[320];
    std::snprintf(text, sizeof text, "relative error norm %.2g at %s", worst.errorNorm, worst.name.c_str());
    result.detail = text;
    if (!std::isnan(worst.baselineNorm)) {
        std::snprintf(text, sizeof text, " (baseline %.2g)", worst.baselineNorm);
        result.detail += text;
    }
    const bool narrower = result.found > result.promised;
    if (narrower)
        result.detail += ": computed with " + std::string(toString(result.found)) + " precision where " +
                         std::string(toString(result.promised)) + " is promised";
    result.outcome = narrower && mode == "strict" ? "failed" : "passed";
    return result;
}

} // namespace kernelskill::kit
