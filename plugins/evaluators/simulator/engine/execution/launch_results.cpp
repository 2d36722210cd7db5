// SPDX-License-Identifier: Apache-2.0
// From counts of single instructions to the report.
#include "engine/execution/launcher.h"

#include <algorithm>
#include <bit>
#include <map>

namespace kernelskill::simulator {

// A warp that has ended stands behind its last instruction.
const Place &Launcher::placeOf(std::uint32_t pc) const {
    const auto &places = m_program->placeOfPc;
    return m_program->places[places[std::min<std::size_t>(pc, places.size() - 1)]];
}

Dim3 Launcher::threadOf(const WarpContext &context, unsigned lane) const {
    const std::uint32_t *rows = m_state.threadIds + static_cast<std::size_t>(context.warp->index) * 96 + lane;
    return {rows[0], rows[32], rows[64]};
}

void Launcher::addFinding(WarpContext &context, const char *kind, bool fatal, unsigned lane, std::uint64_t address, std::string message) {
    const Place &place = placeOf(context.pc);
    Finding finding;
    finding.kind = kind;
    finding.fatal = fatal;
    finding.kernel = m_program->demangled;
    finding.file = place.file;
    finding.line = place.line;
    finding.block = {context.block->ctaid[0], context.block->ctaid[1], context.block->ctaid[2]};
    finding.thread = threadOf(context, lane);
    finding.address = address;
    finding.message = std::move(message);
    m_findings.add(std::move(finding));
}

void Launcher::print(std::string text) {
    constexpr std::size_t most = 1024 * 1024; // the size of the device's own buffer
    if (m_output.size() + text.size() <= most) m_output += text;
}

std::uint64_t Launcher::heapAllocate(std::uint64_t bytes) {
    constexpr std::uint64_t most = std::uint64_t{1} << 30, mostPieces = 1u << 20;
    if (bytes == 0 || bytes > most || m_caches.heapBytes + bytes > most || m_caches.heap.size() >= mostPieces) return 0;
    const std::uint64_t address = m_addresses.allocate(bytes, "memory from malloc in a kernel");
    if (address == 0) return 0;
    m_caches.heap[address] = bytes;
    m_caches.heapBytes += bytes;
    return address;
}

bool Launcher::heapFree(std::uint64_t address) {
    const auto found = m_caches.heap.find(address);
    if (found == m_caches.heap.end()) return false;
    m_caches.heapBytes -= found->second;
    m_caches.heap.erase(found);
    for (auto &m : m_program->memory) m.lastAllocation = nullptr; // one of them may be the one that goes
    return m_addresses.release(address);
}

namespace {

void add(AccessCounters &total, const InstructionCounters &c) {
    total.requests += c.requests;
    total.sectors += c.sectors;
    total.bytes += c.bytes;
    total.l1HitSectors += c.l1Hits;
    total.l2HitSectors += c.l2Hits;
    total.wavefronts += c.wavefronts;
    total.lines += c.lines;
}

// What the instruction stands for in machine instructions.
void addIssued(LaunchCounters &t, const MicroOp &op, const lowering::MachineCost &cost, const IssueCounters &issued) {
    const std::uint64_t onLanes = issued.activeLanes - issued.offLanes;
    if (cost.own) {
        t.warpInstructions[op.instructionClass] += issued.warps;
        t.threadInstructions[op.instructionClass] += onLanes;
        t.fp32Flops += (op.flops & 15u) * onLanes;
        t.fp64Flops += (op.flops >> 4u) * onLanes;
    } else {
        for (std::size_t c = 0; c < instructionClassCount; ++c) {
            t.warpInstructions[c] += cost.issued[c] * issued.warps;
            t.threadInstructions[c] += cost.issued[c] * onLanes;
        }
        t.fp32Flops += cost.fp32Flops * onLanes;
        t.fp64Flops += cost.fp64Flops * onLanes;
    }
    t.activeLanes += cost.total() * issued.activeLanes;
    t.predicatedOnLanes += cost.total() * onLanes;
}

} // namespace

// From differences to counts.
void Launcher::sumIssues() {
    for (std::size_t pc = 1; pc < m_issues.size(); ++pc) {
        m_issues[pc].warps += m_issues[pc - 1].warps;
        m_issues[pc].activeLanes += m_issues[pc - 1].activeLanes;
    }
}

// Half-warps of a 16-byte load go one after the other even where all lanes ask for one address.
std::uint64_t Launcher::leastWavefronts(const MicroOp &op) const {
    if (op.extra >= m_program->memory.size()) return 1;
    const MemoryOperand &m = m_program->memory[op.extra];
    return m.elementBytes * m.count == 16 && m.elementBytes < 16 ? 2 : 1;
}

void Launcher::closeCompanies() {
    if (m_joined == nullptr) return;
    for (std::size_t i = 0; i < std::size_t{1} << JoinedLoads::entryBits; ++i) m_state.joined.close(m_joined.get()[i]);
    for (const auto &[company, blocks] : m_companies) {
        m_totals.companies.blocks[company & 1u] += blocks;
        m_totals.companies.count[company & 1u] += 1;
    }
}

void Launcher::fillReport(LaunchReport &report) {
    sumIssues();
    LaunchCounters &t = m_totals;
    for (std::size_t pc = 0; pc < m_counters.size(); ++pc) {
        const InstructionCounters &c = m_counters[pc];
        const IssueCounters &issued = m_issues[pc];
        if (issued.warps == 0) continue;
        const MicroOp &op = m_program->code[pc];
        const auto kind = static_cast<InstructionClass>(op.instructionClass);
        addIssued(t, op, m_program->costOfPc[pc], issued);
        for (std::size_t r = 0; r < 8; ++r)
            if (r < stallReasonCount) t.stallCycles[r] += m_stalls[pc].cycles[r];
        switch (kind) {
        case InstructionClass::LoadGlobal: case InstructionClass::AsyncCopy: add(t.globalLoad, c); break;
        case InstructionClass::StoreGlobal: add(t.globalStore, c); break;
        case InstructionClass::AtomicGlobal: add(t.globalAtomic, c); break;
        case InstructionClass::LoadLocal: case InstructionClass::StoreLocal: add(t.local, c); break;
        case InstructionClass::LoadShared:
            t.sharedLoadRequests += c.requests;
            t.sharedLoadWavefronts += std::max(c.wavefronts, c.requests * leastWavefronts(op));
            t.sharedLoadConflicts += c.conflicts;
            break;
        case InstructionClass::StoreShared:
            t.sharedStoreRequests += c.requests;
            t.sharedStoreWavefronts += c.wavefronts;
            t.sharedStoreConflicts += c.conflicts;
            break;
        case InstructionClass::AtomicShared:
            t.sharedAtomicRequests += c.requests;
            t.sharedAtomicWavefronts += c.wavefronts;
            break;
        case InstructionClass::Tensor: t.tensorFlops += static_cast<std::uint64_t>(op.immediate >> 32) * issued.warps; break;
        default: break;
        }
    }
    closeCompanies();
    t.atomicTurnsInteger = m_state.atomicTurnsInteger;
    t.atomicTurnsFloat = m_state.atomicTurnsFloat;
    for (const std::uint64_t pieces : m_atomicPieces) t.atomicPieces += static_cast<std::uint64_t>(std::popcount(pieces));
    t.branches = m_state.branches;
    t.divergentBranches = m_state.divergentBranches;
    t.l2ReadSectors = m_state.l2ReadSectors;
    t.l2WriteSectors = m_state.l2WriteSectors;
    t.dramReadBytes = m_state.dramReadBytes;
    t.dramWriteBytes = m_state.dramWriteBytes;
    t.dramAgainBytes = m_state.dramAgainBytes;
    report.kernel = m_program->demangled;
    report.mangled = m_program->mangled;
    report.grid = m_request.grid;
    report.block = m_request.block;
    report.blocksTotal = m_request.grid.count();
    for (const BlockWindow &window : m_request.windows) report.blocksTogether += window.count;
    if (m_request.windows.empty()) report.blocksTogether = report.blocksTotal;
    report.resources = m_program->resources;
    report.resources.dynamicSharedBytes = static_cast<int>(m_request.dynamicSharedBytes);
    report.counters = t;
    m_addresses.touched(report.loadedAllocationBytes, report.storedAllocationBytes);
    fillLines(report);
    report.completed = !m_fatal;
    report.findings = m_findings.take();
}

void Launcher::fillLines(LaunchReport &report) const {
    std::map<std::pair<std::string, int>, std::pair<LineCounters, std::array<std::uint64_t, 8>>> lines;
    for (std::size_t pc = 0; pc < m_counters.size(); ++pc) {
        const InstructionCounters &c = m_counters[pc];
        const Place &place = m_program->places[m_program->placeOfPc[pc]];
        if (m_issues[pc].warps == 0 || place.line == 0) continue;
        auto &[line, stalls] = lines[{place.file, place.line}];
        line.file = place.file;
        line.line = place.line;
        line.warpInstructions += m_program->costOfPc[pc].total() * m_issues[pc].warps;
        const auto kind = static_cast<InstructionClass>(m_program->code[pc].instructionClass);
        if (kind == InstructionClass::LoadGlobal || kind == InstructionClass::StoreGlobal || kind == InstructionClass::AtomicGlobal || kind == InstructionClass::AsyncCopy) {
            line.globalSectors += c.sectors;
            line.idealSectors += c.idealSectors;
            line.globalRequests += c.requests;
        }
        if (kind == InstructionClass::LoadShared || kind == InstructionClass::StoreShared || kind == InstructionClass::AtomicShared) line.sharedRequests += c.requests;
        line.sharedConflicts += c.conflicts;
        for (std::size_t r = 0; r < stalls.size(); ++r) {
            stalls[r] += m_stalls[pc].cycles[r];
            line.stallCycles += m_stalls[pc].cycles[r];
        }
    }
    for (auto &[place, entry] : lines) {
        entry.first.mainStall = StallReason::Wait;
        if (entry.first.stallCycles != 0)
            entry.first.mainStall = static_cast<StallReason>(std::ranges::max_element(entry.second) - entry.second.begin());
        report.lines.push_back(std::move(entry.first));
    }
}

} // namespace kernelskill::simulator
