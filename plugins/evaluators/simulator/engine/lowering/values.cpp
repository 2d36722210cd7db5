// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/values.h"

#include <algorithm>
#include <string_view>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;

namespace {

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) { return std::ranges::find(names, name) != names.end(); }

// The low half of its result depends on the low halves of its operands alone.
bool keepsLowHalf(const Instruction &i) {
    if (i.opcode == "mul" || i.opcode == "mad") return i.has("lo") || i.has("wide");
    if (i.opcode == "cvt") return !ptx::isFloat(lastType(i)) && i.modifiers.size() == 2;
    if (i.opcode == "shl") return i.operands.size() == 3 && i.operands[2].kind == Operand::Kind::Integer;
    if (i.opcode == "cvta") return i.has("shared");
    return isOneOf(i.opcode, {"add", "sub", "mov", "and", "or", "xor", "not", "neg", "selp"});
}

bool usesAddressOnly(const Instruction &i, std::uint32_t r) { // as the base of a shared access
    for (const auto &operand : i.operands) {
        if (operand.kind == Operand::Kind::Address) continue;
        if (isReg(operand) && operand.index == r) return false;
        for (const auto &element : operand.elements)
            if (isReg(element) && element.index == r) return false;
    }
    return true;
}

void findNarrow(const ptx::Function &function, Values &values) {
    const auto wide = [&](std::uint32_t r) { return ptx::typeBytes(function.registers[r].type) == 8; };
    values.narrow.assign(function.registers.size(), false);
    for (std::uint32_t r = 0; r < function.registers.size(); ++r) values.narrow[r] = wide(r) && !values.users[r].empty();
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t r = 0; r < function.registers.size(); ++r) {
            if (!values.narrow[r]) continue;
            const bool stays = std::ranges::all_of(values.users[r], [&](std::uint32_t at) {
                const Instruction &user = function.instructions[at];
                const Facts &facts = values.facts[at];
                const bool shared = user.has("shared") || user.has("shared::cta");
                if (shared && isOneOf(user.opcode, {"ld", "st", "atom", "red", "ldmatrix", "cp", "wmma"})) return usesAddressOnly(user, r);
                if (facts.effect != Effect::Pure || facts.carry || facts.writes.size() != 1 || !keepsLowHalf(user)) return false;
                return !wide(facts.writes[0]) || values.narrow[facts.writes[0]];
            });
            if (stays) continue;
            values.narrow[r] = false;
            changed = true;
        }
    }
}

bool variesBySpecial(const Instruction &i) {
    return std::ranges::any_of(i.operands, [](const Operand &o) {
        return o.kind == Operand::Kind::Special && (o.symbol.starts_with("%tid") || o.symbol.starts_with("%lane") || o.symbol.starts_with("%clock"));
    });
}

// Instructions that only some of a warp's lanes may execute: between a branch the lanes take differently and its target,
// and on to where the way round meets again. Blocks are laid out so that this is the region in between.
std::vector<bool> dividedRegion(const ptx::Function &function, const Values &values) {
    const auto &code = function.instructions;
    std::vector<bool> divided(code.size(), false);
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (code[i].opcode != "bra" || code[i].predicate < 0 || values.uniform[static_cast<std::size_t>(code[i].predicate)]) continue;
        std::size_t end = code[i].operands[0].index;
        if (end <= i) continue;
        if (end > 0 && code[end - 1].opcode == "bra" && code[end - 1].predicate < 0 && code[end - 1].operands[0].index > end) end = code[end - 1].operands[0].index;
        for (std::size_t j = i + 1; j < std::min(end, code.size()); ++j) divided[j] = true;
    }
    return divided;
}

bool isUniformResult(const Instruction &i, const Facts &facts, const Values &values) {
    const bool constant = facts.effect == Effect::Load && (facts.space == ptx::Space::Parameter || facts.space == ptx::Space::Constant);
    const bool vote = i.opcode == "vote" || i.opcode == "redux";
    if ((facts.effect != Effect::Pure && !constant && !vote) || variesBySpecial(i)) return false;
    if (vote) return true;
    return std::ranges::all_of(facts.reads, [&](std::uint32_t r) { return values.uniform[r]; });
}

void findUniform(const ptx::Function &function, Values &values) {
    values.uniform.assign(function.registers.size(), true);
    for (bool changed = true; changed;) {
        changed = false;
        const std::vector<bool> divided = dividedRegion(function, values);
        for (std::size_t i = 0; i < function.instructions.size(); ++i) {
            const bool uniform = isUniformResult(function.instructions[i], values.facts[i], values);
            for (const auto r : values.facts[i].writes) {
                if (!values.uniform[r]) continue;
                if (uniform && (values.definition[r] != unknownInstruction || !divided[i])) continue;
                values.uniform[r] = false;
                changed = true;
            }
        }
    }
}

// Blocks of a loop lie in one piece that ends with the last branch back to its beginning.
void findLoops(const ptx::Function &function, Values &values) {
    values.loop.assign(function.instructions.size(), {});
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
        const Instruction &branch = function.instructions[i];
        if (branch.opcode != "bra" || branch.operands[0].index > i) continue;
        for (std::uint32_t j = branch.operands[0].index; j <= i; ++j)
            if (values.loop[j].end == 0 || values.loop[j].begin == branch.operands[0].index) values.loop[j] = {branch.operands[0].index, i + 1};
    }
}

} // namespace

bool Values::isFixedInLoop(const ptx::Operand &operand, std::uint32_t at) const {
    if (loop[at].end == 0) return false;
    if (!isReg(operand)) return true;
    return definition[operand.index] != unknownInstruction && !loop[at].contains(definition[operand.index]);
}

std::uint32_t Values::definitionOf(const Operand &operand) const { return isReg(operand) ? definition[operand.index] : unknownInstruction; }

std::uint32_t Values::onlyFor(const Operand &operand) const {
    if (!isReg(operand) || users[operand.index].size() != 1) return unknownInstruction;
    return definition[operand.index];
}

Values valuesOf(const ptx::Function &function) {
    Values values;
    values.facts = factsOf(function, function.instructions);
    values.definition.assign(function.registers.size(), unknownInstruction);
    values.users.assign(function.registers.size(), {});
    std::vector<std::uint32_t> writes(function.registers.size(), 0);
    for (std::uint32_t i = 0; i < values.facts.size(); ++i) {
        for (const auto r : values.facts[i].writes) values.definition[r] = ++writes[r] == 1 ? i : unknownInstruction;
        for (const auto r : values.facts[i].reads)
            if (values.users[r].empty() || values.users[r].back() != i) values.users[r].push_back(i);
    }
    findLoops(function, values);
    findNarrow(function, values);
    findUniform(function, values);
    return values;
}

} // namespace kernelskill::simulator::lowering
