// SPDX-License-Identifier: Apache-2.0
#include "report_merge.h"

#include <algorithm>

namespace kernelskill::simulator {

namespace {

void add(AccessCounters &into, const AccessCounters &more)
{
    into.requests += more.requests;
    into.sectors += more.sectors;
    into.bytes += more.bytes;
    into.l1HitSectors += more.l1HitSectors;
    into.l2HitSectors += more.l2HitSectors;
    into.lines += more.lines;
    into.wavefronts += more.wavefronts;
}

template <class Array> void addAll(Array &into, const Array &more)
{
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] += more[i];
}

void add(LaunchCounters &into, const LaunchCounters &more)
{
    addAll(into.warpInstructions, more.warpInstructions);
    addAll(into.threadInstructions, more.threadInstructions);
    addAll(into.stallCycles, more.stallCycles);
    add(into.globalLoad, more.globalLoad);
    add(into.globalStore, more.globalStore);
    add(into.globalAtomic, more.globalAtomic);
    add(into.local, more.local);
    using Field = std::uint64_t LaunchCounters::*;
    constexpr Field sums[] = {&LaunchCounters::activeLanes,
                              &LaunchCounters::predicatedOnLanes,
                              &LaunchCounters::fp32Flops,
                              &LaunchCounters::fp64Flops,
                              &LaunchCounters::tensorFlops,
                              &LaunchCounters::sharedLoadRequests,
                              &LaunchCounters::sharedStoreRequests,
                              &LaunchCounters::sharedAtomicRequests,
                              &LaunchCounters::sharedAtomicWavefronts,
                              &LaunchCounters::atomicTurnsInteger,
                              &LaunchCounters::atomicTurnsFloat,
                              &LaunchCounters::sharedLoadWavefronts,
                              &LaunchCounters::sharedStoreWavefronts,
                              &LaunchCounters::sharedLoadConflicts,
                              &LaunchCounters::sharedStoreConflicts,
                              &LaunchCounters::l2ReadSectors,
                              &LaunchCounters::l2WriteSectors,
                              &LaunchCounters::dramReadBytes,
                              &LaunchCounters::dramWriteBytes,
                              &LaunchCounters::dramAgainBytes,
                              &LaunchCounters::branches,
                              &LaunchCounters::divergentBranches,
                              &LaunchCounters::barriers,
                              &LaunchCounters::blocks,
                              &LaunchCounters::warps,
                              &LaunchCounters::threads,
                              &LaunchCounters::blockCriticalCycles};
    for (const Field field : sums)
        into.*field += more.*field;
    for (std::size_t wave = 0; wave < 2; ++wave) {
        for (std::size_t readers = 0; readers < into.companies.sectors[wave].size(); ++readers)
            into.companies.sectors[wave][readers] += more.companies.sectors[wave][readers];
        into.companies.blocks[wave] += more.companies.blocks[wave];
        into.companies.count[wave] += more.companies.count[wave];
    }
    into.longestBlockCycles = std::max(into.longestBlockCycles, more.longestBlockCycles);
    into.atomicPieces = std::max(into.atomicPieces, more.atomicPieces); // windows mostly share them
}

} // namespace

void add(std::vector<Finding> &into, const std::vector<Finding> &more)
{
    for (const Finding &finding : more) {
        const auto same = std::ranges::find_if(into, [&](const Finding &known) {
            return known.kind == finding.kind && known.kernel == finding.kernel && known.file == finding.file &&
                   known.line == finding.line;
        });
        if (same == into.end()) {
            into.push_back(finding);
        } else {
            same->occurrences += finding.occurrences;
            same->fatal = same->fatal || finding.fatal;
        }
    }
}

void add(LaunchReport &into, const LaunchReport &more)
{
    add(into.counters, more.counters);
    for (const LineCounters &line : more.lines) {
        const auto same = std::ranges::find_if(
            into.lines, [&](const LineCounters &known) { return known.line == line.line && known.file == line.file; });
        if (same == into.lines.end()) {
            into.lines.push_back(line);
            continue;
        }
        same->mainStall = line.stallCycles > same->stallCycles ? line.mainStall : same->mainStall;
        same->warpInstructions += line.warpInstructions;
        same->stallCycles += line.stallCycles;
        same->globalSectors += line.globalSectors;
        same->idealSectors += line.idealSectors;
        same->sharedConflicts += line.sharedConflicts;
        same->globalRequests += line.globalRequests;
        same->sharedRequests += line.sharedRequests;
    }
    add(into.findings, more.findings);
    into.blocksTogether = std::max(into.blocksTogether, more.blocksTogether);
    into.loadedAllocationBytes = std::max(into.loadedAllocationBytes, more.loadedAllocationBytes);
    into.storedAllocationBytes = std::max(into.storedAllocationBytes, more.storedAllocationBytes);
    into.completed = into.completed && more.completed;
}

} // namespace kernelskill::simulator
