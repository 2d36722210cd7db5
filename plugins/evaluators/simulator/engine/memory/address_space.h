// SPDX-License-Identifier: Apache-2.0
// Global memory of the simulated GPU: allocations with unmapped gaps between them.
#pragma once

#include "engine/memory/allocation.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kernelskill::simulator {

class AddressSpace {
public:
    AddressSpace();
    ~AddressSpace();

    // Never returns an address twice, so that a use after release is found.
    std::uint64_t allocate(std::size_t bytes, std::string name, bool readOnly = false, std::string origin = {});
    // Calls visit(allocation, name, origin) for all, ascending.
    void each(const std::function<void(const Allocation &, const std::string &, const std::string &)> &visit) const;
    // Memory of somebody else's, who frees it after it is released; written already. Page-aligned, from sharedBase.
    std::uint64_t adopt(std::byte *data, std::size_t bytes, std::string name);
    bool release(std::uint64_t address);
    [[nodiscard]] Allocation *find(std::uint64_t address) const; // the one that holds the address, or null
    [[nodiscard]] const std::string &name(const Allocation &allocation) const;
    [[nodiscard]] std::size_t bytesInUse() const { return m_bytesInUse; }
    // "16 bytes past the end of x (1024 bytes)", "in x, which was freed", "in no allocation"
    [[nodiscard]] std::string describe(std::uint64_t address) const;

    // Element number of an address just outside an allocation, counted from that allocation's start; empty when far away.
    [[nodiscard]] std::string indexFrom(std::uint64_t address, int elementBytes) const;

    void prepareLaunch(bool raceShadows); // creates the race shadows, notes what is written in full
    void clearRaceTags();
    // Whole size of the allocations that the present launch loaded from, stored to.
    void touched(std::uint64_t &loaded, std::uint64_t &stored) const;

private:
    struct Owner;
    struct Released { std::uint64_t base, bytes; std::string name; };
    std::vector<std::unique_ptr<Owner>> m_owners; // ascending base
    std::vector<Released> m_released;
    std::uint64_t m_next = globalBase, m_nextShared = sharedBase;
    std::size_t m_bytesInUse = 0;
    std::uint32_t m_nextIndex = 0;
};

} // namespace kernelskill::simulator
