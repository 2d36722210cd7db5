// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/facts.h"

#include "engine/analysis/operands.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;

namespace {

enum class Group : std::uint8_t { Pure, Warp, Load, Store, Other };

Group groupOf(std::string_view opcode) {
    static const std::unordered_map<std::string_view, Group> groups = [] {
        std::unordered_map<std::string_view, Group> m;
        for (const auto *name : {"add", "sub", "mul", "mad", "mul24", "mad24", "div", "rem", "abs", "neg", "min", "max", "fma", "rcp", "sqrt",
                                 "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "copysign", "sad", "cnot", "brev", "bmsk", "szext", "addc", "subc",
                                 "madc", "bfe", "bfi", "popc", "clz", "bfind", "dp4a", "dp2a", "and", "or", "xor", "not", "prmt", "lop3", "shf",
                                 "shl", "shr", "cvt", "setp", "testp", "set", "selp", "slct", "mov", "cvta", "isspacep", "fns"})
            m[name] = Group::Pure;
        for (const auto *name : {"shfl", "vote", "match", "redux", "mma", "movmatrix", "ldmatrix", "wmma"}) m[name] = Group::Warp;
        m["ld"] = m["ldu"] = Group::Load;
        m["st"] = Group::Store;
        return m;
    }();
    const auto found = groups.find(opcode);
    return found == groups.end() ? Group::Other : found->second;
}

bool isExactUse(std::string_view opcode) {
    static constexpr std::string_view known[] = {"atom", "red", "wmma", "ldmatrix", "stmatrix", "bar", "barrier", "activemask", "elect", "call", "ret", "exit", "bra", "brx", "mbarrier"};
    return std::ranges::find(known, opcode) != std::end(known);
}

Space spaceOf(const Instruction &instruction) {
    for (const auto &m : instruction.modifiers) {
        if (m == "global") return Space::Global;
        if (m == "const") return Space::Constant;
        if (m.starts_with("shared")) return Space::Shared;
        if (m == "local") return Space::Local;
        if (m.starts_with("param")) return Space::Parameter;
    }
    return Space::Generic;
}

bool isStrong(const Instruction &instruction) {
    for (const auto *m : {"volatile", "acquire", "release", "relaxed", "mmio", "async", "bulk"})
        if (instruction.has(m)) return true;
    return false;
}

// A clock is read where it stands.
bool readsVolatile(const Instruction &instruction) {
    return std::ranges::any_of(instruction.operands, [](const Operand &o) {
        return o.kind == Operand::Kind::Special && (o.symbol.starts_with("%clock") || o.symbol.starts_with("%globaltimer") || o.symbol.starts_with("%pm"));
    });
}

bool isKernelParameter(const ptx::Function &function, const Instruction &instruction) {
    if (!function.isKernel || instruction.operands.size() < 2) return false;
    const Operand &address = instruction.operands[1];
    return address.kind == Operand::Kind::Address && address.elements.front().kind == Operand::Kind::Variable
           && std::ranges::find(function.parameters, address.elements.front().index) != function.parameters.end();
}

std::uint32_t accessBytes(const Instruction &instruction) {
    const std::uint32_t count = instruction.has("v8") ? 8 : instruction.has("v4") ? 4 : instruction.has("v2") ? 2 : 1;
    return count * static_cast<std::uint32_t>(ptx::typeBytes(lastType(instruction)));
}

} // namespace

ptx::Type lastType(const Instruction &instruction) {
    for (auto m = instruction.modifiers.rbegin(); m != instruction.modifiers.rend(); ++m)
        if (const auto type = ptx::typeFromName(*m)) return *type;
    return ptx::Type::None;
}

int registerWidth(const ptx::Function &function, std::uint32_t index) {
    const auto type = function.registers[index].type;
    return type == ptx::Type::Pred ? 0 : ptx::typeBytes(type) == 8 ? 2 : 1;
}

bool expandsToBranch(const Instruction &i) {
    const bool exact = !i.has("approx") && !i.has("full");
    if (i.opcode == "div" || i.opcode == "rem") return !ptx::isFloat(lastType(i)) || exact;
    return (i.opcode == "sqrt" || i.opcode == "rcp") && exact;
}

bool isReg(const Operand &operand) { return operand.kind == Operand::Kind::Register; }

const Operand *addressOf(const Instruction &instruction) {
    const std::size_t at = instruction.opcode == "st" ? 0 : 1;
    if (instruction.operands.size() <= at) return nullptr;
    const Operand &address = instruction.operands[at];
    if (address.kind != Operand::Kind::Address || address.elements.size() != 1) return nullptr;
    const Operand &base = address.elements.front();
    return isReg(base) || base.kind == Operand::Kind::Variable || base.kind == Operand::Kind::Symbol ? &base : nullptr;
}

bool isSameBase(const Operand &left, const Operand &right) {
    return left.kind == right.kind && left.index == right.index && (left.kind != Operand::Kind::Symbol || left.symbol == right.symbol);
}

Facts factsOf(const ptx::Function &function, const Instruction &instruction) {
    Facts facts;
    RegisterUse use = registerUse(instruction);
    facts.reads = std::move(use.reads);
    facts.writes = std::move(use.writes);
    switch (groupOf(instruction.opcode)) {
    case Group::Pure:
        facts.effect = readsVolatile(instruction) ? Effect::Ordered : Effect::Pure;
        facts.carry = instruction.has("cc") || instruction.opcode == "addc" || instruction.opcode == "subc" || instruction.opcode == "madc";
        break;
    case Group::Warp:
        facts.effect = (instruction.has("sync") || instruction.opcode == "movmatrix") && !instruction.has("store") ? Effect::WarpWide : Effect::Ordered;
        if (instruction.opcode == "ldmatrix" || (instruction.opcode == "wmma" && instruction.has("load"))) {
            facts.space = spaceOf(instruction);
            facts.bytes = std::numeric_limits<std::uint16_t>::max(); // rows some way apart
        }
        break;
    case Group::Load: case Group::Store: {
        facts.space = spaceOf(instruction);
        facts.bytes = accessBytes(instruction);
        const bool load = instruction.opcode != "st";
        facts.readOnly = load && (facts.space == Space::Constant || (facts.space == Space::Global && instruction.has("nc")) || isKernelParameter(function, instruction));
        const bool ordered = isStrong(instruction) || (facts.space == Space::Parameter && !facts.readOnly);
        facts.effect = ordered ? Effect::Ordered : load ? Effect::Load : Effect::Store;
        break;
    }
    case Group::Other:
        // the first operand of what nobody here knows may well be read too, as the accumulators of wgmma are
        if (!isExactUse(instruction.opcode)) facts.reads.insert(facts.reads.end(), facts.writes.begin(), facts.writes.end());
        break;
    }
    return facts;
}

std::vector<Facts> factsOf(const ptx::Function &function, const std::vector<Instruction> &instructions) {
    std::vector<Facts> facts;
    facts.reserve(instructions.size());
    for (const auto &instruction : instructions) facts.push_back(factsOf(function, instruction));
    return facts;
}

} // namespace kernelskill::simulator::lowering
