// SPDX-License-Identifier: Apache-2.0
// Sources: machine code that ptxas of CUDA 13.0 makes for sm_90 of one instruction each, its fast path where it branches
// (the slow paths of division are for denormal and infinite operands), and of the ladder kernels of tests/bench.
#include "engine/lowering/machine_cost.h"

#include "engine/lowering/values.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kernelskill::simulator::lowering {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;
using Class = InstructionClass;

unsigned MachineCost::total() const {
    unsigned sum = 0;
    for (const auto count : issued) sum += count;
    return own ? 1 : sum;
}

namespace {

using Parts = std::initializer_list<std::pair<Class, int>>;

MachineCost cost(Parts parts, int flops = 0, int latency = 0, int doubleFlops = 0) {
    MachineCost c;
    c.own = false;
    for (const auto &[kind, count] : parts) c.issued[static_cast<std::size_t>(kind)] = static_cast<std::uint8_t>(count);
    c.fp32Flops = static_cast<std::uint8_t>(flops);
    c.fp64Flops = static_cast<std::uint8_t>(doubleFlops);
    c.latency = static_cast<std::uint16_t>(latency);
    return c;
}

MachineCost nothing() { return cost({}); }

class Costs {
public:
    explicit Costs(const ptx::Function &function) : m_function(function), m_code(function.instructions), m_values(valuesOf(function)), m_costs(m_code.size()), m_taken(m_code.size(), false) {}
    std::vector<MachineCost> run();

private:
    using Rule = MachineCost (Costs::*)(std::uint32_t);
    static const std::unordered_map<std::string_view, Rule> &rules();

    MachineCost addition(std::uint32_t at);
    MachineCost multiplication(std::uint32_t at);
    MachineCost division(std::uint32_t at);
    MachineCost root(std::uint32_t at);
    MachineCost special(std::uint32_t at);
    MachineCost logic(std::uint32_t at);
    MachineCost shift(std::uint32_t at);
    MachineCost sign(std::uint32_t at);
    MachineCost extreme(std::uint32_t at);
    MachineCost field(std::uint32_t at);
    MachineCost count(std::uint32_t at);
    MachineCost comparison(std::uint32_t at);
    MachineCost selection(std::uint32_t at);
    MachineCost conversion(std::uint32_t at);
    MachineCost fromInteger(const Instruction &i, Type to, Type from);
    MachineCost betweenIntegers(std::uint32_t at, Type to, Type from);
    MachineCost move(std::uint32_t at);
    MachineCost address(std::uint32_t) { return nothing(); }
    MachineCost branch(std::uint32_t at);
    MachineCost fence(std::uint32_t at);
    MachineCost barrier(std::uint32_t at);
    MachineCost atomic(std::uint32_t at);
    MachineCost fragment(std::uint32_t at);

    // Type of a value as the machine holds it: a 64-bit one of which only the low half is used has 32 bits.
    [[nodiscard]] int bytesOf(std::uint32_t at) const;
    // The instruction that made an operand for this user alone and is called one of the names; it is absorbed.
    [[nodiscard]] std::uint32_t absorb(std::uint32_t user, std::initializer_list<std::string_view> names, const std::function<bool(const Instruction &)> &fits = {});

    bool takesBitsOfTwo(std::uint32_t at);
    // The wide product that a 64-bit addition adds, when all it is for is such additions: each multiplies for itself.
    [[nodiscard]] std::uint32_t sharedProduct(const Instruction &addition) const;

    const ptx::Function &m_function;
    const std::vector<Instruction> &m_code;
    Values m_values;
    std::vector<MachineCost> m_costs;
    std::vector<bool> m_taken; // already part of another machine instruction, or takes one in
};

bool constantAmount(const Instruction &i) { return i.operands.size() == 3 && i.operands[2].kind == Operand::Kind::Integer; }

int Costs::bytesOf(std::uint32_t at) const {
    const int bytes = ptx::typeBytes(lastType(m_code[at]));
    const auto &writes = m_values.facts[at].writes;
    return bytes == 8 && writes.size() == 1 && m_values.narrow[writes[0]] ? 4 : bytes;
}

std::uint32_t Costs::absorb(std::uint32_t user, std::initializer_list<std::string_view> names, const std::function<bool(const Instruction &)> &fits) {
    const Instruction &i = m_code[user];
    for (std::size_t o = 1; o < i.operands.size(); ++o) {
        const std::uint32_t source = m_values.onlyFor(i.operands[o]);
        if (source == unknownInstruction || m_taken[source] || source >= user) continue;
        const Instruction &made = m_code[source];
        if (std::ranges::find(names, std::string_view(made.opcode)) == names.end() || (fits && !fits(made))) continue;
        if (made.predicate != i.predicate || made.predicateNegated != i.predicateNegated) continue;
        m_taken[source] = true;
        return source;
    }
    return unknownInstruction;
}

std::uint32_t Costs::sharedProduct(const Instruction &addition) const {
    for (std::size_t o = 1; o < addition.operands.size(); ++o) {
        const std::uint32_t source = m_values.definitionOf(addition.operands[o]);
        if (source == unknownInstruction || m_taken[source]) continue;
        const Instruction &made = m_code[source];
        if (made.opcode != "mul" || !made.has("wide") || made.predicate != addition.predicate || m_values.facts[source].writes.size() != 1) continue;
        const bool onlyAdded = std::ranges::all_of(m_values.users[m_values.facts[source].writes[0]], [&](std::uint32_t user) {
            const Instruction &u = m_code[user];
            return u.opcode == "add" && ptx::typeBytes(lastType(u)) == 8 && !u.has("cc") && u.predicate == addition.predicate;
        });
        if (onlyAdded) return source;
    }
    return unknownInstruction;
}

MachineCost Costs::addition(std::uint32_t at) { // add, sub, addc, subc
    const Instruction &i = m_code[at];
    const Type type = lastType(i);
    constexpr int carried = 8; // the upper half waits for the carry of the lower
    if (ptx::isFloat(type)) return {};
    if (m_values.facts[at].carry) return cost({{Class::Integer, ptx::typeBytes(type) == 8 ? 2 : 1}});
    const bool plus = i.opcode == "add";
    const auto hasType = [](int bytes) { return [bytes](const Instruction &m) { return ptx::typeBytes(lastType(m)) == bytes; }; };
    const auto shifted = [](const Instruction &m) { return constantAmount(m) && m.operands[2].bits < 32; };
    if (bytesOf(at) <= 4) {
        if (plus) {
            if (const auto s = absorb(at, {"mul"}, [](const Instruction &m) { return !m.has("hi") && !ptx::isFloat(lastType(m)); }); s != unknownInstruction) {
                m_costs[s] = nothing();
                return cost({{Class::IntegerMultiply, 1}});
            }
            if (const auto s = absorb(at, {"shl"}, shifted); s != unknownInstruction) { m_costs[s] = nothing(); return cost({{Class::Integer, 1}}); }
        }
        if (const auto s = absorb(at, {"add", "sub"}, [](const Instruction &m) { return !ptx::isFloat(lastType(m)) && !m.has("cc"); }); s != unknownInstruction) {
            m_costs[s] = nothing(); // IADD3
            m_taken[at] = true;
        }
        return cost({{Class::Integer, 1}});
    }
    if (plus) {
        if (const auto s = absorb(at, {"mul"}, [](const Instruction &m) { return m.has("wide"); }); s != unknownInstruction) {
            m_costs[s] = nothing();
            return cost({{Class::IntegerMultiply, 1}}); // IMAD.WIDE
        }
        if (const auto s = sharedProduct(i); s != unknownInstruction) {
            m_costs[s] = nothing();
            return cost({{Class::IntegerMultiply, 1}}); // an IMAD.WIDE for each pointer that the index goes to
        }
        if (const auto s = absorb(at, {"shl"}, shifted); s != unknownInstruction) { m_costs[s] = nothing(); return cost({{Class::Integer, 2}}, 0, carried); } // LEA, LEA.HI.X
        if (const auto s = absorb(at, {"mul"}, hasType(8)); s != unknownInstruction) return nothing(); // IMAD.WIDE adds
    }
    return cost({{Class::Integer, 2}}, 0, carried);
}

MachineCost Costs::multiplication(std::uint32_t at) { // mul, mad
    const Instruction &i = m_code[at];
    const Type type = lastType(i);
    if (ptx::isFloat(type)) return {};
    if (i.opcode.ends_with("24")) return cost({{Class::IntegerMultiply, 1}, {Class::Integer, 1}});
    if (ptx::typeBytes(type) < 8 || bytesOf(at) < 8) return cost({{Class::IntegerMultiply, 1}});
    if (i.has("hi")) return cost({{Class::IntegerMultiply, 4}, {Class::Integer, 3}}, 0, 30);
    // 64-bit products: one wide multiplication and one for each upper half that is not known to be zero
    int upper = 0;
    for (std::size_t o = 1; o <= 2; ++o) {
        const std::uint32_t source = m_values.definitionOf(i.operands[o]);
        const bool small = i.operands[o].kind == Operand::Kind::Integer ? i.operands[o].bits >> 32 == 0
                         : source != unknownInstruction && m_code[source].opcode == "cvt" && m_code[source].has("u64") && m_code[source].has("u32");
        upper += small ? 0 : 1;
    }
    if (upper == 2) return cost({{Class::IntegerMultiply, 3}, {Class::Integer, 1}}, 0, 15);
    return cost({{Class::IntegerMultiply, 1 + upper}}, 0, 5 * (1 + upper));
}

MachineCost Costs::division(std::uint32_t at) { // div, rem
    const Instruction &i = m_code[at];
    const Type type = lastType(i);
    if (type == Type::F64 && i.operands[1].kind == Operand::Kind::Float64 && i.operands[1].bits == 0x3ff0000000000000u) return root(at); // a reciprocal
    if (type == Type::F64) return cost({{Class::Fp64, 8}, {Class::Special, 1}, {Class::Move, 3}, {Class::Compare, 2}, {Class::Fp32, 1}, {Class::Branch, 2}}, 2, 110, 15);
    if (type == Type::F32) {
        if (i.has("approx")) return i.has("ftz") ? cost({{Class::Special, 1}, {Class::Fp32, 1}}, 1, 24) : cost({{Class::Special, 1}, {Class::Fp32, 3}, {Class::Compare, 1}}, 1, 36);
        if (i.has("full")) return i.has("ftz") ? cost({{Class::Special, 1}, {Class::Fp32, 3}, {Class::Compare, 1}}, 1, 36) : cost({{Class::Special, 1}, {Class::Fp32, 5}, {Class::Compare, 2}}, 1, 40);
        return cost({{Class::Special, 1}, {Class::Fp32, 5}, {Class::Compare, 1}, {Class::Branch, 3}}, 10, 50);
    }
    const bool remainder = i.opcode == "rem", isSigned = ptx::isSigned(type);
    if (ptx::typeBytes(type) == 8)
        return cost({{Class::IntegerMultiply, 22}, {Class::Integer, isSigned ? 32 : 22}, {Class::Compare, isSigned ? 18 : 14}, {Class::Convert, 2}, {Class::Special, 1}, {Class::Move, 8}, {Class::Branch, 2}}, 0, 260);
    if (i.operands.size() == 3 && i.operands[2].kind == Operand::Kind::Integer)
        return cost({{Class::IntegerMultiply, remainder ? 2 : 1}, {Class::Integer, isSigned ? 2 : 1}}, 0, 15);
    // the reciprocal of a divisor that the loop does not change is found before the loop
    if (m_values.isFixedInLoop(i.operands[2], at)) return cost({{Class::IntegerMultiply, 2}, {Class::Integer, isSigned ? 6 : 3}, {Class::Compare, isSigned ? 5 : 4}}, 0, 35);
    return cost({{Class::IntegerMultiply, 3}, {Class::Integer, isSigned ? 8 : 6}, {Class::Compare, isSigned ? 5 : 4}, {Class::Convert, 2}, {Class::Special, 1}}, 0, 90);
}

MachineCost Costs::root(std::uint32_t at) { // sqrt, rcp, rsqrt
    const Instruction &i = m_code[at];
    if (lastType(i) == Type::F64) return cost({{Class::Fp64, 8}, {Class::Special, 1}, {Class::Move, 4}, {Class::Compare, 1}, {Class::Integer, 1}, {Class::Branch, 3}}, 0, 100, 13);
    if (i.has("approx")) {
        if (i.has("ftz")) return {};
        if (i.opcode == "rcp") return cost({{Class::Special, 1}, {Class::Fp32, 2}, {Class::Compare, 4}}, 2, 34);
        return cost({{Class::Special, 1}, {Class::Fp32, 2}, {Class::Compare, 1}}, 0, 38); // the scaling is guarded and seldom on: 13 + 4 + 17 + 4
    }
    if (i.opcode == "rcp") return cost({{Class::Special, 1}, {Class::Fp32, 3}, {Class::Integer, 2}, {Class::Compare, 1}, {Class::Branch, 3}}, 5, 45);
    return cost({{Class::Special, 1}, {Class::Fp32, 4}, {Class::Integer, 1}, {Class::Compare, 1}, {Class::Branch, 3}}, 6, 45);
}

MachineCost Costs::special(std::uint32_t at) { // ex2, lg2, sin, cos
    const Instruction &i = m_code[at];
    if (lastType(i) != Type::F32) return {};
    if (i.opcode == "sin" || i.opcode == "cos") return cost({{Class::Special, 1}, {Class::Fp32, 1}}, 1, 22);
    if (i.has("ftz")) return {};
    return cost({{Class::Special, 1}, {Class::Fp32, 2}, {Class::Compare, 1}}, i.opcode == "lg2" ? 1 : 0, 30);
}

// (a & mask) | (b & ~mask) is one LOP3.
bool Costs::takesBitsOfTwo(std::uint32_t at) {
    const Instruction &i = m_code[at];
    const std::uint32_t one = m_values.onlyFor(i.operands[1]), other = m_values.onlyFor(i.operands[2]);
    const auto masks = [&](std::uint32_t source) {
        return source != unknownInstruction && !m_taken[source] && m_code[source].opcode == "and" && constantAmount(m_code[source]) && m_code[source].predicate == i.predicate;
    };
    if (!masks(one) || !masks(other)) return false;
    const std::uint64_t all = ptx::typeBytes(lastType(i)) == 8 ? ~std::uint64_t{0} : 0xffff'ffffu;
    if ((m_code[one].operands[2].bits & all) != (~m_code[other].operands[2].bits & all)) return false;
    m_taken[one] = m_taken[other] = m_taken[at] = true;
    m_costs[one] = m_costs[other] = nothing();
    return true;
}

MachineCost Costs::logic(std::uint32_t at) { // and, or, xor, not
    const Instruction &i = m_code[at];
    if (lastType(i) == Type::Pred) {
        if (i.opcode == "not") return nothing();
        // the comparison that made an operand combines it
        const auto s = absorb(at, {"setp"});
        return s != unknownInstruction ? nothing() : cost({{Class::Compare, 1}});
    }
    const int halves = bytesOf(at) == 8 ? 2 : 1;
    if (i.opcode == "or" && takesBitsOfTwo(at)) return cost({{Class::Integer, halves}});
    const auto s = absorb(at, {"and", "or", "xor", "not"}, [&](const Instruction &m) { return lastType(m) == lastType(i); });
    if (s != unknownInstruction) { // LOP3
        m_costs[s] = nothing();
        m_taken[at] = true;
    }
    return cost({{Class::Integer, halves}});
}

MachineCost Costs::shift(std::uint32_t at) { // shl, shr
    if (bytesOf(at) < 8) return cost({{Class::Integer, 1}});
    return cost({{Class::Integer, constantAmount(m_code[at]) ? 2 : 3}});
}

MachineCost Costs::sign(std::uint32_t at) { // neg, abs
    const Instruction &i = m_code[at];
    const Type type = lastType(i);
    if (!ptx::isFloat(type)) return cost({{Class::Integer, bytesOf(at) == 8 ? (i.opcode == "abs" ? 4 : 2) : 1}});
    // operand modifiers of the arithmetic that uses the result
    const auto &writes = m_values.facts[at].writes;
    const bool folded = !writes.empty() && std::ranges::all_of(m_values.users[writes[0]], [&](std::uint32_t user) {
        static constexpr std::string_view takers[] = {"add", "sub", "mul", "fma", "min", "max", "setp", "ex2", "rcp", "div", "cvt", "sqrt", "rsqrt", "lg2", "sin", "cos"};
        return std::ranges::find(takers, std::string_view(m_code[user].opcode)) != std::end(takers);
    });
    if (folded) return nothing();
    return type == Type::F64 ? cost({{Class::Integer, 1}}) : cost({{ptx::typeBytes(type) == 4 && type == Type::F32 ? Class::Fp32 : Class::Integer, 1}});
}

MachineCost Costs::extreme(std::uint32_t at) { // min, max
    const Type type = lastType(m_code[at]);
    if (type == Type::F64) return cost({{Class::Fp64, 1}, {Class::Compare, 2}, {Class::Integer, 1}, {Class::Move, 2}});
    if (type == Type::F32) return cost({{Class::Compare, 1}}); // FMNMX, on the integer pipe
    if (ptx::isFloat(type)) return {};
    return ptx::typeBytes(type) == 8 ? cost({{Class::Compare, 4}}) : cost({{Class::Integer, 1}});
}

MachineCost Costs::field(std::uint32_t at) { // bfe, bfi, cnot, sad
    const Instruction &i = m_code[at];
    const bool constant = i.operands.back().kind == Operand::Kind::Integer;
    const int halves = ptx::typeBytes(lastType(i)) == 8 ? 2 : 1;
    if (i.opcode == "bfe") return cost({{Class::Integer, (constant ? 2 : 3) * halves}});
    if (i.opcode == "bfi") return cost({{Class::Integer, (constant ? 2 : 6) * halves}});
    return cost({{Class::Integer, 2}});
}

MachineCost Costs::count(std::uint32_t at) { // popc, clz, bfind, brev: a quarter of the rate, like special functions
    const Instruction &i = m_code[at];
    const bool wide = ptx::typeBytes(lastType(i)) == 8;
    return cost({{Class::Special, wide ? 2 : 1}, {Class::Integer, (wide ? 1 : 0) + (i.opcode == "clz" ? 1 : 0)}});
}

MachineCost Costs::comparison(std::uint32_t at) { // setp, set
    const Instruction &i = m_code[at];
    const Type type = lastType(i);
    if (type == Type::F64) return cost({{Class::Fp64, 1}});
    if (i.opcode == "set") return cost({{Class::Compare, 2}});
    return ptx::typeBytes(type) == 8 ? cost({{Class::Compare, 2}}) : MachineCost{};
}

MachineCost Costs::selection(std::uint32_t at) { // selp, slct
    const int halves = ptx::typeBytes(lastType(m_code[at])) == 8 && bytesOf(at) == 8 ? 2 : 1;
    return cost({{Class::Compare, m_code[at].opcode == "slct" ? 2 : halves}});
}

MachineCost Costs::betweenIntegers(std::uint32_t at, Type to, Type from) {
    const Instruction &i = m_code[at];
    const int toBytes = ptx::typeBytes(to), fromBytes = ptx::typeBytes(from);
    if (i.has("sat")) return cost({{Class::Integer, 2}});
    if (toBytes <= fromBytes && toBytes >= 4) return nothing();
    if (toBytes == 8 && fromBytes == 4) {
        if (!ptx::isSigned(from) || bytesOf(at) < 8 || m_values.narrow[m_values.facts[at].writes.at(0)]) return nothing();
        // LEA.HI.X.SX32 extends the sign itself
        const auto &users = m_values.users[m_values.facts[at].writes[0]];
        if (users.size() == 1 && m_code[users[0]].opcode == "shl" && m_costs[users[0]].total() == 0) return nothing();
        return cost({{Class::Integer, 1}});
    }
    // to or from 8 and 16 bits: loads of narrow types extend already, and what is read next as a narrow type needs nothing
    const std::uint32_t source = m_values.definitionOf(i.operands.at(1));
    if (source != unknownInstruction && m_code[source].opcode == "ld") return nothing();
    return toBytes < 4 ? nothing() : cost({{Class::Integer, 1}});
}

MachineCost Costs::fromInteger(const Instruction &, Type to, Type from) {
    if (ptx::typeBytes(from) == 8 || to == Type::F64) return cost({{Class::Convert, 1}});
    return cost({{Class::Integer, 1}}, 0, 5); // I2FP
}

MachineCost Costs::conversion(std::uint32_t at) {
    const Instruction &i = m_code[at];
    std::vector<Type> types;
    for (const auto &m : i.modifiers)
        if (const auto type = ptx::typeFromName(m)) types.push_back(*type);
    if (types.size() < 2) return {};
    const Type to = types[0], from = types[1];
    if (!ptx::isFloat(to) && !ptx::isFloat(from)) return betweenIntegers(at, to, from);
    if (!ptx::isFloat(from) && ptx::isFloat(to)) return fromInteger(i, to, from);
    const bool half = to == Type::F16 || to == Type::F16x2 || to == Type::Bf16x2 || to == Type::Bf16;
    if (half && from == Type::F32) return cost({{Class::Fp16, 1}}, 0, 5); // F2FP
    if (to == Type::F32 && from == Type::F16) return cost({{Class::Fp16, 1}}, 0, 5);
    if (to == Type::F32 && from == Type::Bf16) return cost({{Class::Integer, 1}}, 0, 5);
    return cost({{Class::Convert, 1}});
}

MachineCost Costs::move(std::uint32_t at) {
    const Instruction &i = m_code[at];
    const Operand &from = i.operands.at(1);
    if (from.kind == Operand::Kind::Special) {
        const bool constantBank = from.symbol.starts_with("%ntid") || from.symbol.starts_with("%nctaid");
        return constantBank ? cost({{Class::LoadConstant, 1}}) : MachineCost{};
    }
    if (lastType(i) == Type::Pred) return nothing();
    if (i.operands[0].kind == Operand::Kind::Vector) return nothing(); // halves are read where they are
    if (from.kind == Operand::Kind::Vector) return ptx::typeBytes(lastType(i)) == 4 ? cost({{Class::Integer, 1}}) : nothing();
    const auto type = [&](const Operand &o) { return isReg(o) ? m_function.registers[o.index].type : Type::None; };
    // a register seen as another type of its size
    if (isReg(from) && m_values.onlyFor(from) != unknownInstruction && ptx::isFloat(type(from)) != ptx::isFloat(type(i.operands[0]))) return nothing();
    const bool two = isReg(from) && ptx::typeBytes(lastType(i)) == 8 && bytesOf(at) == 8;
    return two ? cost({{Class::Move, 2}}) : MachineCost{};
}

MachineCost Costs::branch(std::uint32_t at) {
    const Instruction &i = m_code[at];
    if (i.predicate < 0 || i.operands.empty() || i.operands[0].kind != Operand::Kind::Label) return {};
    const std::uint32_t target = i.operands[0].index;
    if (target <= at || m_values.uniform[static_cast<std::size_t>(i.predicate)]) return {};
    // Lanes that part are brought together again: BSSY before, BSYNC where they meet. Ways out of a loop have theirs before
    // the loop, and branches to one place share one.
    const bool leavesLoop = m_values.loop[at].end != 0 && !m_values.loop[at].contains(target);
    const bool first = std::none_of(m_code.begin(), m_code.begin() + at, [&](const Instruction &other) { return other.opcode == "bra" && other.operands[0].index == target; });
    return first && !leavesLoop ? cost({{Class::Branch, 3}}) : MachineCost{};
}

MachineCost Costs::fence(std::uint32_t at) { return m_code[at].has("cta") ? MachineCost{} : cost({{Class::Fence, 2}, {Class::Other, 2}}); }

MachineCost Costs::barrier(std::uint32_t at) { return m_code[at].has("warp") ? nothing() : MachineCost{}; }

MachineCost Costs::atomic(std::uint32_t at) {
    const Instruction &i = m_code[at];
    const bool constant = i.operands.back().kind == Operand::Kind::Integer && i.operands.back().bits != 0;
    if (!i.has("shared") && constant) return cost({{Class::AtomicGlobal, 1}, {Class::Move, 1}}); // the constant needs a register
    if (!i.has("shared") || !ptx::isFloat(lastType(i)) || !i.has("add")) return {};
    return cost({{Class::AtomicShared, 1}, {Class::LoadShared, 1}, {Class::Fp32, 1}, {Class::Branch, 3}, {Class::Compare, 1}}, 1); // a loop of compare and swap
}

// Fragments of 16-bit factors come from shared memory by one matrix load, else by a word a register; accumulators by pairs.
MachineCost Costs::fragment(std::uint32_t at) {
    const Instruction &i = m_code[at];
    if (i.has("mma")) return {};
    const bool shared = i.has("shared"), store = i.has("store"), factor = i.has("a") || i.has("b");
    const Class kind = store ? (shared ? Class::StoreShared : Class::StoreGlobal) : shared ? Class::LoadShared : Class::LoadGlobal;
    return cost({{kind, factor && shared ? 1 : 4}, {Class::Integer, factor && shared ? 2 : 5}});
}

const std::unordered_map<std::string_view, Costs::Rule> &Costs::rules() {
    using C = Costs;
    static const std::unordered_map<std::string_view, Rule> table = [] {
        std::unordered_map<std::string_view, Rule> m;
        for (const auto *name : {"add", "sub", "addc", "subc"}) m[name] = &C::addition;
        for (const auto *name : {"mul", "mad", "mul24", "mad24"}) m[name] = &C::multiplication;
        for (const auto *name : {"div", "rem"}) m[name] = &C::division;
        for (const auto *name : {"sqrt", "rcp", "rsqrt"}) m[name] = &C::root;
        for (const auto *name : {"ex2", "lg2", "sin", "cos"}) m[name] = &C::special;
        for (const auto *name : {"and", "or", "xor", "not"}) m[name] = &C::logic;
        for (const auto *name : {"shl", "shr"}) m[name] = &C::shift;
        for (const auto *name : {"neg", "abs"}) m[name] = &C::sign;
        for (const auto *name : {"min", "max"}) m[name] = &C::extreme;
        for (const auto *name : {"bfe", "bfi", "cnot"}) m[name] = &C::field;
        for (const auto *name : {"popc", "clz", "bfind", "brev"}) m[name] = &C::count;
        for (const auto *name : {"setp", "set"}) m[name] = &C::comparison;
        for (const auto *name : {"selp", "slct"}) m[name] = &C::selection;
        for (const auto *name : {"membar", "fence"}) m[name] = &C::fence;
        for (const auto *name : {"bar", "barrier"}) m[name] = &C::barrier;
        for (const auto *name : {"atom", "red"}) m[name] = &C::atomic;
        m["cvt"] = &C::conversion; m["mov"] = &C::move; m["cvta"] = &C::address; m["bra"] = &C::branch; m["wmma"] = &C::fragment;
        return m;
    }();
    return table;
}

// From the last instruction to the first: users decide what they take in before those they take in are looked at.
std::vector<MachineCost> Costs::run() {
    for (auto at = static_cast<std::uint32_t>(m_code.size()); at-- > 0;) {
        const auto rule = rules().find(m_code[at].opcode);
        if (rule == rules().end()) continue;
        const bool absorbed = m_taken[at] && !m_costs[at].own;
        if (absorbed) continue;
        m_costs[at] = (this->*rule->second)(at);
    }
    // the stack pointer and the descriptor of global memory, on the first parameter
    const auto first = std::ranges::find_if(m_code, [](const Instruction &i) { return i.opcode == "ld" && i.has("param"); });
    if (m_function.isKernel && first != m_code.end()) m_costs[static_cast<std::size_t>(first - m_code.begin())] = cost({{Class::LoadConstant, 3}});
    return std::move(m_costs);
}

} // namespace

std::vector<MachineCost> costsOf(const ptx::Function &function) { return Costs(function).run(); }

} // namespace kernelskill::simulator::lowering
