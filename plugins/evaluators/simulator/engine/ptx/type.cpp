// SPDX-License-Identifier: Apache-2.0
#include "engine/ptx/type.h"

#include <array>
#include <utility>

namespace kernelskill::simulator::ptx {

std::optional<Type> typeFromName(std::string_view suffix) {
    static constexpr std::array<std::pair<std::string_view, Type>, 31> names{{
        {"pred", Type::Pred}, {"b8", Type::B8}, {"b16", Type::B16}, {"b32", Type::B32}, {"b64", Type::B64},
        {"b128", Type::B128}, {"u8", Type::U8}, {"u16", Type::U16}, {"u32", Type::U32}, {"u64", Type::U64},
        {"s8", Type::S8}, {"s16", Type::S16}, {"s32", Type::S32}, {"s64", Type::S64}, {"f16", Type::F16},
        {"f16x2", Type::F16x2}, {"bf16", Type::Bf16}, {"bf16x2", Type::Bf16x2}, {"tf32", Type::Tf32},
        {"f32", Type::F32}, {"f64", Type::F64}, {"u16x2", Type::U16x2}, {"s16x2", Type::S16x2},
        {"e4m3x2", Type::F8E4m3x2}, {"e5m2x2", Type::F8E5m2x2}, {"f8x2", Type::F8E4m3x2},
        {"e4m3", Type::F8E4m3}, {"e5m2", Type::F8E5m2}, {"s4", Type::S4}, {"u4", Type::U4}, {"b1", Type::B1},
    }};
    for (const auto &[name, type] : names)
        if (name == suffix) return type;
    return std::nullopt;
}

int typeBytes(Type type) {
    switch (type) {
    case Type::None: case Type::Pred: case Type::F8E4m3: case Type::F8E5m2: case Type::S4: case Type::U4: case Type::B1: return 0;
    case Type::B8: case Type::U8: case Type::S8: return 1;
    case Type::B16: case Type::U16: case Type::S16: case Type::F16: case Type::Bf16:
    case Type::F8E4m3x2: case Type::F8E5m2x2: return 2;
    case Type::B32: case Type::U32: case Type::S32: case Type::F16x2: case Type::Bf16x2: case Type::Tf32:
    case Type::F32: case Type::U16x2: case Type::S16x2: return 4;
    case Type::B64: case Type::U64: case Type::S64: case Type::F64: return 8;
    case Type::B128: return 16;
    }
    return 0;
}

} // namespace kernelskill::simulator::ptx
