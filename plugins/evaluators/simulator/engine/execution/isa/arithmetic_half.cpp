// SPDX-License-Identifier: Apache-2.0
// Half and bfloat16, scalar and packed. Products and sums are formed in wider types and rounded once.
#include "engine/execution/isa/float_functions.h"
#include "engine/execution/isa/lanes.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {
namespace {

using ptx::Type;

inline float widen(Half h) { return halfToFloat(h.bits); }
inline float widen(Bfloat h) { return bfloatToFloat(h.bits); }
template <class H> inline H narrow(float f) {
    if constexpr (std::is_same_v<H, Half>) return {floatToHalf(f)};
    else return {floatToBfloat(f)};
}
// a·b + c with one rounding: the product is exact in double.
template <class H> inline H fusedHalf(H a, H b, H c) {
    const double sum = static_cast<double>(widen(a)) * widen(b) + widen(c);
    if constexpr (std::is_same_v<H, Half>) return {doubleToHalf(sum)};
    else {
        float f = static_cast<float>(sum);
        if (static_cast<double>(f) != sum && std::isfinite(f) && !(bitsOf(f) & 1u))
            f = floatOf(bitsOf(f) + (std::fabs(static_cast<double>(f)) < std::fabs(sum) ? 1u : ~0u)); // round to odd
        return {floatToBfloat(f)};
    }
}
template <class H> inline H relu(H v) { return widen(v) > 0.0f || isNan(widen(v)) ? v : H{0}; }

template <class H, Operation O> inline H apply(H a, H b, H c) {
    if constexpr (O == Operation::Add) return narrow<H>(widen(a) + widen(b));
    else if constexpr (O == Operation::Sub) return narrow<H>(widen(a) - widen(b));
    else if constexpr (O == Operation::MulLo) return narrow<H>(widen(a) * widen(b));
    else if constexpr (O == Operation::Fma) return fusedHalf(a, b, c);
    else if constexpr (O == Operation::FmaRelu) return relu(fusedHalf(a, b, c));
    else if constexpr (O == Operation::Min) return narrow<H>(minimum(widen(a), widen(b)));
    else if constexpr (O == Operation::Max) return narrow<H>(maximum(widen(a), widen(b)));
    else if constexpr (O == Operation::MinNan) return isNan(widen(a)) || isNan(widen(b)) ? H{0x7fff} : narrow<H>(minimum(widen(a), widen(b)));
    else if constexpr (O == Operation::MaxNan) return isNan(widen(a)) || isNan(widen(b)) ? H{0x7fff} : narrow<H>(maximum(widen(a), widen(b)));
    else if constexpr (O == Operation::Neg) return H{static_cast<std::uint16_t>(a.bits ^ 0x8000u)};
    else if constexpr (O == Operation::Abs) return H{static_cast<std::uint16_t>(a.bits & 0x7fffu)};
    else if constexpr (O == Operation::Ex2) return narrow<H>(exp2Approximate(widen(a)));
    else if constexpr (O == Operation::Tanh) return narrow<H>(__builtin_tanhf(widen(a)));
    else return a;
}

template <class H, Operation O, bool Saturate> inline H once(H a, H b, H c) {
    const H result = apply<H, O>(a, b, c);
    if constexpr (Saturate) return narrow<H>(clamp01<float>(widen(result)));
    else return result;
}
template <class H, Operation O, bool Saturate> inline std::uint32_t twice(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto low = [](std::uint32_t v) { return H{static_cast<std::uint16_t>(v)}; };
    const auto high = [](std::uint32_t v) { return H{static_cast<std::uint16_t>(v >> 16)}; };
    return once<H, O, Saturate>(low(a), low(b), low(c)).bits
         | static_cast<std::uint32_t>(once<H, O, Saturate>(high(a), high(b), high(c)).bits) << 16;
}

template <class H, Operation O, bool Saturate> Handlers withInputs(bool packed, int inputs) {
    using u = std::uint32_t;
    switch (inputs) {
    case 1: return packed ? unary<u, u, [](u a) { return twice<H, O, Saturate>(a, a, a); }>() : unary<H, H, [](H a) { return once<H, O, Saturate>(a, a, a); }>();
    case 2: return packed ? binary<u, u, u, [](u a, u b) { return twice<H, O, Saturate>(a, b, b); }>()
                          : binary<H, H, H, [](H a, H b) { return once<H, O, Saturate>(a, b, b); }>();
    default: return packed ? ternary<u, u, u, u, twice<H, O, Saturate>>() : ternary<H, H, H, H, once<H, O, Saturate>>();
    }
}

template <class H> Handlers ofKind(const ArithmeticKey &key, bool packed) {
    const bool s = key.saturate;
    switch (key.operation) {
    case Operation::Add: return s ? withInputs<H, Operation::Add, true>(packed, 2) : withInputs<H, Operation::Add, false>(packed, 2);
    case Operation::Sub: return s ? withInputs<H, Operation::Sub, true>(packed, 2) : withInputs<H, Operation::Sub, false>(packed, 2);
    case Operation::MulLo: return s ? withInputs<H, Operation::MulLo, true>(packed, 2) : withInputs<H, Operation::MulLo, false>(packed, 2);
    case Operation::Fma: return s ? withInputs<H, Operation::Fma, true>(packed, 3) : withInputs<H, Operation::Fma, false>(packed, 3);
    case Operation::FmaRelu: return withInputs<H, Operation::FmaRelu, false>(packed, 3);
    case Operation::Min: return withInputs<H, Operation::Min, false>(packed, 2);
    case Operation::Max: return withInputs<H, Operation::Max, false>(packed, 2);
    case Operation::MinNan: return withInputs<H, Operation::MinNan, false>(packed, 2);
    case Operation::MaxNan: return withInputs<H, Operation::MaxNan, false>(packed, 2);
    case Operation::Neg: return withInputs<H, Operation::Neg, false>(packed, 1);
    case Operation::Abs: return withInputs<H, Operation::Abs, false>(packed, 1);
    case Operation::Ex2: return withInputs<H, Operation::Ex2, false>(packed, 1);
    case Operation::Tanh: return withInputs<H, Operation::Tanh, false>(packed, 1);
    default: return {};
    }
}

} // namespace

Handlers selectHalf(const ArithmeticKey &key) {
    switch (key.type) {
    case Type::F16: return ofKind<Half>(key, false);
    case Type::F16x2: return ofKind<Half>(key, true);
    case Type::Bf16: return ofKind<Bfloat>(key, false);
    case Type::Bf16x2: return ofKind<Bfloat>(key, true);
    default: return {};
    }
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
