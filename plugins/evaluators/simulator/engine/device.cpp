// SPDX-License-Identifier: Apache-2.0
#include "engine/device.h"

#include "engine/execution/launcher.h"
#include "engine/execution/program.h"
#include "engine/lowering/lower.h"
#include "engine/ptx/parser.h"

#include <algorithm>
#include <cstring>
#include <format>
#include <map>
#include <unordered_map>
#include <utility>

namespace kernelskill::simulator {
namespace {

constexpr std::uint32_t mostSharedBytes = 227 * 1024;
constexpr std::uint32_t staticSharedLimit = 48 * 1024;
constexpr std::uint64_t registersOfBlock = 65536;
constexpr std::uint64_t mostBlockStorage = std::uint64_t{2} << 30;
constexpr std::size_t mostModuleBytes = std::size_t{8} << 30; // of variables

std::unexpected<DeviceError> failure(std::string message, std::string file = {}, int line = 0) {
    return std::unexpected(DeviceError{std::move(message), std::move(file), line});
}

KernelInfo infoOf(const Program &program) {
    return {program.mangled, program.demangled, program.parameters, program.resources, program.maxThreadsPerBlock, program.cluster, program.firstUnsupported};
}

} // namespace

struct Device::Impl {
    ExecutionModel model;
    AddressSpace addresses;
    DeviceCaches caches;
    struct Loaded {
        ptx::Module module;
        std::unordered_map<std::string, std::pair<std::uint64_t, std::size_t>> variables;
    };
    std::vector<std::unique_ptr<Loaded>> modules;
    std::map<std::string, std::shared_ptr<Program>, std::less<>> programs;
    std::map<std::string, std::pair<std::uint64_t, std::size_t>, std::less<>> globals;
    std::string output;

    std::expected<void, DeviceError> placeVariables(Loaded &loaded);
    std::optional<LaunchReport> illegal(const Program &program, const LaunchRequest &request) const;
};

Device::Device(ExecutionModel model) : m_impl(std::make_unique<Impl>()) { m_impl->model = model; }
Device::~Device() = default;
Device::Device(Device &&) noexcept = default;
Device &Device::operator=(Device &&) noexcept = default;

std::expected<std::uint64_t, DeviceError> Device::allocate(std::size_t bytes, std::string name, std::string origin) {
    if (bytes > (std::size_t{1} << 40)) return failure(std::format("an allocation of {} bytes is larger than the device", bytes));
    const std::uint64_t address = m_impl->addresses.allocate(std::max<std::size_t>(bytes, 1), std::move(name), false, std::move(origin));
    if (address == 0) return failure(std::format("no memory for an allocation of {} bytes", bytes));
    return address;
}

std::expected<std::uint64_t, DeviceError> Device::adopt(std::byte *data, std::size_t bytes, std::string name) {
    const std::uint64_t address = m_impl->addresses.adopt(data, bytes, std::move(name));
    if (address == 0) return failure(std::format("no memory for an allocation of {} bytes", bytes));
    return address;
}

std::expected<void, DeviceError> Device::release(std::uint64_t address) {
    if (!m_impl->addresses.release(address)) return failure(std::format("{:#x} is not the start of an allocation", address));
    return {};
}

namespace {
std::expected<Allocation *, DeviceError> rangeIn(const AddressSpace &space, std::uint64_t address, std::size_t bytes, const char *what) {
    Allocation *a = space.find(address);
    if (a == nullptr) return failure(std::format("{} of {} bytes at {:#x}, which is {}", what, bytes, address, space.describe(address)));
    if (a->bytes - (address - a->base) < bytes)
        return failure(std::format("{} of {} bytes at {:#x} passes the end of {} ({} bytes)", what, bytes, address, space.name(*a), a->bytes));
    return a;
}
} // namespace

std::expected<void, DeviceError> Device::write(std::uint64_t address, std::span<const std::byte> bytes) {
    if (bytes.empty()) return {};
    const auto a = rangeIn(m_impl->addresses, address, bytes.size(), "a write");
    if (!a) return std::unexpected(a.error());
    std::memcpy((*a)->data + (address - (*a)->base), bytes.data(), bytes.size());
    std::memset((*a)->written + (address - (*a)->base), 1, bytes.size());
    return {};
}

std::expected<void, DeviceError> Device::read(std::uint64_t address, std::span<std::byte> bytes) const {
    if (bytes.empty()) return {};
    const auto a = rangeIn(m_impl->addresses, address, bytes.size(), "a read");
    if (!a) return std::unexpected(a.error());
    std::memcpy(bytes.data(), (*a)->data + (address - (*a)->base), bytes.size());
    return {};
}

std::expected<void, DeviceError> Device::fill(std::uint64_t address, std::byte value, std::size_t bytes) {
    if (bytes == 0) return {};
    const auto a = rangeIn(m_impl->addresses, address, bytes, "a fill");
    if (!a) return std::unexpected(a.error());
    std::memset((*a)->data + (address - (*a)->base), static_cast<int>(value), bytes);
    std::memset((*a)->written + (address - (*a)->base), 1, bytes);
    return {};
}

void Device::markUninitialised(std::uint64_t address, std::size_t bytes) {
    Allocation *a = m_impl->addresses.find(address);
    if (a == nullptr || bytes == 0) return;
    bytes = std::min<std::size_t>(bytes, a->bytes - (address - a->base));
    std::memset(a->written + (address - a->base), 0, bytes);
    a->fullyWritten = false;
}

std::vector<LiveAllocation> Device::liveAllocations() const {
    std::vector<LiveAllocation> live;
    m_impl->addresses.each([&](const Allocation &a, const std::string &name, const std::string &origin) {
        const bool variable = std::ranges::any_of(m_impl->globals, [&](const auto &g) { return g.second.first == a.base; });
        if (!variable) live.push_back({a.base, a.bytes, name, origin});
    });
    return live;
}

std::size_t Device::bytesInUse() const { return m_impl->addresses.bytesInUse(); }

std::expected<void, DeviceError> Device::Impl::placeVariables(Loaded &loaded) {
    std::size_t placed = 0;
    const auto place = [&](const std::string &key, const ptx::Variable &variable) -> std::expected<void, DeviceError> {
        if (variable.space != ptx::Space::Global && variable.space != ptx::Space::Constant) return {};
        if (variable.isExternal && variable.initialiser.empty()) {
            // defined by another module, or a symbol of the run-time library that is only declared
            if (const auto known = globals.find(variable.name); known != globals.end()) { loaded.variables[key] = known->second; return {}; }
            if (variable.bytes == 0) return {};
        }
        const std::size_t bytes = std::max<std::size_t>(variable.bytes, 1);
        if (placed += bytes; placed > mostModuleBytes) return failure("the module's variables need more than 8 GiB");
        const std::uint64_t address = addresses.allocate(bytes, variable.name, variable.space == ptx::Space::Constant);
        if (address == 0) return failure("no memory for the variable " + variable.name);
        Allocation *a = addresses.find(address);
        if (!variable.initialiser.empty()) std::memcpy(a->data, variable.initialiser.data(), variable.initialiser.size());
        a->fullyWritten = true; // variables without an initialiser are zero
        loaded.variables[key] = {address, variable.bytes};
        globals[variable.name] = {address, variable.bytes};
        return {};
    };
    for (const auto &variable : loaded.module.variables)
        if (auto done = place(variable.name, variable); !done) return done;
    for (const auto &function : loaded.module.functions)
        for (const auto &variable : function.variables)
            if (auto done = place(function.name + "/" + variable.name, variable); !done) return done;
    for (const auto &variable : loaded.module.variables) {
        const auto own = loaded.variables.find(variable.name);
        if (own == loaded.variables.end()) continue;
        for (const auto &relocation : variable.relocations) {
            const auto target = loaded.variables.find(relocation.symbol);
            const auto function = std::ranges::find_last(loaded.module.functions, relocation.symbol, &ptx::Function::name); // declarations come first
            if (target == loaded.variables.end() && function.empty()) continue; // of another module
            const std::uint64_t start = target != loaded.variables.end() ? target->second.first : functionAddress(static_cast<std::size_t>(function.begin() - loaded.module.functions.begin()));
            const std::uint64_t value = start + static_cast<std::uint64_t>(relocation.addend);
            Allocation *a = addresses.find(own->second.first);
            if (relocation.offset + 8 <= a->bytes) std::memcpy(a->data + relocation.offset, &value, 8);
        }
    }
    return {};
}

std::expected<std::vector<KernelInfo>, DeviceError> Device::loadModule(std::string_view ptx) {
    auto parsed = ptx::parse(ptx);
    if (!parsed) return failure(std::format("line {} of the PTX: {}", parsed.error().line, parsed.error().message), "", parsed.error().line);
    auto loaded = std::make_unique<Impl::Loaded>();
    loaded->module = std::move(*parsed);
    std::vector<lowering::FunctionFacts> lowered;
    if (m_impl->model.lowering) lowered = lowering::lower(loaded->module);
    if (auto placed = m_impl->placeVariables(*loaded); !placed) return std::unexpected(placed.error());
    const SymbolAddress addressOf = [&](const std::string &name) -> std::optional<std::uint64_t> {
        const auto found = loaded->variables.find(name);
        return found == loaded->variables.end() ? std::nullopt : std::optional(found->second.first);
    };
    std::vector<KernelInfo> kernels;
    for (std::size_t f = 0; f < loaded->module.functions.size(); ++f) {
        const auto &function = loaded->module.functions[f];
        if (!function.isKernel || function.isExternal) continue;
        auto program = decode(loaded->module, f, m_impl->model, addressOf, lowered);
        kernels.push_back(infoOf(*program));
        m_impl->programs[program->mangled] = std::move(program);
    }
    m_impl->modules.push_back(std::move(loaded));
    return kernels;
}

std::optional<KernelInfo> Device::kernel(std::string_view mangled) const {
    const auto found = m_impl->programs.find(mangled);
    return found == m_impl->programs.end() ? std::nullopt : std::optional(infoOf(*found->second));
}

std::optional<std::pair<std::uint64_t, std::size_t>> Device::global(std::string_view name) const {
    const auto found = m_impl->globals.find(name);
    return found == m_impl->globals.end() ? std::nullopt : std::optional(found->second);
}

namespace {
// Registers, local memory and what is noted about them, of all threads of a block.
std::uint64_t blockStorageBytes(const Program &program, std::uint64_t threads) {
    const std::uint64_t warps = (threads + 31) / 32;
    return warps * (program.registerBytes + 8ull * program.readyCount + 4ull * program.predicateCount + 64ull * program.localBytes + 32ull * program.callParameterBytes);
}

std::string clusterProblem(const Program &program, const LaunchRequest &request) {
    const Dim3 asked = request.cluster.count() > 1 ? request.cluster : program.cluster;
    if (request.cluster.count() > 1 && program.cluster.count() > 1 && (asked.x != program.cluster.x || asked.y != program.cluster.y || asked.z != program.cluster.z))
        return std::format("clusters of ({}, {}, {}) blocks, and the kernel was compiled for ({}, {}, {})", asked.x, asked.y, asked.z, program.cluster.x, program.cluster.y, program.cluster.z);
    if (asked.count() == 0 || asked.count() > mostClusterBlocks) return std::format("a cluster of {} blocks: {} is the most", asked.count(), mostClusterBlocks);
    const Dim3 g = request.grid;
    if (g.x % asked.x != 0 || g.y % asked.y != 0 || g.z % asked.z != 0)
        return std::format("grid ({}, {}, {}) is not made of whole clusters of ({}, {}, {})", g.x, g.y, g.z, asked.x, asked.y, asked.z);
    return {};
}
} // namespace

std::optional<LaunchReport> Device::Impl::illegal(const Program &program, const LaunchRequest &request) const {
    std::string why;
    const Dim3 g = request.grid, b = request.block;
    const std::uint64_t shared = std::uint64_t{program.staticSharedBytes} + request.dynamicSharedBytes;
    if (!program.problem.empty()) why = "the kernel cannot run: " + program.problem;
    else if (g.count() == 0 || b.count() == 0) why = std::format("grid ({}, {}, {}) with blocks ({}, {}, {}) has no threads", g.x, g.y, g.z, b.x, b.y, b.z);
    else if (b.count() > 1024) why = std::format("a block of {} threads is larger than 1024", b.count());
    else if (b.z > 64) why = std::format("a block with z = {} is larger than 64", b.z);
    else if (g.x > 0x7fff'ffffu || g.y > 65535 || g.z > 65535) why = std::format("grid ({}, {}, {}) is too large: y and z go up to 65535", g.x, g.y, g.z);
    else if (b.count() > static_cast<std::uint64_t>(program.maxThreadsPerBlock))
        why = std::format("a block of {} threads is larger than the {} the kernel was compiled for", b.count(), program.maxThreadsPerBlock);
    else if (program.staticSharedBytes > staticSharedLimit && request.dynamicSharedBytes == 0)
        why = std::format("{} bytes of static shared memory are more than 48 KiB", program.staticSharedBytes);
    else if (std::string problem = clusterProblem(program, request); !problem.empty()) why = std::move(problem);
    else if (b.count() * static_cast<std::uint64_t>(program.resources.registersPerThread) > registersOfBlock)
        why = std::format("too many resources: a block of {} threads with {} registers each needs {} registers, and a multiprocessor has {}", b.count(), program.resources.registersPerThread,
                          b.count() * static_cast<std::uint64_t>(program.resources.registersPerThread), registersOfBlock);
    else if (const std::uint64_t need = blockStorageBytes(program, b.count()); need > mostBlockStorage) why = std::format("a block needs {} MiB of the simulator's memory, and can have {}", need >> 20, mostBlockStorage >> 20);
    else if (shared > mostSharedBytes) why = std::format("{} bytes of shared memory are more than the 227 KiB a block can have", shared);
    if (why.empty()) return std::nullopt;
    LaunchReport report;
    report.kernel = program.demangled;
    report.mangled = program.mangled;
    report.grid = g;
    report.block = b;
    report.blocksTotal = g.count();
    report.resources = program.resources;
    report.resources.dynamicSharedBytes = static_cast<int>(request.dynamicSharedBytes);
    Finding finding;
    finding.kind = "illegal_launch";
    finding.fatal = true;
    finding.kernel = program.demangled;
    finding.message = why;
    report.findings.push_back(std::move(finding));
    return report;
}

std::expected<LaunchReport, DeviceError> Device::launch(const LaunchRequest &request) {
    const auto found = m_impl->programs.find(request.kernel);
    if (found == m_impl->programs.end()) return failure("there is no kernel " + request.kernel);
    const auto &program = found->second;
    if (request.arguments.size() != program->parameters.size())
        return failure(std::format("{} takes {} parameters, {} were given", program->demangled, program->parameters.size(), request.arguments.size()));
    for (std::size_t i = 0; i < request.arguments.size(); ++i)
        if (request.arguments[i].size() != program->parameters[i].bytes)
            return failure(std::format("parameter {} of {} has {} bytes, {} were given", i, program->demangled, program->parameters[i].bytes, request.arguments[i].size()));
    if (auto report = m_impl->illegal(*program, request)) return *report;
    Launcher launcher(program, request, m_impl->model, m_impl->addresses, m_impl->caches);
    LaunchReport report = launcher.run();
    m_impl->output += launcher.takeOutput();
    return report;
}

std::string Device::takeOutput() { return std::exchange(m_impl->output, {}); }

void Device::flushCaches() {
    m_impl->caches.l2.clear();
}

void Device::cleanCaches() {
    for (CacheSet &set : m_impl->caches.l2) std::ranges::fill(set.dirty, std::uint8_t{0});
}

} // namespace kernelskill::simulator
