// SPDX-License-Identifier: Apache-2.0
// Layout of a program: order of functions, shared memory, frames, rows; then one instruction after the other.
#include "engine/execution/decoder.h"

#include "engine/checks/names.h"

#include <algorithm>
#include <functional>
#include <set>

namespace kernelskill::simulator {
namespace {

std::uint32_t alignUp(std::uint64_t value, std::size_t alignment) {
    const std::uint64_t a = std::max<std::size_t>(alignment, 1);
    return static_cast<std::uint32_t>((value + a - 1) / a * a);
}

constexpr std::size_t mostNestedCalls = 1000; // functions that call each other in a chain
constexpr std::uint64_t mostLocalBytes = 512 * 1024, mostParameterBytes = 1024 * 1024; // of a thread

void namesIn(const ptx::Operand &operand, const std::function<void(const std::string &)> &visit) {
    if (operand.kind == ptx::Operand::Kind::Symbol) visit(operand.symbol);
    for (const auto &e : operand.elements) namesIn(e, visit);
}

// call (results), %pointer, (arguments), prototype
bool callsThroughPointer(const ptx::Instruction &instruction) {
    if (instruction.opcode != "call") return false;
    const std::size_t target = !instruction.operands.empty() && instruction.operands[0].kind == ptx::Operand::Kind::List ? 1 : 0;
    return target < instruction.operands.size() && instruction.operands[target].kind == ptx::Operand::Kind::Register;
}

} // namespace

Decoder::Decoder(const ptx::Module &module, const ExecutionModel &model, const SymbolAddress &addressOf, std::span<const lowering::FunctionFacts> lowered)
    : m_module(module), m_model(model), m_addressOf(addressOf), m_lowered(lowered), m_isa(isaTable()) {
    for (std::size_t i = 0; i < module.functions.size(); ++i) m_functionByName[module.functions[i].name] = i;
}

// Functions whose addresses lie in variables (tables of virtual functions) or are taken by any kernel: what a pointer
// that another kernel wrote may call.
std::vector<std::string> Decoder::addressedFunctions() const {
    std::set<std::string> names;
    for (const auto &variable : m_module.variables)
        for (const auto &relocation : variable.relocations) names.insert(relocation.symbol);
    for (const auto &function : m_module.functions)
        for (const auto &instruction : function.instructions)
            if (instruction.opcode != "call")
                for (const auto &operand : instruction.operands) namesIn(operand, [&](const std::string &name) { names.insert(name); });
    return {names.begin(), names.end()};
}

// Callees before callers: then lanes inside a call have the smaller pcs and run first.
std::vector<std::size_t> Decoder::callOrder(std::size_t kernel) const {
    std::vector<std::size_t> order;
    std::set<std::size_t> seen;
    std::size_t nested = 0;
    std::function<void(std::size_t)> visit;
    const auto visitNamed = [&](const std::string &name) {
        const auto found = m_functionByName.find(name);
        if (found != m_functionByName.end() && !m_module.functions[found->second].isExternal) visit(found->second);
    };
    visit = [&](std::size_t index) {
        if (nested > mostNestedCalls || !seen.insert(index).second) return;
        ++nested;
        bool throughPointer = false;
        for (const auto &instruction : m_module.functions[index].instructions) {
            for (const auto &operand : instruction.operands) namesIn(operand, visitNamed);
            throughPointer |= callsThroughPointer(instruction);
        }
        if (throughPointer)
            for (const auto &name : addressedFunctions()) visitNamed(name);
        order.push_back(index);
        --nested;
    };
    visit(kernel);
    return order;
}

void Decoder::layOutShared(const std::vector<std::size_t> &order) {
    std::set<std::string> used;
    for (const auto index : order)
        for (const auto &instruction : m_module.functions[index].instructions)
            for (const auto &operand : instruction.operands) namesIn(operand, [&](const std::string &name) { used.insert(name); });
    std::uint32_t next = 0;
    const auto place = [&](const ptx::Variable &variable) {
        const std::uint32_t at = alignUp(next, variable.alignment);
        next = at + static_cast<std::uint32_t>(variable.bytes);
        return at;
    };
    for (const auto &variable : m_module.variables)
        if (variable.space == ptx::Space::Shared && !variable.dynamicShared && used.contains(variable.name)) m_sharedOffsets[variable.name] = place(variable);
    for (const auto index : order)
        for (std::uint32_t v = 0; v < m_module.functions[index].variables.size(); ++v) {
            const auto &variable = m_module.functions[index].variables[v];
            if (variable.space == ptx::Space::Shared && !variable.dynamicShared) m_localShared[{index, v}] = place(variable);
        }
    // dynamic shared memory follows; all extern arrays are the same memory
    std::size_t alignment = 16;
    for (const auto &variable : m_module.variables)
        if (variable.dynamicShared) alignment = std::max(alignment, variable.alignment);
    const bool dynamic = std::ranges::any_of(m_module.variables, [&](const auto &v) { return v.dynamicShared && used.contains(v.name); });
    m_program->staticSharedBytes = dynamic ? alignUp(next, alignment) : next;
    for (const auto &variable : m_module.variables)
        if (variable.dynamicShared) m_sharedOffsets[variable.name] = m_program->staticSharedBytes;
    m_program->resources.staticSharedBytes = static_cast<int>(next);
}

void Decoder::layOutFunction(std::size_t index, DecodedFunction &decoded) {
    const ptx::Function &function = m_module.functions[index];
    m_function = &function;
    m_functionIndex = index;
    m_liveness = analyseLiveness(function);
    m_firstRow = m_program->registerBytes;
    decoded.firstRow = m_firstRow;
    m_nextTemporary = m_firstRow + (m_liveness.rows + (m_liveness.rows & 1)) * 128;
    m_predicateNumber.assign(function.registers.size(), sinkPredicate);
    decoded.firstPredicate = m_program->predicateCount;
    for (std::size_t r = 0; r < function.registers.size(); ++r)
        if (function.registers[r].type == ptx::Type::Pred) m_predicateNumber[r] = m_program->predicateCount++;
    decoded.lastPredicate = m_program->predicateCount;

    m_variableOffset.assign(function.variables.size(), 0);
    std::uint32_t frame = 0;
    decoded.firstParameter = m_program->callParameterBytes;
    const auto isFormal = [&](std::uint32_t v) { return std::ranges::find(function.parameters, v) != function.parameters.end(); };
    for (std::uint32_t v = 0; v < function.variables.size(); ++v) {
        const auto &variable = function.variables[v];
        if (variable.space == ptx::Space::Local) {
            m_variableOffset[v] = alignUp(frame, variable.alignment);
            frame = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{m_variableOffset[v]} + variable.bytes, 2 * mostLocalBytes)); // more is refused in finish()
        } else if (variable.space == ptx::Space::Parameter && !(function.isKernel && isFormal(v))) {
            m_variableOffset[v] = alignUp(m_program->callParameterBytes, 16);
            if (std::uint64_t{m_variableOffset[v]} + variable.bytes > mostParameterBytes) {
                m_program->problem = "the parameters of its device functions are too large";
                m_variableOffset[v] = 0; // it will not run
            } else m_program->callParameterBytes = m_variableOffset[v] + static_cast<std::uint32_t>(variable.bytes);
        }
    }
    decoded.lastParameter = m_program->callParameterBytes;
    decoded.frameBytes = alignUp(frame, 16);
    const auto slots = [&](const std::vector<std::uint32_t> &variables) {
        std::vector<ParameterSlot> result;
        for (const auto v : variables) result.push_back({m_variableOffset[v], static_cast<std::uint32_t>(function.variables[v].bytes)});
        return result;
    };
    if (function.isKernel) {
        std::uint32_t offset = 0;
        for (const auto v : function.parameters) {
            const auto &variable = function.variables[v];
            offset = alignUp(offset, variable.alignment);
            m_variableOffset[v] = offset;
            m_program->parameters.push_back({variable.bytes, variable.alignment, offset});
            if (std::uint64_t{offset} + variable.bytes > mostParameterBytes) m_program->problem = "its parameters are too large";
            else offset += static_cast<std::uint32_t>(variable.bytes);
        }
        m_program->parameterBytes = offset;
    } else {
        decoded.parameters = slots(function.parameters);
        decoded.results = slots(function.results);
    }
}

std::uint32_t Decoder::placeIndex(std::int32_t place) {
    const ptx::SourcePlace visible = m_module.visiblePlace(place);
    Place found{m_module.fileName(visible.file), visible.line};
    auto &places = m_program->places;
    for (std::size_t i = places.size(); i-- > 0;)
        if (places[i].line == found.line && places[i].file == found.file) return static_cast<std::uint32_t>(i);
    places.push_back(std::move(found));
    return static_cast<std::uint32_t>(places.size()) - 1;
}

void Decoder::noteUnsupported(const ptx::Instruction &instruction, const std::string &why) {
    MicroOp op = make(instruction, InstructionClass::Other);
    op.control = Control::Unsupported;
    op.extra = static_cast<std::uint32_t>(m_program->texts.size());
    std::string text = "the instruction " + instruction.fullName() + " is not covered by the simulator";
    if (!why.empty()) text += " (" + why + ")";
    if (!m_program->firstUnsupported) {
        m_program->firstUnsupported = text;
        m_program->firstUnsupportedLine = m_program->places[m_place].line;
    }
    m_program->texts.push_back(std::move(text));
    emit(op);
}

void Decoder::decodeInstruction(const ptx::Instruction &instruction) {
    const auto found = methods().find(instruction.opcode);
    const std::size_t before = m_program->code.size();
    try {
        if (found == methods().end()) throw Unsupported{};
        (this->*found->second)(instruction);
        // An instruction of several steps may have one that nobody does for its type.
        for (std::size_t i = before; i < m_program->code.size(); ++i) {
            const MicroOp &op = m_program->code[i];
            const bool executed = op.control == Control::Plain || op.control == Control::Join;
            if (executed && (op.full == nullptr || op.masked == nullptr)) throw Unsupported{};
        }
    } catch (const Unsupported &problem) {
        m_program->code.resize(before);
        m_program->placeOfPc.resize(before);
        noteUnsupported(instruction, problem.why);
    } catch (const std::out_of_range &) {
        m_program->code.resize(before);
        m_program->placeOfPc.resize(before);
        noteUnsupported(instruction, "fewer operands than expected");
    }
}

void Decoder::decodeFunction(std::size_t index, DecodedFunction &decoded) {
    layOutFunction(index, decoded);
    decoded.module = static_cast<std::uint32_t>(index);
    decoded.name = m_function->name;
    decoded.entry = static_cast<std::uint32_t>(m_program->code.size());
    const std::size_t firstTable = m_program->branchTables.size();
    m_program->branchTables.insert(m_program->branchTables.end(), m_function->branchTables.begin(), m_function->branchTables.end());
    std::vector<std::uint32_t> pcOf;
    pcOf.reserve(m_function->instructions.size() + 1);
    for (std::size_t i = 0; i < m_function->instructions.size(); ++i) {
        const auto &instruction = m_function->instructions[i];
        pcOf.push_back(static_cast<std::uint32_t>(m_program->code.size()));
        m_place = placeIndex(instruction.place);
        decodeInstruction(instruction);
        applyCost(m_lowered.empty() ? lowering::MachineCost{} : m_lowered[index].costs[i], pcOf.back(), instruction.opcode == "wmma");
    }
    pcOf.push_back(static_cast<std::uint32_t>(m_program->code.size()));
    // the end of a body without ret
    ptx::Instruction end;
    end.opcode = "ret";
    end.place = m_function->instructions.empty() ? -1 : m_function->instructions.back().place;
    leave(end);
    m_program->costOfPc.resize(m_program->code.size());
    for (std::uint32_t pc = decoded.entry; pc < m_program->code.size(); ++pc) {
        MicroOp &op = m_program->code[pc];
        if (op.control == Control::Branch) op.target = pcOf[op.target];
        if (op.control == Control::BranchIndexed) op.extra += static_cast<std::uint32_t>(firstTable);
    }
    for (std::size_t t = firstTable; t < m_program->branchTables.size(); ++t)
        for (auto &target : m_program->branchTables[t]) target = pcOf[target];
    decoded.lastRow = m_nextTemporary;
    decoded.wideRow.assign((decoded.lastRow - decoded.firstRow) / 128 + 2, false);
    for (std::size_t r = 0; r < m_function->registers.size(); ++r)
        if (const int bytes = ptx::typeBytes(m_function->registers[r].type); bytes >= 8 && m_liveness.rows != 0) {
            decoded.wideRow[m_liveness.row[r]] = true;
            if (bytes == 16) decoded.wideRow[m_liveness.row[r] + 2] = true;
        }
    m_program->registerBytes = m_nextTemporary + (m_nextTemporary & 128);
}

// The cost of an instruction is borne by its last micro-op. Micro-ops of another class are a matter of operands (a special
// register read in place) and count as they are, unless `whole` says that the cost covers all.
void Decoder::applyCost(const lowering::MachineCost &cost, std::size_t begin, bool whole) {
    Program &p = *m_program;
    p.costOfPc.resize(p.code.size());
    if (cost.own || begin == p.code.size()) return;
    lowering::MachineCost none;
    none.own = false;
    for (std::size_t pc = begin; pc + 1 < p.code.size(); ++pc) {
        if (!whole && p.code[pc].instructionClass != p.code.back().instructionClass) continue;
        p.costOfPc[pc] = none;
        p.code[pc].issue = 0;
    }
    p.costOfPc.back() = cost;
    MicroOp &last = p.code.back();
    last.issue = static_cast<std::uint8_t>(std::min(255u, cost.total()));
    if (cost.latency != 0) last.result = (last.result & ((1u << reasonBits) - 1)) | static_cast<std::uint32_t>(cost.latency) << reasonBits;
    if (cost.total() == 0) last.result = 0;
}

void Decoder::estimateRegisters(std::size_t kernel, const std::vector<std::size_t> &order) {
    int needed = 0;
    for (const auto index : order)
        needed = std::max(needed, m_lowered.empty() ? analyseLiveness(m_module.functions[index]).mostLive32 + 6 : m_lowered[index].registers);
    const int estimate = std::max(16, (needed + 7) / 8 * 8);
    const int limit = lowering::registerLimit(m_module.functions[kernel]);
    m_program->resources.registersPerThread = std::min(estimate, limit);
    m_program->resources.spilledBytes = needed > limit ? (needed - limit) * 4 : 0;
}

void Decoder::finish(std::size_t kernel, const std::vector<std::size_t> &order) {
    Program &p = *m_program;
    // predicates follow the rows on the scoreboard
    const std::uint32_t predicates = firstReady + p.registerBytes / 128;
    p.readyCount = predicates + p.predicateCount;
    const auto fix = [&](std::uint32_t &ready) { if (ready & constantFlag) ready = predicates + (ready & ~constantFlag); };
    for (auto &op : p.code)
        for (auto *ready : {&op.readyD, &op.readyA, &op.readyB, &op.readyC, &op.readyGuard}) fix(*ready);
    for (auto &op : p.code) {
        for (std::uint32_t i = 0; i < op.moreSourceCount; ++i) fix(p.entries[op.moreSources + i]);
        for (std::uint32_t i = 0; i < op.moreResultCount; ++i) fix(p.entries[op.moreResults + i]);
        // where there is room, the first ones are looked at with the others
        for (auto *ready : {&op.readyA, &op.readyB, &op.readyC}) {
            if (*ready != noneReady || op.moreSourceCount == 0) continue;
            *ready = p.entries[op.moreSources++];
            --op.moreSourceCount;
        }
        if (op.readyD == sinkReady && op.moreResultCount != 0) {
            op.readyD = p.entries[op.moreResults++];
            --op.moreResultCount;
        }
        op.unusual = op.canStop || op.moreSourceCount != 0 || op.moreResultCount != 0;
    }
    // the deepest stack of frames; recursion gets a fixed allowance
    std::vector<std::set<std::size_t>> callees(p.functions.size());
    for (const auto &site : p.calls)
        if (site.builtin.empty()) {
            if (site.indirect) for (std::size_t f = 0; f + 1 < p.functions.size(); ++f) callees[site.caller].insert(f);
            else callees[site.caller].insert(site.function);
        }
    bool recursion = false;
    std::vector<int> state(p.functions.size(), 0);
    std::vector<std::uint64_t> known(p.functions.size(), 0);
    std::size_t nested = 0;
    const std::function<std::uint64_t(std::size_t)> depth = [&](std::size_t f) -> std::uint64_t {
        if (state[f] == 1 || nested > mostNestedCalls) { recursion = true; p.functions[f].recursive = true; return 0; }
        if (state[f] == 2) return known[f];
        state[f] = 1;
        ++nested;
        std::uint64_t most = 0;
        for (const auto callee : callees[f]) most = std::max(most, depth(callee));
        --nested;
        state[f] = 2;
        return known[f] = most + p.functions[f].frameBytes;
    };
    const std::uint64_t stack = depth(p.functions.size() - 1);
    p.localBytes = static_cast<std::uint32_t>(std::min(stack, mostLocalBytes));
    if (stack > mostLocalBytes) p.problem = "a thread needs " + std::to_string(stack) + " bytes of local memory, and can have 512 KiB";
    if (recursion) p.localBytes += 16 * 1024;
    if (p.usesAlloca) p.localBytes += 16 * 1024;
    p.callParameterBytes = alignUp(p.callParameterBytes, 16);
    if (recursion)
        for (auto &f : p.functions) f.recursive = true;

    estimateRegisters(kernel, order);
    p.resources.localBytesPerThread = static_cast<int>(p.localBytes);
}

std::shared_ptr<Program> Decoder::decodeKernel(std::size_t kernel) {
    m_program = std::make_shared<Program>();
    m_program->mangled = m_module.functions[kernel].name;
    m_program->demangled = demangled(m_program->mangled);
    if (m_module.functions[kernel].maxThreads > 0) m_program->maxThreadsPerBlock = std::min(1024, m_module.functions[kernel].maxThreads);
    const auto &cluster = m_module.functions[kernel].cluster;
    m_program->cluster = {cluster[0], cluster[1], cluster[2]};
    const std::vector<std::size_t> order = callOrder(kernel);
    layOutShared(order);
    m_program->functions.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) m_decodedIndex[order[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < order.size(); ++i) {
        m_decoded = static_cast<std::uint32_t>(i);
        decodeFunction(order[i], m_program->functions[i]);
    }
    m_program->entry = m_program->functions.back().entry;
    finish(kernel, order);
    return m_program;
}

std::shared_ptr<Program> decode(const ptx::Module &module, std::size_t kernel, const ExecutionModel &model, const SymbolAddress &addressOf,
                                std::span<const lowering::FunctionFacts> lowered) {
    return Decoder(module, model, addressOf, lowered).decodeKernel(kernel);
}

} // namespace kernelskill::simulator
