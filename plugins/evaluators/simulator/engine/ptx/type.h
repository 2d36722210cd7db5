// SPDX-License-Identifier: Apache-2.0
// Scalar types and state spaces of PTX.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kernelskill::simulator::ptx {

enum class Type : std::uint8_t {
    None, Pred,
    B8, B16, B32, B64, B128,
    U8, U16, U32, U64,
    S8, S16, S32, S64,
    F16, F16x2, Bf16, Bf16x2, Tf32, F32, F64,
    U16x2, S16x2, F8E4m3x2, F8E5m2x2,
    F8E4m3, F8E5m2, S4, U4, B1, // elements of matrices only: no register or variable has them
};

enum class Space : std::uint8_t { None, Generic, Global, Shared, Local, Constant, Parameter };

[[nodiscard]] std::optional<Type> typeFromName(std::string_view suffix);
[[nodiscard]] int typeBytes(Type type); // 0 for None and Pred
[[nodiscard]] constexpr bool isSigned(Type t) { return t == Type::S8 || t == Type::S16 || t == Type::S32 || t == Type::S64; }
[[nodiscard]] constexpr bool isUnsigned(Type t) { return t == Type::U8 || t == Type::U16 || t == Type::U32 || t == Type::U64; }
[[nodiscard]] constexpr bool isFloat(Type t) { return t >= Type::F16 && t <= Type::F64; }

} // namespace kernelskill::simulator::ptx
