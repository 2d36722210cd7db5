// SPDX-License-Identifier: Apache-2.0
// The language between a candidate's process and the simulator's worker: framed binary messages over one socket pair.
//
// A frame is Header, then `bytes` of payload. The worker sends Call; while the candidate's entry point runs, every
// request of the run time gets exactly one Reply; Returned ends the call. Both sides are the same machine, so integers
// go as they are. The worker trusts nothing that arrives: sizes are bounded and checked before use.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kernelskill::simulator::wire {

inline constexpr std::uint32_t version = 3;
inline constexpr char descriptorVariable[] = "KERNELSKILL_SIM_DESCRIPTOR";
inline constexpr int lostChannel = 86; // exit status of a candidate's process that cannot reach the worker
inline constexpr std::uint32_t largestFrame = 17u << 20;
inline constexpr std::uint64_t copyChunk = 8u << 20; // one copy message; longer copies are cut

enum class Kind : std::uint32_t {
    // worker → candidate
    Call = 1,  // u32 count, then each: u32 bytes, data
    Reply = 2, // i32 error, then what the request asks for
    // candidate → worker
    Ready = 16,       // u32 version; the library is loaded. Reply: DeviceFacts
    Returned = 17,    // the call ended
    Allocate = 18,    // u64 bytes, u32 flags, text where in the program, or empty → u64 address
    Release = 19,     // u64 address
    Upload = 20,      // u64 address, data
    Download = 21,    // u64 address, u64 bytes → data
    Copy = 22,        // u64 to, u64 from, u64 bytes
    Fill = 23,        // u64 address, u32 value, u64 bytes
    KernelQuery = 24, // text name → KernelFacts, u32 count, u32 sizes…
    GlobalQuery = 25, // text name → u64 address, u64 bytes
    Launch = 26,      // text name, u32 grid[3], u32 block[3], u32 shared, u32 flags, u32 count, each: u32 bytes, data
    Synchronise = 27, // → nothing; the error says whether a kernel failed
    Clock = 28,       // → f64 modelled microseconds since the call began
    Occupancy = 29,   // text name, u32 block size, u32 dynamic shared bytes → u32 blocks a multiprocessor
    Classify = 30,    // u64 address → u32 1 when it is device memory
    Reset = 32,       // the device forgets what this process allocated, and its errors
    AllocateShared = 33, // u64 bytes → u64 address, and a descriptor to map there
    SharedLimit = 31,    // text name, u32 bytes: the kernel may ask for this much dynamic shared memory
};

// Of a launch: whether it is cooperative, and the blocks of a cluster along x, y and z, eight bits each; 0: as the kernel says.
inline constexpr std::uint32_t launchCooperative = 1;
[[nodiscard]] constexpr std::uint32_t launchInClusters(std::uint32_t x, std::uint32_t y, std::uint32_t z)
{
    return x << 8 | y << 16 | z << 24;
}
// Of an allocation: a pool's or the run time's own, so that what is left of it at the end is no leak.
inline constexpr std::uint32_t allocationPooled = 1;

struct Header
{
    std::uint32_t kind = 0;
    std::uint32_t bytes = 0;
};

struct DeviceFacts
{
    char name[64]{};
    std::uint64_t memoryBytes = 0, freeBytes = 0;
    std::int32_t major = 0, minor = 0, multiprocessors = 0, clock_khz = 0, l2Bytes = 0;
    std::int32_t sharedPerBlock = 0, sharedPerBlockOptIn = 0, sharedPerMultiprocessor = 0;
    std::int32_t threadsPerMultiprocessor = 0, blocksPerMultiprocessor = 0, registersPerMultiprocessor = 0;
    std::int32_t memoryClock_khz = 0, memoryBusBits = 0;
};

struct KernelFacts
{
    std::int32_t maxThreadsPerBlock = 0, registers = 0, staticShared = 0, localBytes = 0;
};

// Appends values to a payload.
class Writer
{
public:
    template <class T> void value(const T &v)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        append(&v, sizeof v);
    }
    void text(std::string_view s)
    {
        value(static_cast<std::uint32_t>(s.size()));
        append(s.data(), s.size());
    }
    void block(std::span<const std::byte> data)
    {
        value(static_cast<std::uint32_t>(data.size()));
        append(data.data(), data.size());
    }
    void append(const void *data, std::size_t bytes)
    {
        const auto *from = static_cast<const std::byte *>(data);
        m_bytes.insert(m_bytes.end(), from, from + bytes);
    }
    [[nodiscard]] const std::vector<std::byte> &bytes() const { return m_bytes; }
    // A descriptor that goes along with the frame and is closed here once it is sent; −1: none.
    int descriptor = -1;

private:
    std::vector<std::byte> m_bytes;
};

// Takes values from a payload; once something is missing, everything after it is empty and ok() is false.
class Reader
{
public:
    explicit Reader(std::span<const std::byte> bytes) : m_rest(bytes) {}
    template <class T> T value()
    {
        static_assert(std::is_trivially_copyable_v<T>);
        T v{};
        if (const auto data = take(sizeof v); data.size() == sizeof v) std::memcpy(&v, data.data(), sizeof v);
        return v;
    }
    std::string text()
    {
        const auto data = block();
        return {reinterpret_cast<const char *>(data.data()), data.size()};
    }
    std::span<const std::byte> block() { return take(value<std::uint32_t>()); }
    std::span<const std::byte> rest() { return take(m_rest.size()); }
    [[nodiscard]] bool ok() const { return m_ok; }

private:
    std::span<const std::byte> take(std::size_t bytes)
    {
        if (!m_ok || bytes > m_rest.size()) {
            m_ok = false;
            return {};
        }
        const auto data = m_rest.first(bytes);
        m_rest = m_rest.subspan(bytes);
        return data;
    }
    std::span<const std::byte> m_rest;
    bool m_ok = true;
};

} // namespace kernelskill::simulator::wire
