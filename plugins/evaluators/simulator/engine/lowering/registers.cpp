// SPDX-License-Identifier: Apache-2.0
// How many registers a thread needs.
#include "engine/lowering/lower.h"
#include "engine/lowering/passes.h"

#include "engine/analysis/liveness.h"

#include <algorithm>

namespace kernelskill::simulator::lowering {

// What the assembler plans for: within 32 registers all warps of a multiprocessor are resident, so it orders a kernel that
// fits in 32 to stay there; one that needs more may use about a quarter more than it must.
int schedulingLimit(const Graph &graph) {
    constexpr int fullOccupancy = 32 - reservedRegisters;
    int must = 0;
    const LiveSets live(graph);
    for (const auto b : graph.order) must = std::max(must, mostLive(graph, b, live));
    const int most = registerLimit(graph.function) - reservedRegisters;
    return std::min(most, std::max(fullOccupancy, must + must / 8));
}

int mostLive(const Graph &graph, std::uint32_t b, const LiveSets &live) {
    std::vector<bool> now(graph.function.registers.size(), false);
    int count = 0, most = 0;
    const auto put = [&](std::uint32_t r, bool alive) {
        if (now[r] == alive) return;
        now[r] = alive;
        count += alive ? registerWidth(graph.function, r) : -registerWidth(graph.function, r);
    };
    const auto &words = live.outSet(b);
    for (std::size_t w = 0; w < words.size(); ++w)
        for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) put(static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(__builtin_ctzll(bits)), true);
    most = count;
    const auto visit = [&](const ptx::Instruction &instruction) {
        const Facts facts = factsOf(graph.function, instruction);
        for (const auto r : facts.writes) put(r, true);
        most = std::max(most, count);
        for (const auto r : facts.writes) put(r, false);
        for (const auto r : facts.reads) put(r, true);
        most = std::max(most, count);
    };
    const Block &block = graph.blocks[b];
    if (block.end != Block::End::Jump) visit(block.last);
    for (std::size_t i = block.body.size(); i-- > 0;) visit(block.body[i]);
    return most;
}

int registersOf(const ptx::Function &function) { return analyseLiveness(function).mostLive32 + reservedRegisters; }

int registerLimit(const ptx::Function &function) {
    if (function.maxRegisters > 0) return std::min(255, function.maxRegisters);
    if (function.minBlocksPerSm > 0) {
        const int threads = function.maxThreads > 0 ? (function.maxThreads + 31) / 32 * 32 : 1024;
        return std::clamp(65536 / (threads * function.minBlocksPerSm) / 8 * 8, 16, 255);
    }
    if (function.maxThreads > 0) return std::clamp(65536 / ((function.maxThreads + 31) / 32 * 32) / 8 * 8, 16, 255);
    return 255;
}

} // namespace kernelskill::simulator::lowering
