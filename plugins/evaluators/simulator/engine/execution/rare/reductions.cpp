// SPDX-License-Identifier: Apache-2.0
#include "engine/execution/rare/reductions.h"

#include "engine/execution/rare/number_formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace kernelskill::simulator {
namespace {

using ptx::Type;

template <class T> void integers(std::byte *into, const std::byte *from, AtomicOperation operation) {
    T a, b;
    std::memcpy(&a, into, sizeof a);
    std::memcpy(&b, from, sizeof b);
    using U = std::make_unsigned_t<T>;
    switch (operation) {
    case AtomicOperation::Add: a = static_cast<T>(static_cast<U>(a) + static_cast<U>(b)); break;
    case AtomicOperation::Min: a = std::min(a, b); break;
    case AtomicOperation::Max: a = std::max(a, b); break;
    case AtomicOperation::And: a = static_cast<T>(a & b); break;
    case AtomicOperation::Or: a = static_cast<T>(a | b); break;
    case AtomicOperation::Xor: a = static_cast<T>(a ^ b); break;
    case AtomicOperation::Increment: a = a >= b ? T{0} : static_cast<T>(a + 1); break;
    case AtomicOperation::Decrement: a = a == 0 || a > b ? b : static_cast<T>(a - 1); break;
    default: a = b;
    }
    std::memcpy(into, &a, sizeof a);
}

template <class T> T chosen(T a, T b, AtomicOperation operation) {
    switch (operation) {
    case AtomicOperation::Add: return a + b;
    case AtomicOperation::Min: return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b);
    case AtomicOperation::Max: return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b);
    default: return b;
    }
}
template <class T> void floats(std::byte *into, const std::byte *from, AtomicOperation operation) {
    T a, b;
    std::memcpy(&a, into, sizeof a);
    std::memcpy(&b, from, sizeof b);
    a = chosen(a, b, operation);
    std::memcpy(into, &a, sizeof a);
}
void halves(std::byte *into, const std::byte *from, AtomicOperation operation, Type type) {
    std::uint16_t a, b;
    std::memcpy(&a, into, sizeof a);
    std::memcpy(&b, from, sizeof b);
    const long double result = chosen(valueOf(a, type), valueOf(b, type), operation);
    a = static_cast<std::uint16_t>(encoded(result, type, {}));
    std::memcpy(into, &a, sizeof a);
}

} // namespace

bool canReduce(AtomicOperation operation, Type type) {
    const bool arithmetic = operation == AtomicOperation::Add || operation == AtomicOperation::Min || operation == AtomicOperation::Max;
    switch (type) {
    case Type::F16: case Type::Bf16: case Type::F16x2: case Type::Bf16x2: case Type::F32: case Type::F64: return arithmetic;
    case Type::U32: case Type::S32: case Type::B32: case Type::U64: case Type::S64: case Type::B64: case Type::U8: case Type::U16:
        return operation != AtomicOperation::Exchange && operation != AtomicOperation::CompareAndSwap;
    default: return false;
    }
}

void reduceElement(std::byte *into, const std::byte *from, AtomicOperation operation, Type type) {
    switch (type) {
    case Type::F16: case Type::Bf16: return halves(into, from, operation, type);
    case Type::F16x2: case Type::Bf16x2:
        halves(into, from, operation, elementOf(type));
        return halves(into + 2, from + 2, operation, elementOf(type));
    case Type::F32: return floats<float>(into, from, operation);
    case Type::F64: return floats<double>(into, from, operation);
    case Type::S32: return integers<std::int32_t>(into, from, operation);
    case Type::S64: return integers<std::int64_t>(into, from, operation);
    case Type::U64: case Type::B64: return integers<std::uint64_t>(into, from, operation);
    case Type::U16: return integers<std::uint16_t>(into, from, operation);
    case Type::U8: return integers<std::uint8_t>(into, from, operation);
    default: return integers<std::uint32_t>(into, from, operation);
    }
}

} // namespace kernelskill::simulator
