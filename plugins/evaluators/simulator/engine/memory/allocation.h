// SPDX-License-Identifier: Apache-2.0
// One range of device memory with the shadows the checks need. Plain data, for the translation units compiled per
// instruction set; memory/address_space owns them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernelskill::simulator {

struct Allocation {
    std::uint64_t base = 0, bytes = 0;
    std::byte *data = nullptr;
    std::uint8_t *written = nullptr;     // one a byte: 1 once written
    std::uint32_t *writer = nullptr;     // one a 4-byte word: tag of the last plain writer (isa/shadow.h)
    std::uint32_t *reader = nullptr;     // one a word: tag of the reader, or of "several"
    bool fullyWritten = false;           // then `written` need not be looked at
    bool readOnly = false;               // .const
    std::uint32_t index = 0;
    // Launches with the last plain store and the last load that was noted. Loads are noted only once the launch has stored
    // into the allocation: inputs cost nothing, and an unordered pair shows at a later block.
    std::uint32_t storeLaunch = 0, loadLaunch = 0;
    bool loaded = false, stored = false; // by plain or atomic accesses of the present launch
};

// Where the windows of the generic address space begin.
inline constexpr std::uint64_t globalBase = 0x7f00'0000'0000;
// Memory that a host process maps too, at the same address: below where Linux puts libraries and stacks of x86-64 and arm64
// processes, above the heap.
inline constexpr std::uint64_t sharedBase = 0x7ec0'0000'0000;
// A block sees its own shared memory at the start of its window; the block of rank r of its cluster has the (r + 1)-th part.
inline constexpr std::uint64_t blockWindowBytes = 0x100'0000;
inline constexpr std::uint32_t mostClusterBlocks = 16;
inline constexpr std::uint64_t sharedWindow = 0x0100'0000'0000, sharedWindowBytes = (mostClusterBlocks + 1) * blockWindowBytes;
inline constexpr std::uint64_t localWindow = 0x0200'0000'0000, localWindowBytes = 0x1'0000'0000;
inline constexpr std::uint64_t parameterWindow = 0x0300'0000'0000, parameterWindowBytes = 0x1'0000;
inline constexpr std::uint64_t functionWindow = 0x0500'0000'0000; // addresses of device functions, 16 apart
constexpr std::uint64_t functionAddress(std::size_t indexInModule) { return functionWindow + 16 * std::uint64_t{indexInModule}; }

} // namespace kernelskill::simulator
