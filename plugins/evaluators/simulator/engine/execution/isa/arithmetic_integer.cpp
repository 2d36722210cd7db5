// SPDX-License-Identifier: Apache-2.0
// Integer, logic, shift and bit-field instructions.
#include "engine/execution/isa/lanes.h"

namespace kernelskill::simulator::KERNELSKILL_ISA {
namespace {

using ptx::Type;
template <class T> using U = Bits<T>;
__extension__ using Signed128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;
template <class T> inline constexpr int width = static_cast<int>(sizeof(T)) * 8;

template <class T> T add(T a, T b) { return static_cast<T>(static_cast<U<T>>(a) + static_cast<U<T>>(b)); }
template <class T> T subtract(T a, T b) { return static_cast<T>(static_cast<U<T>>(a) - static_cast<U<T>>(b)); }
template <class T> T multiply(T a, T b) {
    if constexpr (sizeof(T) == 2) return static_cast<T>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
    else return static_cast<T>(static_cast<U<T>>(a) * static_cast<U<T>>(b));
}
template <class T> T multiplyHigh(T a, T b) {
    if constexpr (sizeof(T) == 8) {
        using W = std::conditional_t<std::is_signed_v<T>, Signed128, Unsigned128>;
        return static_cast<T>(static_cast<W>(a) * static_cast<W>(b) >> 64);
    } else {
        using W = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
        return static_cast<T>(static_cast<W>(a) * static_cast<W>(b) >> width<T>);
    }
}
template <class T> struct WideOf { using type = std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>; };
template <class T> using Wide = typename WideOf<T>::type;
template <class T> Wide<T> multiplyWide(T a, T b) { return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)); }

// Division by zero is unspecified in PTX; all ones is what hardware gives.
template <class T> T divide(T a, T b) {
    if (b == 0) return static_cast<T>(~U<T>{0});
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return static_cast<T>(U<T>{0} - static_cast<U<T>>(a));
    return static_cast<T>(a / b);
}
template <class T> T remainder(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return 0;
    return static_cast<T>(a % b);
}
template <class T> T negate(T a) { return static_cast<T>(U<T>{0} - static_cast<U<T>>(a)); }
template <class T> T absolute(T a) { return a < 0 ? negate(a) : a; }
template <class T> T addSaturated(T a, T b) {
    const std::int64_t sum = static_cast<std::int64_t>(a) + b;
    return static_cast<T>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}
template <class T> T subtractSaturated(T a, T b) {
    const std::int64_t sum = static_cast<std::int64_t>(a) - b;
    return static_cast<T>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}
template <class T> T shiftLeft(T a, std::uint32_t n) { return n >= width<T> ? T{0} : static_cast<T>(a << n); }
template <class T> T shiftRight(T a, std::uint32_t n) {
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (n >= width<T> ? width<T> - 1 : n));
    else return n >= width<T> ? T{0} : static_cast<T>(a >> n);
}
template <class T> T extractField(T a, std::uint32_t position, std::uint32_t length) {
    position &= 255;
    length &= 255;
    constexpr std::uint32_t top = width<T> - 1;
    const U<T> value = static_cast<U<T>>(a);
    if constexpr (!std::is_signed_v<T>) {
        if (length == 0 || position > top) return 0;
        const U<T> field = value >> position;
        return length > top ? field : static_cast<T>(field & ((U<T>{1} << length) - 1));
    } else {
        if (length == 0) return 0;
        std::uint32_t last = position + length - 1;
        last = last > top ? top : last;
        const U<T> sign = (value >> last) & 1 ? ~U<T>{0} : U<T>{0};
        if (position > top) return static_cast<T>(sign);
        const U<T> field = value >> position;
        const std::uint32_t kept = last - position + 1;
        if (kept > top) return static_cast<T>(field);
        const U<T> mask = (U<T>{1} << kept) - 1;
        return static_cast<T>((field & mask) | (sign & ~mask));
    }
}
std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector, std::int64_t mode) {
    const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
    const std::uint32_t s = selector & 3;
    static constexpr std::uint32_t table[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
        {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
    if (mode != 0) selector = table[mode - 1][s];
    std::uint32_t result = 0;
    for (int byte = 0; byte < 4; ++byte) {
        const std::uint32_t pick = selector >> (4 * byte) & 0xf;
        std::uint32_t value = static_cast<std::uint32_t>(both >> (8 * (pick & 7))) & 0xff;
        if (pick & 8) value = value & 0x80 ? 0xff : 0;
        result |= value << (8 * byte);
    }
    return result;
}
std::uint32_t logic3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::int64_t table) {
    std::uint32_t result = 0;
    for (int i = 0; i < 8; ++i) {
        const std::uint32_t on = table >> i & 1 ? ~0u : 0u;
        result |= on & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    }
    return result;
}
std::uint32_t funnelLeft(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::int64_t wrap) {
    const std::uint32_t n = wrap ? c & 31 : c > 32 ? 32 : c;
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(b) << 32 | a) << n >> 32);
}
std::uint32_t funnelRight(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::int64_t wrap) {
    const std::uint32_t n = wrap ? c & 31 : c > 32 ? 32 : c;
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(b) << 32 | a) >> n);
}
template <class T> std::uint32_t leadingZeros(T a) { return a == 0 ? width<T> : static_cast<std::uint32_t>(sizeof(T) == 8 ? __builtin_clzll(a) : __builtin_clz(static_cast<unsigned>(a))); }
template <class T> T reverseBits(T a) {
    T r = 0;
    for (int i = 0; i < width<T>; ++i) r = static_cast<T>(r << 1 | (a >> i & 1));
    return r;
}
template <class T> std::uint32_t findHighest(T a, std::int64_t shift) {
    U<T> value = static_cast<U<T>>(a);
    if constexpr (std::is_signed_v<T>)
        if (a < 0) value = ~value;
    if (value == 0) return ~0u;
    const std::uint32_t position = width<T> - 1 - leadingZeros<U<T>>(value);
    return shift ? width<T> - 1 - position : position;
}
template <class T> T dotBytes(std::uint32_t a, std::uint32_t b, T c, std::int64_t kind) {
    std::int64_t sum = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t x = a >> (8 * i) & 0xff, y = b >> (8 * i) & 0xff;
        sum += (kind & 1 ? static_cast<std::int8_t>(x) : static_cast<int>(x)) * (kind & 2 ? static_cast<std::int8_t>(y) : static_cast<int>(y));
    }
    return static_cast<T>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(c));
}
template <class T> T dotWords(std::uint32_t a, std::uint32_t b, T c, std::int64_t kind) {
    std::int64_t sum = 0;
    for (int i = 0; i < 2; ++i) {
        const std::uint32_t x = a >> (16 * i) & 0xffff, y = b >> (8 * (i + (kind & 4 ? 2 : 0))) & 0xff;
        sum += static_cast<std::int64_t>(kind & 1 ? static_cast<std::int16_t>(x) : static_cast<int>(x)) * (kind & 2 ? static_cast<std::int8_t>(y) : static_cast<int>(y));
    }
    return static_cast<T>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(c));
}

// Extended precision: the carry of a lane is a bit of the carry predicate; of a difference it says that nothing was borrowed, so
// that sums and differences may follow each other. Mode: 1 carry in, 2 carry out.
template <class T, bool Subtract> void withCarry(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<Row<T>>(op.d);
    const auto *a = context.source<Row<T>>(op.a);
    const auto *b = context.source<Row<T>>(op.b);
    const std::uint32_t carries = context.predicates[carryPredicate];
    std::uint32_t out = 0;
    for (int i = 0; i < laneCount; ++i) {
        const unsigned bit = carries >> i & 1;
        const unsigned in = op.immediate & 1 ? (Subtract ? 1u - bit : bit) : 0u;
        T sum, result;
        bool carry;
        if constexpr (Subtract) carry = __builtin_sub_overflow(a[i], b[i], &sum) | __builtin_sub_overflow(sum, static_cast<T>(in), &result);
        else carry = __builtin_add_overflow(a[i], b[i], &sum) | __builtin_add_overflow(sum, static_cast<T>(in), &result);
        out |= carry != Subtract ? laneBit[i] : 0;
        keep<false>(d, i, result, context.exec);
    }
    if (op.immediate & 2) context.predicates[carryPredicate] = (carries & ~context.exec) | (out & context.exec);
}

template <class T> Handlers ofType(const ArithmeticKey &key) {
    switch (key.operation) {
    case Operation::Add:
        if constexpr (std::is_same_v<T, std::int32_t>) if (key.saturate) return binary<T, T, T, addSaturated<T>>();
        return binary<T, T, T, add<T>>();
    case Operation::Sub:
        if constexpr (std::is_same_v<T, std::int32_t>) if (key.saturate) return binary<T, T, T, subtractSaturated<T>>();
        return binary<T, T, T, subtract<T>>();
    case Operation::MulLo: return binary<T, T, T, multiply<T>>();
    case Operation::MulHi: return binary<T, T, T, multiplyHigh<T>>();
    case Operation::MulWide: if constexpr (sizeof(T) < 8) return binary<Wide<T>, T, T, multiplyWide<T>>(); else return {};
    case Operation::MadLo: return ternary<T, T, T, T, [](T a, T b, T c) { return add<T>(multiply<T>(a, b), c); }>();
    case Operation::MadHi: return ternary<T, T, T, T, [](T a, T b, T c) { return add<T>(multiplyHigh<T>(a, b), c); }>();
    case Operation::MadWide:
        if constexpr (sizeof(T) < 8)
            return ternary<Wide<T>, T, T, Wide<T>, [](T a, T b, Wide<T> c) { return add<Wide<T>>(multiplyWide<T>(a, b), c); }>();
        else return {};
    case Operation::Div: return binary<T, T, T, divide<T>>();
    case Operation::Rem: return binary<T, T, T, remainder<T>>();
    case Operation::Neg: return unary<T, T, negate<T>>();
    case Operation::Abs: return unary<T, T, absolute<T>>();
    case Operation::Min: return binary<T, T, T, [](T a, T b) { return a < b ? a : b; }>();
    case Operation::Max: return binary<T, T, T, [](T a, T b) { return b < a ? a : b; }>();
    case Operation::Shr: return binary<T, T, std::uint32_t, shiftRight<T>>();
    case Operation::Sad: return ternary<T, T, T, T, [](T a, T b, T c) { return add<T>(c, a < b ? subtract<T>(b, a) : subtract<T>(a, b)); }>();
    case Operation::Bfe: if constexpr (sizeof(T) >= 4) return ternary<T, T, std::uint32_t, std::uint32_t, extractField<T>>(); else return {};
    case Operation::Bfind: if constexpr (sizeof(T) >= 4) return unary<std::uint32_t, T, findHighest<T>>(); else return {};
    default: return {};
    }
}

template <class T> Handlers ofBits(const ArithmeticKey &key) { // T unsigned
    switch (key.operation) {
    case Operation::And: return binary<T, T, T, [](T a, T b) { return static_cast<T>(a & b); }>();
    case Operation::Or: return binary<T, T, T, [](T a, T b) { return static_cast<T>(a | b); }>();
    case Operation::Xor: return binary<T, T, T, [](T a, T b) { return static_cast<T>(a ^ b); }>();
    case Operation::Not: return unary<T, T, [](T a) { return static_cast<T>(~a); }>();
    case Operation::Cnot: return unary<T, T, [](T a) { return static_cast<T>(a == 0); }>();
    case Operation::Mov: return unary<T, T, [](T a) { return a; }>();
    case Operation::Shl: return binary<T, T, std::uint32_t, shiftLeft<T>>();
    case Operation::Popc: return unary<std::uint32_t, T, [](T a) { return static_cast<std::uint32_t>(__builtin_popcountll(a)); }>();
    case Operation::Clz: if constexpr (sizeof(T) >= 4) return unary<std::uint32_t, T, leadingZeros<T>>(); else return {};
    case Operation::Brev: return unary<T, T, reverseBits<T>>();
    case Operation::AddCarry: if constexpr (sizeof(T) >= 4) return {withCarry<T, false>, withCarry<T, false>}; else return {};
    case Operation::SubCarry: if constexpr (sizeof(T) >= 4) return {withCarry<T, true>, withCarry<T, true>}; else return {};
    default: return {};
    }
}

std::int32_t multiply24(std::int32_t a, std::int32_t b) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(a << 8 >> 8) * static_cast<std::uint32_t>(b << 8 >> 8)); }
std::uint32_t multiply24u(std::uint32_t a, std::uint32_t b) { return (a & 0xff'ffff) * (b & 0xff'ffff); }

std::uint32_t bitMask(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t first = a > 31 ? 32 : a, count = b > 32 ? 32 : b;
    return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
}
std::uint32_t signExtendFrom(std::uint32_t a, std::uint32_t bits) {
    if (bits == 0 || bits > 31) return bits == 0 ? 0 : a;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(a << (32 - bits)) >> (32 - bits));
}
std::uint32_t zeroExtendFrom(std::uint32_t a, std::uint32_t bits) { return bits > 31 ? a : a & ((1u << bits) - 1); }

Handlers words(const ArithmeticKey &key) { // 32-bit only
    using u = std::uint32_t;
    const bool isSigned = ptx::isSigned(key.type);
    switch (key.operation) {
    case Operation::Prmt: return ternary<u, u, u, u, permute>();
    case Operation::Lop3: return ternary<u, u, u, u, logic3>();
    case Operation::ShfLeft: return ternary<u, u, u, u, funnelLeft>();
    case Operation::ShfRight: return ternary<u, u, u, u, funnelRight>();
    case Operation::Dp4a: return ternary<u, u, u, u, dotBytes<u>>();
    case Operation::Dp2a: return ternary<u, u, u, u, dotWords<u>>();
    case Operation::Mul24Lo: return isSigned ? binary<std::int32_t, std::int32_t, std::int32_t, multiply24>() : binary<u, u, u, multiply24u>();
    case Operation::Mad24Lo:
        return isSigned ? ternary<std::int32_t, std::int32_t, std::int32_t, std::int32_t, [](std::int32_t a, std::int32_t b, std::int32_t c) { return add(multiply24(a, b), c); }>()
                        : ternary<u, u, u, u, [](u a, u b, u c) { return multiply24u(a, b) + c; }>();
    case Operation::Bmsk: return binary<u, u, u, bitMask>();
    case Operation::Szext: return isSigned ? binary<u, u, u, signExtendFrom>() : binary<u, u, u, zeroExtendFrom>();
    default: return {};
    }
}

template <class T> T insertField(T a, T b, std::uint32_t position, std::uint32_t length) {
    position &= 255;
    length &= 255;
    constexpr std::uint32_t bits = width<T>;
    if (position >= bits || length == 0) return b;
    const T ones = length >= bits ? ~T{0} : (T{1} << length) - 1;
    const T mask = ones << position;
    return (b & ~mask) | (a << position & mask);
}

// bfi has four operands: the length travels in the extra row.
template <class T> void insertFields(WarpContext &context, const MicroOp &op) {
    auto *d = context.row<Row<T>>(op.d);
    const auto *a = context.source<Row<T>>(op.a);
    const auto *b = context.source<Row<T>>(op.b);
    const auto *position = context.source<std::uint32_t>(op.c);
    const auto *length = context.source<std::uint32_t>(op.extra);
    for (int i = 0; i < laneCount; ++i) keep<false>(d, i, insertField<T>(a[i], b[i], position[i], length[i]), context.exec);
}

} // namespace

Handlers selectInteger(const ArithmeticKey &key) {
    if (key.operation == Operation::Bfi)
        return ptx::typeBytes(key.type) == 8 ? Handlers{insertFields<std::uint64_t>, insertFields<std::uint64_t>}
                                             : Handlers{insertFields<std::uint32_t>, insertFields<std::uint32_t>};
    if (ptx::typeBytes(key.type) == 4)
        if (const Handlers found = words(key); found.full) return found;
    Handlers found;
    switch (ptx::typeBytes(key.type)) {
    case 1: found = ofBits<std::uint16_t>(key); break; // only mov, of a register of 8 bits
    case 2: found = ofBits<std::uint16_t>(key); break;
    case 4: found = ofBits<std::uint32_t>(key); break;
    case 8: found = ofBits<std::uint64_t>(key); break;
    default: return {};
    }
    if (found.full) return found;
    switch (key.type) {
    case Type::S16: return ofType<std::int16_t>(key);
    case Type::S32: return ofType<std::int32_t>(key);
    case Type::S64: return ofType<std::int64_t>(key);
    case Type::U16: case Type::B16: return ofType<std::uint16_t>(key);
    case Type::U32: case Type::B32: return ofType<std::uint32_t>(key);
    case Type::U64: case Type::B64: return ofType<std::uint64_t>(key);
    default: return {};
    }
}

} // namespace kernelskill::simulator::KERNELSKILL_ISA
