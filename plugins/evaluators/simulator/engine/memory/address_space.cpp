// SPDX-License-Identifier: Apache-2.0
#include "engine/memory/address_space.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <format>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace kernelskill::simulator {
namespace {

constexpr std::uint64_t gapBytes = 64 * 1024;
constexpr std::size_t slackBytes = 64; // a vector read of the host may run past the end

// Pages of 2 MiB where the host has them: a kernel walks through all of an array and its shadows, and a fault for every 4 KiB
// costs as much as what it does there.
void preferLargePages(void *memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t largePage = 2 * 1024 * 1024;
    if (memory == nullptr || bytes < 2 * largePage) return;
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + largePage - 1) / largePage * largePage;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / largePage * largePage;
    (void)::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE); // a wish: without them it is slower
#else
    (void)memory, (void)bytes;
#endif
}

// Zeroed pages cost nothing until they are touched.
template <class T> T *zeroed(std::size_t count) {
    void *memory = std::calloc(count + slackBytes, sizeof(T));
    preferLargePages(memory, (count + slackBytes) * sizeof(T));
    return static_cast<T *>(memory);
}

} // namespace

struct AddressSpace::Owner {
    Allocation allocation;
    std::string name, origin;
    bool borrowed = false; // data is not ours
    Owner() = default;
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    ~Owner() {
        if (!borrowed) std::free(allocation.data);
        std::free(allocation.written);
        std::free(allocation.writer);
        std::free(allocation.reader);
    }
};

AddressSpace::AddressSpace() = default;
AddressSpace::~AddressSpace() = default;

std::uint64_t AddressSpace::allocate(std::size_t bytes, std::string name, bool readOnly, std::string origin) {
    auto owner = std::make_unique<Owner>();
    Allocation &allocation = owner->allocation;
    allocation.base = m_next;
    allocation.bytes = bytes;
    allocation.readOnly = readOnly;
    allocation.index = m_nextIndex++;
    allocation.data = zeroed<std::byte>(bytes);
    allocation.written = zeroed<std::uint8_t>(bytes);
    if (allocation.data == nullptr || allocation.written == nullptr) return 0;
    owner->name = std::move(name);
    owner->origin = std::move(origin);
    m_next = ((m_next + bytes + 255) & ~std::uint64_t{255}) + gapBytes;
    m_bytesInUse += bytes;
    m_owners.push_back(std::move(owner));
    return m_owners.back()->allocation.base;
}

std::uint64_t AddressSpace::adopt(std::byte *data, std::size_t bytes, std::string name) {
    constexpr std::uint64_t page = 64 * 1024; // the largest that processors in use have
    auto owner = std::make_unique<Owner>();
    Allocation &allocation = owner->allocation;
    allocation.base = m_nextShared;
    allocation.bytes = bytes;
    allocation.index = m_nextIndex++;
    allocation.data = data;
    owner->borrowed = true;
    allocation.written = zeroed<std::uint8_t>(bytes);
    if (allocation.written == nullptr || m_nextShared + bytes >= globalBase) return 0;
    std::memset(allocation.written, 1, bytes);
    allocation.fullyWritten = true;
    owner->name = std::move(name);
    m_nextShared += (bytes + page - 1) / page * page + gapBytes;
    m_bytesInUse += bytes;
    const std::uint64_t base = allocation.base;
    const auto at = std::ranges::upper_bound(m_owners, base, {}, [](const auto &o) { return o->allocation.base; });
    m_owners.insert(at, std::move(owner));
    return base;
}

bool AddressSpace::release(std::uint64_t address) {
    const auto at = std::ranges::lower_bound(m_owners, address, {}, [](const auto &o) { return o->allocation.base; });
    if (at == m_owners.end() || (*at)->allocation.base != address) return false;
    m_bytesInUse -= (*at)->allocation.bytes;
    m_released.push_back({address, (*at)->allocation.bytes, std::move((*at)->name)});
    if (m_released.size() > 4096) m_released.erase(m_released.begin(), m_released.begin() + 2048);
    m_owners.erase(at);
    return true;
}

void AddressSpace::each(const std::function<void(const Allocation &, const std::string &, const std::string &)> &visit) const {
    for (const auto &owner : m_owners) visit(owner->allocation, owner->name, owner->origin);
}

Allocation *AddressSpace::find(std::uint64_t address) const {
    auto at = std::ranges::upper_bound(m_owners, address, {}, [](const auto &o) { return o->allocation.base; });
    if (at == m_owners.begin()) return nullptr;
    Allocation &allocation = (*--at)->allocation;
    return address - allocation.base < allocation.bytes ? &allocation : nullptr;
}

const std::string &AddressSpace::name(const Allocation &allocation) const {
    static const std::string none;
    const auto at = std::ranges::lower_bound(m_owners, allocation.base, {}, [](const auto &o) { return o->allocation.base; });
    return at != m_owners.end() && (*at)->allocation.base == allocation.base ? (*at)->name : none;
}

std::string AddressSpace::describe(std::uint64_t address) const {
    const auto called = [](const std::string &name) { return name.empty() ? std::string("an unnamed allocation") : name; };
    if (address < 4096) return "in no allocation (a null pointer with a small offset)";
    for (const auto &gone : m_released)
        if (address - gone.base < gone.bytes) return std::format("in {}, which was freed", called(gone.name));
    auto at = std::ranges::upper_bound(m_owners, address, {}, [](const auto &o) { return o->allocation.base; });
    const Owner *before = at == m_owners.begin() ? nullptr : std::prev(at)->get();
    const Owner *after = at == m_owners.end() ? nullptr : at->get();
    const std::uint64_t past = before ? address - (before->allocation.base + before->allocation.bytes) : ~std::uint64_t{0};
    const std::uint64_t ahead = after ? after->allocation.base - address : ~std::uint64_t{0};
    constexpr std::uint64_t near = std::uint64_t{1} << 32;
    if (before && past <= ahead && past < near)
        return std::format("{} bytes past the end of {} ({} bytes)", past, called(before->name), before->allocation.bytes);
    if (after && ahead < near)
        return std::format("{} bytes before the start of {} ({} bytes)", ahead, called(after->name), after->allocation.bytes);
    return "in no allocation";
}

std::string AddressSpace::indexFrom(std::uint64_t address, int elementBytes) const {
    auto at = std::ranges::upper_bound(m_owners, address, {}, [](const auto &o) { return o->allocation.base; });
    constexpr std::uint64_t near = std::uint64_t{1} << 32;
    const std::uint64_t before = at == m_owners.begin() ? near : address - (*std::prev(at))->allocation.base;
    const std::uint64_t after = at == m_owners.end() ? near : (*at)->allocation.base - address;
    const std::uint64_t past = at == m_owners.begin() ? near : before - std::min(before, (*std::prev(at))->allocation.bytes);
    const auto size = static_cast<std::int64_t>(elementBytes);
    if (past < near && past <= after) return std::to_string(static_cast<std::int64_t>(before) / size);
    if (after < near) return std::to_string(-((static_cast<std::int64_t>(after) + size - 1) / size));
    return {};
}

void AddressSpace::prepareLaunch(bool raceShadows) {
    for (auto &owner : m_owners) {
        Allocation &a = owner->allocation;
        a.loaded = a.stored = false;
        if (!a.fullyWritten) a.fullyWritten = std::memchr(a.written, 0, a.bytes) == nullptr;
        if (!raceShadows || a.readOnly || a.writer != nullptr) continue;
        a.writer = zeroed<std::uint32_t>(a.bytes / 4 + 2);
        a.reader = zeroed<std::uint32_t>(a.bytes / 4 + 2);
    }
}

void AddressSpace::touched(std::uint64_t &loaded, std::uint64_t &stored) const {
    loaded = stored = 0;
    for (const auto &owner : m_owners) {
        loaded += owner->allocation.loaded ? owner->allocation.bytes : 0;
        stored += owner->allocation.stored ? owner->allocation.bytes : 0;
    }
}

void AddressSpace::clearRaceTags() {
    for (auto &owner : m_owners) {
        Allocation &a = owner->allocation;
        if (a.writer != nullptr) std::memset(a.writer, 0, (a.bytes / 4 + 2) * sizeof(std::uint32_t));
        if (a.reader != nullptr) std::memset(a.reader, 0, (a.bytes / 4 + 2) * sizeof(std::uint32_t));
    }
}

} // namespace kernelskill::simulator
