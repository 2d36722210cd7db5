// SPDX-License-Identifier: Apache-2.0
// How many registers a thread needs.
#include "engine/lowering/lower.h"
#include "engine/lowering/passes.h"

#include "engine/lowering/values.h"

#include <algorithm>

namespace kernelskill::simulator::lowering {

namespace {

int mostLive(const Graph &graph, std::uint32_t b, const LiveSets &live, const std::vector<std::uint8_t> &width) {
    std::vector<bool> now(graph.function.registers.size(), false);
    int count = 0, most = 0;
    const auto put = [&](std::uint32_t r, bool alive) {
        if (now[r] == alive) return;
        now[r] = alive;
        count += alive ? width[r] : -width[r];
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

} // namespace

namespace {

// Of a 16-bit factor of 16 × 16 elements PTX names eight registers, as Volta had them, where each element is held twice; the
// machines since hold it once, in four.
void halveFragments(const ptx::Function &function, std::vector<std::uint8_t> &width) {
    for (const auto &i : function.instructions) {
        if (i.opcode != "wmma" || !i.has("load") || (!i.has("a") && !i.has("b")) || lastType(i) != ptx::Type::F16 || i.operands.empty()) continue;
        const auto &elements = i.operands[0].elements;
        for (std::size_t e = 1; e < elements.size() && elements.size() == 8; e += 2)
            if (isReg(elements[e])) width[elements[e].index] = 0;
    }
}

// A value made before a loop by one step from another value that the loop needs as well is made again where it is used
// rather than kept.
bool isMadeAgain(const ptx::Function &function, const Values &values, std::uint32_t r) {
    static constexpr std::string_view steps[] = {"add", "sub", "or", "and", "xor", "shl"};
    const std::uint32_t at = values.definition[r];
    if (at == unknownInstruction || values.users[r].empty()) return false;
    const ptx::Instruction &made = function.instructions[at];
    if (made.predicate >= 0 || made.operands.size() != 3 || !isReg(made.operands[1]) || made.operands[2].kind != ptx::Operand::Kind::Integer) return false;
    if (std::ranges::find(steps, std::string_view(made.opcode)) == std::end(steps) || ptx::isFloat(lastType(made))) return false;
    const std::uint32_t source = made.operands[1].index;
    if (values.definition[source] == unknownInstruction) return false;
    return std::ranges::all_of(values.users[r], [&](std::uint32_t user) {
        const Values::Range loop = values.loop[user];
        return loop.end != 0 && !loop.contains(at) && std::ranges::any_of(values.users[source], [&](std::uint32_t other) { return loop.contains(other); });
    });
}

} // namespace

// Registers of a thread each value takes in the machine.
std::vector<std::uint8_t> widthsOf(const ptx::Function &function, const std::vector<MachineCost> &costs) {
    const Values values = valuesOf(function);
    std::vector<std::uint8_t> width(function.registers.size(), 0);
    for (std::uint32_t r = 0; r < width.size(); ++r) {
        const auto type = function.registers[r].type;
        width[r] = static_cast<std::uint8_t>(values.narrow[r] ? 1 : registerWidth(function, r));
        const std::uint32_t at = values.definition[r];
        if (values.uniform[r] && !ptx::isFloat(type)) {
            // parameters are read from the constant bank; of the rest some is computed in uniform registers
            const bool parameter = at != unknownInstruction && values.facts[at].effect == Effect::Load;
            width[r] = static_cast<std::uint8_t>(parameter ? 0 : (width[r] + 1) / 2);
        }
        if (width[r] > 0 && isMadeAgain(function, values, r)) width[r] = 0;
        if (at == unknownInstruction || width[r] < 2) continue;
        // the upper half of a zero-extended value is no register; a product folded into the sum that uses it is its factor
        const ptx::Instruction &made = function.instructions[at];
        if ((made.opcode == "cvt" && made.has("u64") && made.has("u32")) || (made.opcode == "mul" && !costs.empty() && costs[at].total() == 0)) width[r] = 1;
    }
    halveFragments(function, width);
    return width;
}

int registersOf(const ptx::Function &function, const std::vector<MachineCost> &costs) {
    const std::vector<std::uint8_t> width = widthsOf(function, costs);
    const Graph graph = graphOf(function);
    const LiveSets live(graph);
    int most = 0;
    for (const auto b : graph.order) most = std::max(most, mostLive(graph, b, live, width));
    return most + reservedRegisters;
}

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
