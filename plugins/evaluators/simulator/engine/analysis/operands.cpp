// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/operands.h"

#include <algorithm>
#include <string_view>

namespace kernelskill::simulator {
namespace {

void collect(const ptx::Operand &operand, std::vector<std::uint32_t> &into) {
    if (operand.kind == ptx::Operand::Kind::Register) into.push_back(operand.index);
    for (const auto &element : operand.elements) collect(element, into);
    for (const auto &other : operand.paired) collect(other, into);
}

} // namespace

bool writesFirstOperand(const ptx::Instruction &instruction) {
    if (instruction.operands.empty()) return false;
    static constexpr std::string_view none[] = {
        "st", "red", "bra", "brx", "call", "ret", "exit", "membar", "fence", "prefetch", "prefetchu", "cp", "trap", "brkpt",
        "nanosleep", "discard", "applypriority", "pmevent", "griddepcontrol", "setmaxnreg", "stmatrix", "stackrestore"};
    if (std::ranges::find(none, std::string_view(instruction.opcode)) != std::end(none)) return false;
    if (instruction.opcode == "bar" || instruction.opcode == "barrier") return instruction.has("red");
    if (instruction.opcode == "mbarrier")
        return (instruction.has("arrive") || instruction.has("arrive_drop") || instruction.has("test_wait") || instruction.has("try_wait")
                || instruction.has("pending_count")) && instruction.operands.size() > 1 && instruction.operands[0].kind != ptx::Operand::Kind::Address;
    if (instruction.opcode == "wgmma") return instruction.has("mma_async");
    if (instruction.opcode == "wmma") return !instruction.has("store");
    return !instruction.operands.empty();
}

RegisterUse registerUse(const ptx::Instruction &instruction) {
    RegisterUse use;
    std::size_t first = 0;
    if (writesFirstOperand(instruction) && instruction.operands[0].kind != ptx::Operand::Kind::Address) {
        collect(instruction.operands[0], use.writes);
        first = 1;
    }
    for (std::size_t i = first; i < instruction.operands.size(); ++i) collect(instruction.operands[i], use.reads);
    if (instruction.opcode == "wgmma") use.reads.insert(use.reads.end(), use.writes.begin(), use.writes.end()); // D accumulates
    if (instruction.predicate >= 0) {
        use.reads.push_back(static_cast<std::uint32_t>(instruction.predicate));
        if (!instruction.freshResult) use.reads.insert(use.reads.end(), use.writes.begin(), use.writes.end());
    }
    return use;
}

} // namespace kernelskill::simulator
