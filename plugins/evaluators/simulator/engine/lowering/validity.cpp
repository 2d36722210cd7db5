// SPDX-License-Identifier: Apache-2.0
// Text that was cut or made by hand may hold instructions with fewer operands than they need. They are an error when they
// are reached; a function that has one is executed as it is written.
#include "engine/lowering/passes.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;

namespace {

std::size_t fewestOperands(std::string_view opcode) {
    static const std::unordered_map<std::string_view, std::size_t> fewest{
        {"bra", 1}, {"brx", 2}, {"ld", 2}, {"ldu", 2}, {"st", 2}, {"mov", 2}, {"cvt", 2}, {"cvta", 2}, {"neg", 2}, {"abs", 2}, {"not", 2},
        {"cnot", 2}, {"rcp", 2}, {"sqrt", 2}, {"rsqrt", 2}, {"ex2", 2}, {"lg2", 2}, {"sin", 2}, {"cos", 2}, {"tanh", 2}, {"popc", 2},
        {"clz", 2}, {"brev", 2}, {"bfind", 2}, {"isspacep", 2}, {"testp", 2}, {"add", 3}, {"sub", 3}, {"addc", 3}, {"subc", 3}, {"mul", 3},
        {"mul24", 3}, {"div", 3}, {"rem", 3}, {"min", 3}, {"max", 3}, {"and", 3}, {"or", 3}, {"xor", 3}, {"shl", 3}, {"shr", 3}, {"setp", 3},
        {"set", 3}, {"copysign", 3}, {"bmsk", 3}, {"szext", 3}, {"mad", 4}, {"madc", 4}, {"mad24", 4}, {"fma", 4}, {"sad", 4}, {"bfe", 4},
        {"dp4a", 4}, {"dp2a", 4}, {"prmt", 4}, {"shf", 4}, {"selp", 4}, {"slct", 4}, {"fns", 4}, {"bfi", 5}, {"lop3", 5},
        {"atom", 3}, {"red", 2}, {"wmma", 2}};
    const auto found = fewest.find(opcode);
    return found == fewest.end() ? 0 : found->second;
}

bool operandsAreWhole(const Operand &operand) {
    if (operand.kind == Operand::Kind::Address && operand.elements.empty()) return false;
    return std::ranges::all_of(operand.elements, operandsAreWhole);
}

} // namespace

bool isWellFormed(const ptx::Function &function) {
    const std::size_t count = function.instructions.size();
    return std::ranges::all_of(function.instructions, [&](const Instruction &i) {
        if (i.operands.size() < fewestOperands(i.opcode) || !std::ranges::all_of(i.operands, operandsAreWhole)) return false;
        if (i.opcode == "bra") return i.operands[0].kind == Operand::Kind::Label && i.operands[0].index <= count;
        if (i.opcode == "brx")
            return i.operands[1].index < function.branchTables.size()
                   && std::ranges::all_of(function.branchTables[i.operands[1].index], [&](std::uint32_t target) { return target <= count; });
        return true;
    });
}

} // namespace kernelskill::simulator::lowering
