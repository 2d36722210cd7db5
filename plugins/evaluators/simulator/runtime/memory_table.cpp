// SPDX-License-Identifier: Apache-2.0
#include "memory_table.h"

namespace kernelskill::simulator::runtime {

MemoryTable &MemoryTable::instance()
{
    static MemoryTable &table = *new MemoryTable;
    return table;
}

void MemoryTable::add(const MemoryRange &range)
{
    const std::lock_guard lock(m_mutex);
    m_ranges[range.address] = range;
}

bool MemoryTable::remove(std::uint64_t address)
{
    const std::lock_guard lock(m_mutex);
    return m_ranges.erase(address) > 0;
}

std::optional<MemoryRange> MemoryTable::find(const void *pointer) const
{
    const std::lock_guard lock(m_mutex);
    const auto above = m_ranges.upper_bound(addressOf(pointer));
    if (above == m_ranges.begin()) return std::nullopt;
    const MemoryRange &range = std::prev(above)->second;
    if (addressOf(pointer) - range.address >= range.bytes) return std::nullopt;
    return range;
}

std::optional<MemoryRange> MemoryTable::startingAt(const void *pointer) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_ranges.find(addressOf(pointer));
    return found == m_ranges.end() ? std::nullopt : std::optional(found->second);
}

void MemoryTable::clear()
{
    const std::lock_guard lock(m_mutex);
    m_ranges.clear();
}

std::map<std::uint64_t, MemoryRange> MemoryTable::all() const
{
    const std::lock_guard lock(m_mutex);
    return m_ranges;
}

} // namespace kernelskill::simulator::runtime
