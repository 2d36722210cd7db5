// SPDX-License-Identifier: Apache-2.0
#include "timing/work.h"

#include "timing/latency.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace kernelskill::simulator {
namespace {

constexpr double lanes = 32;
constexpr double sectorBytes = 32;
constexpr double sectorsPerLine = 4;

double issued(const LaunchCounters &counters, InstructionClass c)
{
    return static_cast<double>(counters.warpInstructions[static_cast<std::size_t>(c)]);
}

// Cycles of an SM for warp instructions of a class at a rate given in thread instructions a cycle.
double pipeCycles(double warpInstructions, double rate)
{
    return warpInstructions * lanes / rate;
}

// The arithmetic pipes. Sources: CUDA programming guide, "Arithmetic Instructions", column 9.0, for the rates; Hopper
// keeps Volta's layout, in which float32 is issued to two halves (16 lanes a scheduler each), integer multiply-add uses
// one of them, and everything integer else shares one ALU of 16 lanes with compares.
void addPipes(const LaunchCounters &counters, const GpuModel &gpu, BoundCycles &total)
{
    const auto at = [&total](Bound bound) -> double & { return total[static_cast<std::size_t>(bound)]; };
    const double efficiency = gpu.model.pipeEfficiency;
    const double multiply = issued(counters, InstructionClass::IntegerMultiply);
    const double both = pipeCycles(issued(counters, InstructionClass::Fp32) + multiply, gpu.rate("fp32")) +
                        pipeCycles(issued(counters, InstructionClass::Fp16), gpu.rate("fp16"));
    at(Bound::Fma) = std::max(both, pipeCycles(multiply, gpu.rate("integer_multiply"))) / efficiency;
    // Additions, shifts and moves have a form for the multiply-add pipe too (IMAD.IADD, IMAD.SHL, IMAD.MOV), and the
    // assembler deals them out evenly; comparisons, selections and conversions have not.
    const double comparing = pipeCycles(issued(counters, InstructionClass::Compare), gpu.rate("compare")) +
                             pipeCycles(issued(counters, InstructionClass::Convert), gpu.rate("convert"));
    const double either = pipeCycles(issued(counters, InstructionClass::Integer), gpu.rate("integer")) +
                          pipeCycles(multiply, gpu.rate("integer_multiply"));
    at(Bound::Alu) = std::max(comparing, (comparing + either) / 2) / efficiency;
    at(Bound::Fp64) = pipeCycles(issued(counters, InstructionClass::Fp64), gpu.rate("fp64")) / efficiency;
    at(Bound::Special) = pipeCycles(issued(counters, InstructionClass::Special), gpu.rate("special")) / efficiency;
    at(Bound::Control) = (pipeCycles(issued(counters, InstructionClass::Branch), gpu.rate("branch")) +
                          pipeCycles(issued(counters, InstructionClass::Vote), gpu.rate("vote"))) /
                         efficiency;
    // A warp-wide mma.sync keeps its tensor core for a 4096-flop step at least (m16n8k8 of tf32 and m16n8k16 of half
    // take the same time); larger ones count by their flops.
    const double flops =
        std::max(static_cast<double>(counters.tensorFlops), issued(counters, InstructionClass::Tensor) * 4096);
    at(Bound::Tensor) = flops / gpu.rate("tensor") / gpu.model.tensorMmaEfficiency;
}

double issuedInAll(const LaunchCounters &counters)
{
    double sum = 0;
    for (const std::uint64_t count : counters.warpInstructions)
        sum += static_cast<double>(count);
    return sum;
}

double sharedWavefronts(const LaunchCounters &counters, const GpuModel &gpu)
{
    const double shuffles = pipeCycles(issued(counters, InstructionClass::Shuffle), gpu.rate("shuffle"));
    return static_cast<double>(counters.sharedLoadWavefronts + counters.sharedStoreWavefronts +
                               counters.sharedAtomicWavefronts) +
           shuffles;
}

// Atomics on global memory are done in L2, where a slice serves a KiB: each sector of a request is a packet that its slice
// is busy with, longer when lanes meet on a word of it, since they take turns. On its way a packet costs a bit for itself
// and a bit for each lane. All measured on an H200 (tests/bench/simulator_ladders, "ceilings": global_add_*).
double atomicCycles(const LaunchCounters &counters, const GpuModel &gpu)
{
    const AccessCounters &atomic = counters.globalAtomic;
    if (atomic.requests == 0) return 0;
    const double packets = std::max(static_cast<double>(atomic.sectors), static_cast<double>(atomic.requests));
    const double lanes =
        static_cast<double>(counters.threadInstructions[static_cast<std::size_t>(InstructionClass::AtomicGlobal)]);
    const double turnsInteger = static_cast<double>(counters.atomicTurnsInteger);
    const double turnsFloat = static_cast<double>(counters.atomicTurnsFloat);
    // The first turn of a packet is part of its own time.
    const double further = std::max(0.0, turnsInteger + turnsFloat - packets);
    const double turns = std::max(turnsInteger + turnsFloat, 1.0);
    const double furtherCycles = further * (turnsInteger / turns * gpu.model.atomicTurnCyclesInteger +
                                            turnsFloat / turns * gpu.model.atomicTurnCyclesFloat);
    const double slices = std::clamp(static_cast<double>(counters.atomicPieces), 1.0, gpu.model.atomicSlices);
    const double ofSlices = (packets * gpu.model.atomicPacketCycles + furtherCycles) / slices;
    const double onTheWay = packets * gpu.model.atomicDevicePacketCycles + lanes * gpu.model.atomicDeviceLaneCycles;
    return std::max(ofSlices, onTheWay);
}

// What the kernel stored and L2 still holds at its end is not among the counted DRAM writes. A kernel larger than L2
// pays for it nevertheless, since in a stream of launches it first has to evict its predecessor's; a small one leaves
// it for others. In between the share grows with the traffic's size against L2.
void addPendingWrites(const LaunchCounters &counters, double scale, const GpuModel &gpu, BlockWork &work)
{
    const double blocks = static_cast<double>(counters.blocks);
    // Atomics gather on few addresses; what they leave behind is not worth a guess.
    const double asked = static_cast<double>(counters.globalStore.bytes);
    const double arrived = static_cast<double>(counters.globalStore.sectors) * sectorBytes;
    const double pending = std::max(0.0, std::min(asked, arrived) / blocks - work.dramWriteBytes);
    const double traffic = (work.dramReadBytes + work.dramWriteBytes + pending) * blocks * scale;
    work.dramWriteBytes += pending * std::min(1.0, traffic / gpu.l2Bytes);
}

struct FetchLimit
{
    double fetches = 1;
    bool stays = false; // all that is read stays in L2, also what a block reads again
};

// How often DRAM sends a byte to different blocks, at most; nothing when the counters need no limit. A sample of blocks that is run by itself
// fetches what an earlier block of the device has left in L2; so large a sample as the device has blocks in flight tells
// the truth about the order of blocks, a small one does not see what blocks in flight share.
std::optional<FetchLimit> fetchesAtMost(const BlockWork &work, const LaunchReport &report, double blocksTotal, double waves,
                                    const GpuModel &gpu)
{
    const double loaded = static_cast<double>(report.loadedAllocationBytes);
    const double allocated = loaded + static_cast<double>(report.storedAllocationBytes);
    if (allocated <= 0 || static_cast<double>(report.counters.blocks) >= blocksTotal) return std::nullopt;
    // Sectors that hash unevenly are evicted before the cache is full, hence not the whole of it.
    constexpr double usableShare = 0.9;
    const double usable = gpu.l2Bytes * usableShare;
    if (loaded <= usable) return FetchLimit{1, true};
    const double inFlight = blocksTotal / std::max(1.0, waves);
    if (static_cast<double>(report.blocksTogether) >= inFlight * usableShare) return std::nullopt;
    if (std::min(work.dramBytes() * inFlight, allocated) <= usable) return FetchLimit{1, true};
    // Blocks of a wave walk their data at the same pace.
    return FetchLimit{std::max(1.0, std::ceil(waves)), false};
}

void limitDram(BlockWork &work, const LaunchReport &report, double blocksTotal, const FetchLimit &limit)
{
    // What a block fetches again it has lost to the traffic of the blocks beside it, in a sample as on the device.
    const double again = limit.stays ? 0 : work.dramAgainBytes;
    const double loaded = static_cast<double>(report.loadedAllocationBytes) / blocksTotal * limit.fetches;
    work.dramReadBytes = std::min(work.dramReadBytes, std::min(work.dramReadBytes - again, loaded) + again);
    work.dramWriteBytes =
        std::min(work.dramWriteBytes, static_cast<double>(report.storedAllocationBytes) / blocksTotal * limit.fetches);
}

// Share of the reads of a kind of companies that join, when `members` blocks of each are in flight and any two that read a line
// do so at the same time with the probability `inStep`: n of them make 1 + (n - 1) · inStep go as one. A sample sees some
// members only; where most of them read a line, the others do.
double joinedShare(const LaunchCounters &counters, std::size_t kind, double members, double inStep)
{
    const Companies &companies = counters.companies;
    constexpr double most = 0.72; // sixteen SMs in step
    const double seen = static_cast<double>(companies.blocks[kind]) / std::max(1.0, static_cast<double>(companies.count[kind]));
    double reads = 0, joined = 0;
    for (std::size_t n = 1; n < companies.sectors[kind].size(); ++n) {
        const auto sectors = static_cast<double>(companies.sectors[kind][n]);
        const auto met = static_cast<double>(n - 1);
        const bool few = 3 * met < seen - 1; // neighbours in the grid, say, which read each other's edges
        if (few && kind == 1) {
            reads += sectors; // and do not even begin together
            continue;
        }
        const double others = few ? met : met * std::max(1.0, (members - 1) / std::max(seen - 1, 1.0));
        reads += sectors;
        joined += sectors * std::min(most, 1 - 1 / (1 + others * inStep));
    }
    return reads > 0 ? joined / reads : 0;
}

// Share of the loads that miss L1 and yet do not reach L2, since loads of one line from SMs of one GPC go on as one when they
// are less than about 175 cycles apart (engine/counters/joined_loads.h). Blocks that meet at barriers around their loads are
// kept in step by waiting for the same lines where there is time to wait; the busier an SM, the more they drift. The first wave
// begins together, later ones do not, and without barriers nobody stays together for long. Both rates are fitted to 28 kernels
// (tests/bench/simulator_ladders, "Loads that join"). A few meet by chance (counted: 1.5 to 3 % in matmul v0 and v1, conv3x3,
// csr_spmv, depthwise_conv1d v0; none of what is read once). Copies that are sent ahead are not waited for.
double joinedOnTheWay(const LaunchCounters &counters, const BlockWork &work, double blocksTotal, double waves, double busy,
                      const GpuModel &gpu)
{
    const double missed = static_cast<double>(counters.l2ReadSectors) * sectorBytes / static_cast<double>(counters.blocks);
    constexpr double readers = 4, byChance = 0.015, drift = 5, idle = 0.46, begunApart = 0.034;
    if (missed <= 0 || missed < readers * work.dramReadBytes) return 0;
    if (issued(counters, InstructionClass::AsyncCopy) > issued(counters, InstructionClass::LoadGlobal)) return 0;
    const double chance = byChance * (1 - work.dramReadBytes / missed);
    const Companies &companies = counters.companies;
    if (companies.count[0] + companies.count[1] == 0) return chance;
    const bool meet = counters.barriers >= 2 * counters.warps;
    const double inStep = std::min(meet ? 1.0 : begunApart, std::exp(drift * (idle - busy)));
    const double first = std::min(1.0, 1 / waves);
    const double members = std::min<double>(blocksTotal, gpu.smCount) / gpu.gpcCount; // that share no L1
    const std::size_t kind = companies.count[0] > 0 ? 0 : 1;
    double counted = 0; // share of the reads: those of blocks that have met before
    for (const auto &sectors : companies.sectors)
        counted += static_cast<double>(std::accumulate(sectors.begin(), sectors.end(), std::uint64_t{0}));
    counted /= static_cast<double>(counters.l2ReadSectors);
    // Two barriers a round: the first round of the first wave is in step anyway.
    const double together = !meet ? 0.0 : std::min(1.0, 2 * static_cast<double>(counters.warps) / static_cast<double>(counters.barriers));
    const double ofFirst = together * joinedShare(counters, kind, members, 1) +
                           (1 - together) * joinedShare(counters, kind, members, inStep);
    const double ofLater =
        companies.count[1] > 0 ? joinedShare(counters, 1, members, std::min(inStep, begunApart)) : ofFirst;
    return std::max(chance, counted * (first * ofFirst + (1 - first) * ofLater));
}

// Sectors L2 moves. One that a store fills only in part costs it a read and a merge.
double l2Sectors(const LaunchCounters &counters, const GpuModel &gpu)
{
    const AccessCounters &store = counters.globalStore;
    const double stored = static_cast<double>(store.sectors);
    // A packet on its way through the crossbar and the look-up it asks for cost about as much as a sector, however many of
    // the line's sectors it is for.
    const AccessCounters &load = counters.globalLoad;
    const double perPacket =
        load.lines > 0 ? std::clamp(static_cast<double>(load.sectors) / static_cast<double>(load.lines), 1.0, sectorsPerLine)
                       : sectorsPerLine;
    const double packets = static_cast<double>(counters.l2ReadSectors) * (1 / perPacket - 1 / sectorsPerLine);
    double partial = 0;
    if (stored > 0) {
        constexpr double oneWord = 1.0 / 8; // a sector of which one lane stores 4 bytes
        const double fullness = std::clamp(static_cast<double>(store.bytes) / (stored * sectorBytes), oneWord, 1.0);
        partial = stored * (1 - fullness) / (1 - oneWord);
    }
    return static_cast<double>(counters.l2ReadSectors + counters.l2WriteSectors) + packets * gpu.model.packetSectors +
           partial * (gpu.model.partialStoreSectors - 1);
}

// Share of a block's time for which what its SM lacks most is in use.
double busyShare(const LaunchCounters &counters, const BlockWork &work, double blocksTotal, double waves, const GpuModel &gpu)
{
    double most = 0;
    for (const Bound bound : {Bound::Issue, Bound::Fma, Bound::Alu, Bound::Fp64, Bound::Special, Bound::Tensor, Bound::Control,
                              Bound::Shared, Bound::L1})
        most = std::max(most, work[bound]);
    const double resident = std::max(1.0, blocksTotal / std::max(waves, 1.0) / gpu.smCount);
    const double latency = static_cast<double>(counters.blockCriticalCycles) / static_cast<double>(counters.blocks) / resident;
    return most / std::max({most, latency, 1.0});
}

MissOrigin addMemory(const LaunchReport &report, const GpuModel &gpu, double waves, BlockWork &work)
{
    const LaunchCounters &counters = report.counters;
    const double blocks = static_cast<double>(counters.blocks);
    const auto at = [&work](Bound bound) -> double & { return work.demand[static_cast<std::size_t>(bound)]; };

    work.sharedWavefronts = sharedWavefronts(counters, gpu) / blocks;
    at(Bound::Shared) = work.sharedWavefronts * gpu.model.sharedWavefrontCycles * 128 / gpu.rate("shared_bytes");
    work.l1Wavefronts = (tagWavefronts(counters.globalLoad) + tagWavefronts(counters.globalStore) +
                         tagWavefronts(counters.globalAtomic) + tagWavefronts(counters.local)) /
                        blocks;
    at(Bound::L1) = work.l1Wavefronts * gpu.model.l1WavefrontCycles * 128 / gpu.rate("l1_bytes");
    if (work.l1Wavefronts > 0) at(Bound::L1) += at(Bound::Shared);

    const double sectors = static_cast<double>(counters.globalLoad.sectors + counters.globalStore.sectors +
                                               counters.globalAtomic.sectors + counters.local.sectors);
    work.l1Bytes = sectors * sectorBytes / blocks;
    work.l2Bytes = static_cast<double>(counters.l2ReadSectors + counters.l2WriteSectors) * sectorBytes / blocks;
    work.dramReadBytes = static_cast<double>(counters.dramReadBytes) / blocks;
    work.dramAgainBytes = static_cast<double>(counters.dramAgainBytes) / blocks;
    work.dramWriteBytes = static_cast<double>(counters.dramWriteBytes) / blocks;
    const double blocksTotal = static_cast<double>(std::max(report.blocksTotal, counters.blocks));
    addPendingWrites(counters, blocksTotal / blocks, gpu, work);
    const double countedReadBytes = work.dramReadBytes;
    const std::optional<FetchLimit> limit = fetchesAtMost(work, report, blocksTotal, waves, gpu);
    if (limit) limitDram(work, report, blocksTotal, *limit);
    const bool stays = limit && limit->fetches == 1.0 && (limit->stays || work.dramAgainBytes <= 0);
    const double joined = joinedOnTheWay(counters, work, blocksTotal, waves, busyShare(counters, work, blocksTotal, waves, gpu), gpu) *
                          static_cast<double>(counters.l2ReadSectors) * sectorBytes / blocks;
    work.l2Bytes -= joined;
    work.usefulBytes =
        static_cast<double>(counters.globalLoad.bytes + counters.globalStore.bytes + counters.globalAtomic.bytes) /
        blocks;

    at(Bound::L2Port) = (work.l2Bytes + joined) / gpu.rate("l2_bytes");
    at(Bound::L2) = (l2Sectors(counters, gpu) * sectorBytes / blocks - joined) / gpu.l2BytesPerCycle();
    const double dram = work.dramBytes();
    if (dram > 0) at(Bound::Dram) = dram / gpu.dramBytesPerCycle(work.dramWriteBytes / dram);
    // Little's law: bytes on the way = bandwidth × latency, so an SM moves at most inflight/latency bytes a cycle.
    const double missed = static_cast<double>(counters.l2ReadSectors) * sectorBytes / blocks;
    MissOrigin origin;
    if (missed > 0) {
        origin.countedDramShare = std::clamp(countedReadBytes / missed, 0.0, 1.0);
        const double limited = std::clamp(work.dramReadBytes / missed, 0.0, 1.0);
        at(Bound::Inflight) = missed * (gpu.latency("l2") + limited * (gpu.latency("dram") - gpu.latency("l2"))) /
                              gpu.model.inflightBytesPerSm;
        // Blocks of the first wave ask for a byte before anyone's fetch of it has arrived, and wait like the first.
        const double firstWave = 1 / std::max(1.0, waves);
        origin.trueDramShare =
            stays ? origin.countedDramShare * firstWave + limited * (1 - firstWave) : origin.countedDramShare;
    }
    at(Bound::Atomics) = atomicCycles(counters, gpu) / blocks;
    return origin;
}

// Of what the longest block takes beyond the average: what it may owe to running first, before the caches hold what all
// blocks read. Those that run side by side on a device share these fetches; each waits for about half of them.
double coldExcess(const LaunchCounters &counters, const GpuModel &gpu, double excess)
{
    const double fetches = static_cast<double>(counters.dramReadBytes) / sectorBytes;
    return std::min(excess, fetches * (gpu.latency("dram") - gpu.latency("l2"))) / 2;
}

// Warps fill each other's gaps. Those that meet at barriers load together and compute together: with one wait for data
// between two barriers a block does one thing at a time; with many its warps drift apart in between. Loads that stand side
// by side are waited for together, about eight of them after unrolling.
double agents(const LaunchCounters &counters, double warps)
{
    if (counters.barriers == 0) return warps;
    constexpr double together = 8;
    const double requests =
        static_cast<double>(counters.globalLoad.requests + counters.sharedLoadRequests) +
        issued(counters, InstructionClass::Shuffle);
    return std::clamp(requests / together / static_cast<double>(counters.barriers + counters.warps), 1.0, warps);
}

} // namespace

std::string_view name(Bound bound)
{
    constexpr std::array<std::string_view, boundCount> names{
        "issue", "fma",     "alu",      "fp64",        "special", "tensor", "control", "shared",
        "l1",    "l2_port", "inflight", "block_start", "l2",      "dram",   "atomics", "latency"};
    return bound < Bound::Count ? names[static_cast<std::size_t>(bound)] : std::string_view("none");
}

std::string_view title(Bound bound)
{
    constexpr std::array<std::string_view, boundCount> titles{
        "Issue slots",       "Multiply-add pipe",  "Integer pipe",  "Double-precision pipe", "Special functions",
        "Tensor cores",      "Branches and votes", "Shared memory", "L1 wavefronts",         "An SM's path to L2",
        "Bytes in flight",   "Starting blocks",    "L2 bandwidth",  "DRAM bandwidth",        "Atomics",
        "Latency of a block"};
    return bound < Bound::Count ? titles[static_cast<std::size_t>(bound)] : std::string_view("Nothing");
}

double tagWavefronts(const AccessCounters &access)
{
    const double requests = static_cast<double>(access.requests);
    if (access.wavefronts > 0) return static_cast<double>(access.wavefronts);
    const double sectors = static_cast<double>(access.sectors);
    if (sectors <= 0) return requests;
    // 1: every byte of the sectors is asked for; 1/8: one 4-byte word of each.
    constexpr double oneWord = 1.0 / 8;
    const double fullness = std::clamp(static_cast<double>(access.bytes) / (sectors * sectorBytes), oneWord, 1.0);
    const double scattered = (1 - fullness) / (1 - oneWord);
    const double lines = sectors * (1 / sectorsPerLine + (1 - 1 / sectorsPerLine) * scattered);
    return std::max(lines, requests);
}

BlockWork blockWork(const LaunchReport &report, const GpuModel &gpu, double waves)
{
    BlockWork work;
    const LaunchCounters &counters = report.counters;
    if (counters.blocks == 0) return work;
    const double blocks = static_cast<double>(counters.blocks);
    work.warps = std::max(static_cast<double>(counters.warps) / blocks, 1.0);
    work.instructions = issuedInAll(counters) / blocks;

    BoundCycles pipes{};
    addPipes(counters, gpu, pipes);
    for (std::size_t i = 0; i < boundCount; ++i)
        work.demand[i] = pipes[i] / blocks;
    const auto at = [&work](Bound bound) -> double & { return work.demand[static_cast<std::size_t>(bound)]; };
    at(Bound::Issue) = work.instructions / gpu.rate("issue") / gpu.model.issueEfficiency;
    const MissOrigin origin = addMemory(report, gpu, waves, work);
    at(Bound::BlockStart) = gpu.model.blockStartCycles;
    const double critical = static_cast<double>(counters.blockCriticalCycles) / blocks;
    work.agents = agents(counters, work.warps);
    const double added = gpu.model.blockLatencyCycles;
    const double factor = criticalPathFactor(report, gpu, origin);
    at(Bound::Latency) = critical * factor + added;
    const double longest = std::max(static_cast<double>(counters.longestBlockCycles), critical);
    work.longestCycles = (longest - coldExcess(counters, gpu, longest - critical)) * factor + added;
    return work;
}

} // namespace kernelskill::simulator
