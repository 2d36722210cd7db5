// SPDX-License-Identifier: Apache-2.0
// The 128 bytes a kernel gets as its CUtensorMap: our own layout, filled by the runtime's cuTensorMapEncodeTiled and read by
// cp.async.bulk.tensor. Enumerations have the values of the driver's interface.
#pragma once

#include <cstdint>

namespace kernelskill::simulator {

struct TensorMap {
    static constexpr std::uint32_t mark = 0x4d54'534b; // "KSTM": anything else is no map
    enum class DataType : std::uint8_t { U8, U16, U32, S32, U64, S64, F16, F32, F64, Bf16, F32Ftz, Tf32, Tf32Ftz };
    enum class Swizzle : std::uint8_t { None, Bytes32, Bytes64, Bytes128 };

    std::uint32_t magic = mark;
    std::uint8_t rank = 1;              // 1 to 5
    DataType dataType = DataType::F32;
    std::uint8_t interleave = 0;        // only 0 (none) is covered
    Swizzle swizzle = Swizzle::None;
    std::uint64_t address = 0;          // of the tensor in global memory, a multiple of 16
    std::uint64_t strides[4] = {};      // bytes from one index to the next, of dimensions 1 to 4; dimension 0 is dense
    std::uint32_t lastIndex[5] = {};    // size − 1 of each dimension
    std::uint16_t box[5] = {1, 1, 1, 1, 1};            // elements a copy spans, 1 to 256
    std::uint16_t elementStrides[5] = {1, 1, 1, 1, 1}; // 1 to 8: every how many-th element of the box is copied
    std::uint8_t nanFill = 0;           // elements outside the tensor: 0 zeros, 1 NaN
    std::uint8_t l2Promotion = 0;       // has no effect
    std::uint8_t reserved[38] = {};

    [[nodiscard]] int elementBytes() const {
        switch (dataType) {
        case DataType::U8: return 1;
        case DataType::U16: case DataType::F16: case DataType::Bf16: return 2;
        case DataType::U64: case DataType::S64: case DataType::F64: return 8;
        default: return 4;
        }
    }
};
static_assert(sizeof(TensorMap) == 128);

// The place in shared memory of a byte that would lie at `address` without swizzling: the 16-byte pieces of each row of
// 128, 64 or 32 bytes are exchanged by bits of the row's number.
[[nodiscard]] constexpr std::uint32_t swizzled(std::uint32_t address, TensorMap::Swizzle mode) {
    switch (mode) {
    case TensorMap::Swizzle::Bytes128: return address ^ (address >> 3 & 0x70);
    case TensorMap::Swizzle::Bytes64: return address ^ (address >> 3 & 0x30);
    case TensorMap::Swizzle::Bytes32: return address ^ (address >> 3 & 0x10);
    default: return address;
    }
}

} // namespace kernelskill::simulator
