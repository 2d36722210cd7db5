// SPDX-License-Identifier: Apache-2.0
// What this process has allocated, so that a pointer can be told apart without asking the worker.
#pragma once

#include "cuda_interface.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace kernelskill::simulator::runtime {

struct MemoryRange
{
    std::uint64_t address = 0, bytes = 0;
    cudaMemoryType type = cudaMemoryTypeUnregistered;
    unsigned flags = 0;
    bool registered = false; // the program's own memory (cudaHostRegister)
};

class MemoryTable
{
public:
    static MemoryTable &instance();
    void add(const MemoryRange &range);
    bool remove(std::uint64_t address);                                       // its start
    [[nodiscard]] std::optional<MemoryRange> find(const void *pointer) const; // the range around it
    [[nodiscard]] std::optional<MemoryRange> startingAt(const void *pointer) const;
    void clear();
    [[nodiscard]] std::map<std::uint64_t, MemoryRange> all() const;

private:
    mutable std::mutex m_mutex;
    std::map<std::uint64_t, MemoryRange> m_ranges;
};

[[nodiscard]] inline std::uint64_t addressOf(const void *pointer)
{
    return reinterpret_cast<std::uint64_t>(pointer);
}

} // namespace kernelskill::simulator::runtime
