// SPDX-License-Identifier: Apache-2.0
#include "device_server.h"

#include "timing/occupancy.h"
#include "worker/kernel_facts.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <format>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace kernelskill::simulator {

namespace {

// Codes of the host interface (include/driver_types.h).
constexpr std::int32_t success = 0, invalidValue = 1, outOfMemory = 2, invalidSymbol = 13, invalidDeviceFunction = 98;

constexpr std::uint64_t pageBytes = 4096, slackBytes = 64; // the engine's vector reads may pass the end by so much
constexpr std::uint64_t wholePages(std::uint64_t bytes)
{
    return (bytes + slackBytes + pageBytes - 1) / pageBytes * pageBytes;
}

constexpr std::size_t longestPlace = 4096; // "file:line" of an allocation

constexpr std::uint64_t deviceMemory = std::uint64_t(8) << 30; // what the simulated device lets a candidate have

// Host-side costs in microseconds, as a PCIe 5 host shows them: the copy engine's set-up, an allocation's system call.
constexpr double copySetup_us = 6, fillSetup_us = 2.5, allocation_us = 8;
constexpr double hostLink_bytesPerUs = 25'000;

// `origin` is "file:line", or empty where the call does not say.
Finding leakFinding(const std::string &origin, std::uint64_t allocations, std::uint64_t bytes)
{
    Finding finding;
    finding.kind = "leak";
    if (const auto colon = origin.rfind(':'); colon != std::string::npos) {
        finding.file = origin.substr(0, colon);
        finding.line = std::max(0, std::atoi(origin.c_str() + colon + 1));
    }
    finding.message = allocations == 1 ? std::format("{} bytes of device memory were never freed", bytes)
                                       : std::format("{} bytes of device memory in {} allocations were never freed",
                                                     bytes, allocations);
    return finding;
}

} // namespace

DeviceServer::DeviceServer(Device &device, const GpuModel &gpu) : m_device(device), m_gpu(gpu) {}

DeviceServer::~DeviceServer()
{
    for (const auto &[address, allocation] : m_allocations) {
        if (!allocation.shared) continue;
        (void)m_device.release(address);
        unmap(allocation);
    }
}

std::expected<void, DeviceError> DeviceServer::load(std::string_view ptx)
{
    const auto kernels = m_device.loadModule(ptx);
    if (!kernels) return std::unexpected(kernels.error());
    m_communicating.merge(communicatingKernels(ptx));
    return {};
}

void DeviceServer::begin(ServeMode mode)
{
    m_mode = mode;
    m_call = {};
    m_known.clear();
    m_plans.clear();
    m_repeatInstructions = 0;
    m_leastResidentShare = 1;
}

CallRecord DeviceServer::end()
{
    m_mode = ServeMode::Outside;
    return std::exchange(m_call, {});
}

std::vector<Finding> DeviceServer::leaks() const
{
    struct Place
    {
        std::string origin;
        std::uint64_t allocations = 0, bytes = 0;
    };
    std::vector<Place> places; // in the order of their first allocation
    for (const LiveAllocation &live : m_device.liveAllocations()) {
        const auto found = m_allocations.find(live.address);
        if (found == m_allocations.end()) continue;
        const Allocation &allocation = found->second;
        if (allocation.ours || allocation.shared || allocation.pooled) continue;
        auto place = std::ranges::find(places, live.origin, &Place::origin);
        if (place == places.end()) place = places.insert(places.end(), Place{live.origin});
        ++place->allocations;
        place->bytes += live.bytes;
    }
    std::vector<Finding> findings;
    for (const Place &place : places)
        findings.push_back(leakFinding(place.origin, place.allocations, place.bytes));
    return findings;
}

std::uint64_t DeviceServer::allocate(std::size_t bytes, const std::string &name)
{
    const auto address = m_device.allocate(std::max<std::size_t>(bytes, 1), name);
    if (!address) return 0;
    m_allocations[*address] = {bytes, true, nullptr, false};
    return *address;
}

void DeviceServer::release(std::uint64_t address)
{
    if (m_allocations.erase(address) > 0) (void)m_device.release(address);
}

std::int32_t DeviceServer::handle(wire::Kind kind, wire::Reader &request, wire::Writer &reply)
{
    try {
        return answer(kind, request, reply);
    } catch (const std::bad_alloc &) {
        return outOfMemory; // of the machine, not the simulated device: the candidate asked for it
    }
}

std::int32_t DeviceServer::answer(wire::Kind kind, wire::Reader &request, wire::Writer &reply)
{
    const bool isWork = kind == wire::Kind::Launch || kind == wire::Kind::Upload || kind == wire::Kind::Copy ||
                        kind == wire::Kind::Fill;
    if (isWork && m_mode == ServeMode::Outside) ++m_outsideWork;
    if (kind == wire::Kind::Ready) {
        reply.value(facts());
        return success;
    }
    if (kind == wire::Kind::Reset) return reset();
    if (m_stickyError != 0) return m_stickyError;
    switch (kind) {
    case wire::Kind::AllocateShared:
        return allocateShared(request, reply);
    case wire::Kind::Allocate:
        return allocateFor(request, reply);
    case wire::Kind::Release:
        return releaseFor(request);
    case wire::Kind::Upload:
        return upload(request);
    case wire::Kind::Download:
        return download(request, reply);
    case wire::Kind::Copy:
        return copy(request);
    case wire::Kind::Fill:
        return fill(request);
    case wire::Kind::KernelQuery:
        return describeKernel(request, reply);
    case wire::Kind::GlobalQuery:
        return describeGlobal(request, reply);
    case wire::Kind::Launch:
        return launch(request, reply);
    case wire::Kind::Synchronise:
        return success;
    case wire::Kind::Clock:
        reply.value(m_mode == ServeMode::Program ? m_call.elapsed_us : m_call.time_us());
        return success;
    case wire::Kind::Occupancy:
        return occupancyOf(request, reply);
    case wire::Kind::SharedLimit:
        return raiseSharedLimit(request);
    case wire::Kind::Classify: {
        const auto address = request.value<std::uint64_t>();
        const auto above = m_allocations.upper_bound(address);
        const bool inside =
            above != m_allocations.begin() &&
            address < std::prev(above)->first + std::max<std::uint64_t>(std::prev(above)->second.bytes, 1);
        reply.value(static_cast<std::uint32_t>(inside));
        return success;
    }
    default:
        return invalidValue;
    }
}

bool DeviceServer::hasRoom(std::uint64_t bytes)
{
    if (bytes > deviceMemory || m_device.bytesInUse() + bytes > deviceMemory) return false;
    const bool inShare = m_device.bytesInUse() + bytes <= deviceMemory / static_cast<std::uint64_t>(m_sharers);
    m_lacksRoom = m_lacksRoom || !inShare;
    return inShare;
}

std::int32_t DeviceServer::allocateFor(wire::Reader &request, wire::Writer &reply)
{
    const auto bytes = request.value<std::uint64_t>();
    const auto flags = request.value<std::uint32_t>();
    std::string place = request.text();
    if (!request.ok() || bytes == 0 || !hasRoom(bytes)) return outOfMemory;
    if (place.size() > longestPlace) place.clear();
    const auto address = m_device.allocate(bytes, "memory of the candidate", std::move(place));
    if (!address) return outOfMemory;
    m_allocations[*address] = {bytes, false, nullptr, (flags & wire::allocationPooled) != 0};
    addCopy(CopyRecord::Kind::Allocation, 0);
    reply.value(*address);
    return success;
}

std::int32_t DeviceServer::releaseFor(wire::Reader &request)
{
    const auto address = request.value<std::uint64_t>();
    const auto found = m_allocations.find(address);
    if (!request.ok() || found == m_allocations.end()) return invalidValue;
    if (found->second.ours) {
        addFinding("invalid_free", {}, "the candidate tried to free a buffer that belongs to the caller");
        return invalidValue;
    }
    const Allocation gone = found->second;
    m_allocations.erase(found);
    (void)m_device.release(address);
    unmap(gone);
    addCopy(CopyRecord::Kind::Allocation, 0);
    return success;
}

// A file in memory that nobody can make smaller: what both sides map stays there.
std::int32_t DeviceServer::allocateShared(wire::Reader &request, wire::Writer &reply)
{
    const auto bytes = request.value<std::uint64_t>();
    if (!request.ok() || bytes == 0 || !hasRoom(bytes)) return outOfMemory;
    const int file = ::memfd_create("shared with the device", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return outOfMemory;
    const std::uint64_t mapped = wholePages(bytes);
    void *data = MAP_FAILED;
    if (::ftruncate(file, static_cast<off_t>(mapped)) == 0 &&
        ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        data = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const auto address = data == MAP_FAILED
                             ? std::expected<std::uint64_t, DeviceError>(std::unexpected(DeviceError{}))
                             : m_device.adopt(static_cast<std::byte *>(data), bytes, "memory of the candidate");
    if (!address) {
        if (data != MAP_FAILED) ::munmap(data, mapped);
        ::close(file);
        return outOfMemory;
    }
    m_allocations[*address] = {bytes, false, data, false};
    addCopy(CopyRecord::Kind::Allocation, 0);
    reply.value(*address);
    reply.descriptor = file;
    return success;
}

void DeviceServer::unmap(const Allocation &allocation) const
{
    if (allocation.shared) ::munmap(allocation.shared, wholePages(allocation.bytes));
}

bool DeviceServer::isShared(std::uint64_t address) const
{
    const auto above = m_allocations.upper_bound(address);
    if (above == m_allocations.begin()) return false;
    const auto &[start, allocation] = *std::prev(above);
    return allocation.shared && address - start < allocation.bytes;
}

// A whole program may begin again; a candidate's fault stays, because its outputs prove nothing any more.
std::int32_t DeviceServer::reset()
{
    if (m_mode == ServeMode::Program) m_stickyError = 0;
    for (auto it = m_allocations.begin(); it != m_allocations.end();) {
        if (it->second.ours) {
            ++it;
            continue;
        }
        (void)m_device.release(it->first);
        unmap(it->second);
        it = m_allocations.erase(it);
    }
    return m_stickyError;
}

std::int32_t DeviceServer::upload(wire::Reader &request)
{
    const auto address = request.value<std::uint64_t>();
    const auto data = request.rest();
    if (!request.ok() || !m_device.write(address, data)) return invalidValue;
    addCopy(CopyRecord::Kind::Upload, data.size());
    return success;
}

std::int32_t DeviceServer::download(wire::Reader &request, wire::Writer &reply)
{
    const auto address = request.value<std::uint64_t>();
    const auto bytes = request.value<std::uint64_t>();
    if (!request.ok() || bytes > wire::copyChunk) return invalidValue;
    std::vector<std::byte> data(bytes);
    if (!m_device.read(address, data)) return invalidValue;
    reply.append(data.data(), data.size());
    addCopy(CopyRecord::Kind::Download, bytes);
    return success;
}

// In pieces: the copy itself must not need as much memory as the device has.
bool DeviceServer::copyOnDevice(std::uint64_t to, std::uint64_t from, std::uint64_t bytes)
{
    if (bytes > m_device.bytesInUse()) return false;
    std::vector<std::byte> data(std::min(bytes, wire::copyChunk));
    // Ranges that overlap are copied from the end that is overwritten last.
    const bool fromEnd = to > from;
    for (std::uint64_t done = 0; done < bytes;) {
        const std::span piece = std::span(data).first(std::min<std::uint64_t>(data.size(), bytes - done));
        const std::uint64_t at = fromEnd ? bytes - done - piece.size() : done;
        if (!m_device.read(from + at, piece) || !m_device.write(to + at, piece)) return false;
        done += piece.size();
    }
    return true;
}

std::int32_t DeviceServer::copy(wire::Reader &request)
{
    const auto to = request.value<std::uint64_t>();
    const auto from = request.value<std::uint64_t>();
    const auto bytes = request.value<std::uint64_t>();
    if (!request.ok() || bytes > deviceMemory) return invalidValue;
    if (!copyOnDevice(to, from, bytes)) return invalidValue;
    // What the host can look at without asking has left the device, whatever the copy was called.
    addCopy(isShared(to)     ? CopyRecord::Kind::Download
            : isShared(from) ? CopyRecord::Kind::Upload
                             : CopyRecord::Kind::OnDevice,
            bytes);
    return success;
}

std::int32_t DeviceServer::fill(wire::Reader &request)
{
    const auto address = request.value<std::uint64_t>();
    const auto value = request.value<std::uint32_t>();
    const auto bytes = request.value<std::uint64_t>();
    if (!request.ok() || bytes > deviceMemory || !m_device.fill(address, static_cast<std::byte>(value & 0xff), bytes))
        return invalidValue;
    addCopy(CopyRecord::Kind::Fill, bytes);
    return success;
}

std::int32_t DeviceServer::describeKernel(wire::Reader &request, wire::Writer &reply)
{
    const auto kernel = m_device.kernel(request.text());
    if (!kernel) return invalidDeviceFunction;
    wire::KernelFacts facts;
    facts.maxThreadsPerBlock = kernel->maxThreadsPerBlock;
    facts.registers = kernel->resources.registersPerThread;
    facts.staticShared = kernel->resources.staticSharedBytes;
    facts.localBytes = kernel->resources.localBytesPerThread;
    reply.value(facts);
    reply.value(static_cast<std::uint32_t>(kernel->parameters.size()));
    for (const ParameterInfo &parameter : kernel->parameters)
        reply.value(static_cast<std::uint32_t>(parameter.bytes));
    return success;
}

std::int32_t DeviceServer::describeGlobal(wire::Reader &request, wire::Writer &reply)
{
    const auto global = m_device.global(request.text());
    if (!global) return invalidSymbol;
    reply.value(static_cast<std::uint64_t>(global->first));
    reply.value(static_cast<std::uint64_t>(global->second));
    return success;
}

std::int32_t DeviceServer::occupancyOf(wire::Reader &request, wire::Writer &reply)
{
    const auto kernel = m_device.kernel(request.text());
    const auto blockSize = request.value<std::uint32_t>();
    const auto dynamicBytes = request.value<std::uint32_t>();
    if (!kernel) return invalidDeviceFunction;
    if (!request.ok() || blockSize == 0 || blockSize > 1024 || dynamicBytes > (1u << 20)) return invalidValue;
    KernelResources resources = kernel->resources;
    resources.dynamicSharedBytes = static_cast<int>(dynamicBytes);
    reply.value(static_cast<std::uint32_t>(occupancy(resources, blockSize, m_gpu).residentBlocks));
    return success;
}

std::int32_t DeviceServer::raiseSharedLimit(wire::Reader &request)
{
    const std::string name = request.text();
    const auto bytes = request.value<std::uint32_t>();
    const auto kernel = m_device.kernel(name);
    if (!kernel) return invalidDeviceFunction;
    if (!request.ok() || std::uint64_t{bytes} + static_cast<std::uint64_t>(kernel->resources.staticSharedBytes) >
                             static_cast<std::uint64_t>(m_gpu.sharedBytesPerBlock))
        return invalidValue;
    m_sharedLimits[name] = bytes;
    return success;
}

void DeviceServer::addFinding(std::string kind, const std::string &kernel, std::string message)
{
    // a candidate may ask for the same thing without end
    for (Finding &known : m_call.findings) {
        if (known.kind == kind && known.kernel == kernel && known.message == message) {
            ++known.occurrences;
            return;
        }
    }
    if (m_call.findings.size() >= 1000) return;
    Finding finding;
    finding.kind = std::move(kind);
    finding.kernel = kernel;
    finding.message = std::move(message);
    m_call.findings.push_back(std::move(finding));
}

void DeviceServer::addCopy(CopyRecord::Kind kind, std::uint64_t bytes)
{
    if (m_mode == ServeMode::Outside) return;
    const double size = static_cast<double>(bytes);
    const double dram = m_gpu.dram_gb_s * 1e3; // bytes a microsecond
    CopyRecord record{kind, bytes, 0, 1};
    switch (kind) {
    case CopyRecord::Kind::Upload:
    case CopyRecord::Kind::Download:
        record.time_us = copySetup_us + size / hostLink_bytesPerUs;
        break;
    case CopyRecord::Kind::OnDevice:
        record.time_us = fillSetup_us + 2 * size / dram;
        break;
    case CopyRecord::Kind::Fill:
        record.time_us = fillSetup_us + size / dram;
        break;
    case CopyRecord::Kind::Allocation:
        record.time_us = allocation_us;
        break;
    }
    // A copy cut into chunks on the wire is one copy: chunks follow one another at once.
    if (m_mode != ServeMode::Program && !m_call.copies.empty() && m_call.copies.back().kind == kind && bytes > 0 &&
        m_call.copies.back().bytes % wire::copyChunk == 0 && m_call.copies.back().bytes > 0 &&
        (kind == CopyRecord::Kind::Upload || kind == CopyRecord::Kind::Download)) {
        m_call.copies.back().bytes += bytes;
        m_call.copies.back().time_us += record.time_us - copySetup_us;
        return;
    }
    if (m_mode == ServeMode::Program) {
        addToProgram(record);
        return;
    }
    m_call.copies.push_back(record);
}

// A program may copy any number of times: kept are sums.
void DeviceServer::addToProgram(const CopyRecord &record)
{
    m_call.elapsed_us += record.time_us;
    const auto same = std::ranges::find(m_call.copies, record.kind, &CopyRecord::kind);
    if (same == m_call.copies.end()) {
        m_call.copies.push_back(record);
        return;
    }
    ++same->count;
    same->bytes += record.bytes;
    same->time_us += record.time_us;
}

wire::DeviceFacts DeviceServer::facts() const
{
    wire::DeviceFacts facts;
    const std::string name = m_gpu.name + " (simulated)";
    std::memcpy(facts.name, name.data(), std::min(name.size(), sizeof facts.name - 1));
    facts.memoryBytes = deviceMemory;
    facts.freeBytes = deviceMemory - std::min<std::uint64_t>(m_device.bytesInUse(), deviceMemory);
    const int capability = m_gpu.architecture.starts_with("sm_") ? std::atoi(m_gpu.architecture.c_str() + 3) : 80;
    facts.major = capability / 10;
    facts.minor = capability % 10;
    facts.multiprocessors = m_gpu.smCount;
    facts.clock_khz = static_cast<std::int32_t>(m_gpu.clock_mhz * 1000);
    facts.l2Bytes = static_cast<std::int32_t>(m_gpu.l2Bytes);
    facts.sharedPerBlock = 48 * 1024;
    facts.sharedPerBlockOptIn = m_gpu.sharedBytesPerBlock;
    facts.sharedPerMultiprocessor = m_gpu.sharedBytesPerSm;
    facts.threadsPerMultiprocessor = m_gpu.maxThreadsPerSm;
    facts.blocksPerMultiprocessor = m_gpu.maxBlocksPerSm;
    facts.registersPerMultiprocessor = m_gpu.registersPerSm;
    facts.memoryBusBits = 4096;
    facts.memoryClock_khz = static_cast<std::int32_t>(m_gpu.dramPeak_gb_s / 4096 * 8 / 2 * 1e6);
    return facts;
}

} // namespace kernelskill::simulator
