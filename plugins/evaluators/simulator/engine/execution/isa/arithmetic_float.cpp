// SPDX-License-Identifier: Apache-2.0
// float32 and float64 arithmetic. Directed rounding sets the host's rounding mode for one row.
#include "engine/execution/isa/float_functions.h"
#include "engine/execution/isa/lanes.h"

#include <cfenv>

namespace kernelskill::simulator::KERNELSKILL_ISA {
namespace {

using ptx::Type;

template <class T> T fused(T a, T b, T c) {
    if constexpr (sizeof(T) == 4) return __builtin_fmaf(a, b, c);
    else return __builtin_fma(a, b, c);
}
template <class T> T root(T a) {
    if constexpr (sizeof(T) == 4) return __builtin_sqrtf(a);
    else return __builtin_sqrt(a);
}

// Row loops with the host's rounding mode changed around them; kept out of line so that nothing moves across.
template <class T> struct Directed {
    template <int Inputs, auto F> static void rows(WarpContext &context, const MicroOp &op) {
        static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
        auto *d = context.row<Row<T>>(op.d);
        const auto *a = context.source<Row<T>>(op.a);
        const auto *b = context.source<Row<T>>(Inputs > 1 ? op.b : op.a);
        const auto *c = context.source<Row<T>>(Inputs > 2 ? op.c : op.a);
        const int before = std::fegetround();
        std::fesetround(modes[op.immediate & 7]);
        const bool ftz = op.immediate & 8, saturate = op.immediate & 16;
        for (int i = 0; i < laneCount; ++i) {
            volatile T x = fromLane<T>(a[i]), y = fromLane<T>(b[i]), z = fromLane<T>(c[i]);
            if constexpr (sizeof(T) == 4)
                if (ftz) { x = flush(x); y = flush(y); z = flush(z); }
            volatile T result = F(x, y, z);
            if constexpr (sizeof(T) == 4)
                if (ftz) result = flush(result);
            if (saturate) result = clamp01<T>(result);
            keep<false>(d, i, toLane<T>(result), context.exec);
        }
        std::fesetround(before);
    }
};

template <class T> Handlers directed(const ArithmeticKey &key) {
    const auto both = [](Handler h) { return Handlers{h, h}; };
    switch (key.operation) {
    case Operation::Add: return both(Directed<T>::template rows<2, [](T a, T b, T) -> T { return a + b; }>);
    case Operation::Sub: return both(Directed<T>::template rows<2, [](T a, T b, T) -> T { return a - b; }>);
    case Operation::MulLo: return both(Directed<T>::template rows<2, [](T a, T b, T) -> T { return a * b; }>);
    case Operation::Div: return both(Directed<T>::template rows<2, [](T a, T b, T) -> T { return a / b; }>);
    case Operation::Fma: return both(Directed<T>::template rows<3, [](T a, T b, T c) -> T { return fused<T>(a, b, c); }>);
    case Operation::Rcp: return both(Directed<T>::template rows<1, [](T a, T, T) -> T { return T{1} / a; }>);
    case Operation::Sqrt: return both(Directed<T>::template rows<1, [](T a, T, T) -> T { return root<T>(a); }>);
    default: return {};
    }
}

template <class T, bool Ftz, bool Saturate> inline T in(T v) {
    if constexpr (Ftz && sizeof(T) == 4) return flush(v);
    else return v;
}
template <class T, bool Ftz, bool Saturate> inline T out(T v) {
    if constexpr (Saturate) v = clamp01<T>(v);
    if constexpr (Ftz && sizeof(T) == 4) return flush(v);
    else return v;
}

template <class T, bool Z, bool S> Handlers basic(const ArithmeticKey &key) {
    switch (key.operation) {
    case Operation::Add: return binary<T, T, T, [](T a, T b) { return out<T, Z, S>(in<T, Z, S>(a) + in<T, Z, S>(b)); }>();
    case Operation::Sub: return binary<T, T, T, [](T a, T b) { return out<T, Z, S>(in<T, Z, S>(a) - in<T, Z, S>(b)); }>();
    case Operation::MulLo: return binary<T, T, T, [](T a, T b) { return out<T, Z, S>(in<T, Z, S>(a) * in<T, Z, S>(b)); }>();
    case Operation::Fma:
        return ternary<T, T, T, T, [](T a, T b, T c) { return out<T, Z, S>(fused<T>(in<T, Z, S>(a), in<T, Z, S>(b), in<T, Z, S>(c))); }>();
    case Operation::Div:
        if constexpr (sizeof(T) == 4)
            if (key.approximate && key.mode == 1) return binary<T, T, T, [](T a, T b) { return out<T, Z, S>(divideApproximate(in<T, Z, S>(a), in<T, Z, S>(b))); }>();
        return binary<T, T, T, [](T a, T b) { return out<T, Z, S>(in<T, Z, S>(a) / in<T, Z, S>(b)); }>();
    default: return {};
    }
}

template <class T, bool Z> Handlers others(const ArithmeticKey &key) {
    constexpr bool S = false;
    switch (key.operation) {
    case Operation::Rcp: return unary<T, T, [](T a) { return out<T, Z, S>(T{1} / in<T, Z, S>(a)); }>();
    case Operation::Sqrt: return unary<T, T, [](T a) { return out<T, Z, S>(root<T>(in<T, Z, S>(a))); }>();
    case Operation::Rsqrt: return unary<T, T, [](T a) { return out<T, Z, S>(T{1} / root<T>(in<T, Z, S>(a))); }>();
    case Operation::Min: return binary<T, T, T, [](T a, T b) { return out<T, Z, S>(minimum(in<T, Z, S>(a), in<T, Z, S>(b))); }>();
    case Operation::Max: return binary<T, T, T, [](T a, T b) { return out<T, Z, S>(maximum(in<T, Z, S>(a), in<T, Z, S>(b))); }>();
    case Operation::MinNan:
        return binary<T, T, T, [](T a, T b) { return isNan(a) ? a : isNan(b) ? b : out<T, Z, S>(minimum(in<T, Z, S>(a), in<T, Z, S>(b))); }>();
    case Operation::MaxNan:
        return binary<T, T, T, [](T a, T b) { return isNan(a) ? a : isNan(b) ? b : out<T, Z, S>(maximum(in<T, Z, S>(a), in<T, Z, S>(b))); }>();
    case Operation::Abs: return unary<T, T, [](T a) { return in<T, Z, S>(sizeof(T) == 4 ? static_cast<T>(__builtin_fabsf(static_cast<float>(a))) : static_cast<T>(__builtin_fabs(static_cast<double>(a)))); }>();
    case Operation::Neg: return unary<T, T, [](T a) { return -in<T, Z, S>(a); }>();
    case Operation::Copysign: // sign of the first, magnitude of the second
        return binary<T, T, T, [](T a, T b) {
            constexpr Bits<T> sign = Bits<T>{1} << (sizeof(T) * 8 - 1);
            return __builtin_bit_cast(T, static_cast<Bits<T>>((__builtin_bit_cast(Bits<T>, a) & sign) | (__builtin_bit_cast(Bits<T>, b) & ~sign)));
        }>();
    default: return {};
    }
}

template <bool Z> Handlers special(const ArithmeticKey &key) {
    using T = float;
    constexpr bool S = false;
    switch (key.operation) {
    case Operation::Ex2: return unary<T, T, [](T a) { return out<T, Z, S>(exp2Approximate(in<T, Z, S>(a))); }>();
    case Operation::Lg2: return unary<T, T, [](T a) { return out<T, Z, S>(__builtin_log2f(in<T, Z, S>(a))); }>();
    case Operation::Sin: return unary<T, T, [](T a) { return out<T, Z, S>(__builtin_sinf(in<T, Z, S>(a))); }>();
    case Operation::Cos: return unary<T, T, [](T a) { return out<T, Z, S>(__builtin_cosf(in<T, Z, S>(a))); }>();
    case Operation::Tanh: return unary<T, T, [](T a) { return __builtin_tanhf(a); }>();
    default: return {};
    }
}

} // namespace

Handlers selectFloating(const ArithmeticKey &key) {
    const bool directedRounding = key.rounding != Rounding::Nearest && !key.approximate;
    if (key.type == Type::F64) {
        if (directedRounding) return directed<double>(key);
        if (const Handlers found = basic<double, false, false>(key); found.full) return found;
        return others<double, false>(key);
    }
    if (key.type != Type::F32) return {};
    if (directedRounding) return directed<float>(key);
    Handlers found = key.ftz ? (key.saturate ? basic<float, true, true>(key) : basic<float, true, false>(key))
                             : (key.saturate ? basic<float, false, true>(key) : basic<float, false, false>(key));
    if (!found.full) found = key.ftz ? others<float, true>(key) : others<float, false>(key);
    if (!found.full) found = key.ftz ? special<true>(key) : special<false>(key);
    return found;
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
