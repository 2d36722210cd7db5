// SPDX-License-Identifier: Apache-2.0
// Function bodies: scopes, registers, labels, instructions and their operands.
#include "engine/ptx/parser_state.h"

#include <bit>
#include <charconv>
#include <cstdlib>

namespace kernelskill::simulator::ptx {
namespace {

constexpr std::int64_t mostRegisters = 200'000; // of a function

// Parts of a register as video instructions name them: b0, h1, b7654, h10.
bool isSelector(std::string_view text) {
    if (text.size() < 2 || text.size() > 5 || (text[0] != 'b' && text[0] != 'h')) return false;
    return text.find_first_not_of("01234567", 1) == text.npos;
}

} // namespace

std::optional<std::uint32_t> Parser::findRegister(const std::string &name) const {
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
        if (const auto found = scope->registers.find(name); found != scope->registers.end()) return found->second;
    return std::nullopt;
}

std::optional<std::uint32_t> Parser::findVariable(const std::string &name) const {
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
        if (const auto found = scope->variables.find(name); found != scope->variables.end()) return found->second;
    return std::nullopt;
}

std::optional<std::uint32_t> Parser::findTable(const std::string &name) const {
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
        if (const auto found = scope->tables.find(name); found != scope->tables.end()) return found->second;
    return std::nullopt;
}

void Parser::body(Function &function) {
    expect("{");
    m_scopes.emplace_back();
    const std::size_t outermost = m_scopes.size();
    while (m_scopes.size() >= outermost) {
        if (m_token.kind == Token::Kind::End) fail("the body of '" + function.name + "' is not closed");
        statement(function);
    }
}

void Parser::closeScope(Function &function) {
    Scope scope = std::move(m_scopes.back());
    m_scopes.pop_back();
    for (auto &use : scope.labelUses) {
        if (const auto found = scope.labels.find(use.name); found != scope.labels.end())
            function.instructions[use.instruction].operands[use.operand].index = found->second;
        else if (m_scopes.size() > 1) m_scopes.back().labelUses.push_back(std::move(use));
        else fail("label '" + use.name + "' is not defined");
    }
    for (auto &use : scope.tableUses) {
        if (const auto found = scope.labels.find(use.name); found != scope.labels.end())
            function.branchTables[use.table][use.entry] = found->second;
        else if (m_scopes.size() > 1) m_scopes.back().tableUses.push_back(std::move(use));
        else fail("label '" + use.name + "' is not defined");
    }
}

void Parser::statement(Function &function) {
    if (accept(";")) return;
    if (accept("{")) { m_scopes.emplace_back(); return; }
    if (accept("}")) { closeScope(function); return; }
    if (m_token.kind == Token::Kind::Word && m_ahead.is(":")) {
        const std::string name = word();
        expect(":");
        return label(function, name);
    }
    if (m_token.kind == Token::Kind::Word && m_token.text.starts_with('.')) return bodyDirective(function);
    instruction(function);
}

void Parser::label(Function &function, const std::string &name) {
    if (at(".branchtargets")) return branchTargets(function, name);
    if (at(".callprototype") || at(".calltargets")) return skipTo(";");
    m_scopes.back().labels[name] = static_cast<std::uint32_t>(function.instructions.size());
}

void Parser::branchTargets(Function &function, const std::string &name) {
    expect(".branchtargets");
    const std::size_t table = function.branchTables.size();
    function.branchTables.emplace_back();
    m_scopes.back().tables[name] = static_cast<std::uint32_t>(table);
    do {
        m_scopes.back().tableUses.push_back({table, function.branchTables[table].size(), word()});
        function.branchTables[table].push_back(0);
    } while (accept(","));
    expect(";");
}

void Parser::bodyDirective(Function &function) {
    if (accept(".loc")) return location();
    if (accept(".reg")) return registers(function);
    if (accept(".param")) return variables(Space::Parameter, false, function.variables, &m_scopes.back());
    if (accept(".local")) return variables(Space::Local, false, function.variables, &m_scopes.back());
    if (accept(".shared")) return variables(Space::Shared, false, function.variables, &m_scopes.back());
    if (accept(".global")) return variables(Space::Global, false, function.variables, &m_scopes.back());
    if (accept(".const")) return variables(Space::Constant, false, function.variables, &m_scopes.back());
    if (accept(".pragma")) {
        if (m_token.text.find("nounroll") != std::string_view::npos) function.keptRolled.push_back(static_cast<std::uint32_t>(function.instructions.size()));
        return skipTo(";");
    }
    if (accept(".file")) return fileDirective();
    if (accept(".section")) {
        while (m_token.kind != Token::Kind::End && !at("{")) advance();
        return skipBraces();
    }
    fail("unknown directive '" + std::string(m_token.text) + "'");
}

void Parser::registers(Function &function) {
    const std::string typeName = word();
    const auto type = typeFromName(std::string_view(typeName).substr(1));
    if (!type) fail("unknown register type '" + typeName + "'");
    do {
        const std::string name = word();
        const auto add = [&](const std::string &full) {
            m_scopes.back().registers[full] = static_cast<std::uint32_t>(function.registers.size());
            function.registers.push_back({full, *type});
        };
        if (accept("<")) {
            const std::int64_t count = integer();
            expect(">");
            if (count < 0 || count > mostRegisters || function.registers.size() > static_cast<std::size_t>(mostRegisters)) fail("register count out of range");
            for (std::int64_t i = 0; i < count; ++i) add(name + std::to_string(i));
        } else {
            add(name);
        }
    } while (accept(","));
    expect(";");
}

void Parser::instruction(Function &function) {
    Instruction instruction;
    instruction.place = m_place;
    instruction.ptxLine = m_token.line;
    if (accept("@")) {
        instruction.predicateNegated = accept("!");
        const std::string name = word();
        const auto found = findRegister(name);
        if (!found) fail("predicate '" + name + "' is not declared");
        instruction.predicate = static_cast<std::int32_t>(*found);
        instruction.ptxLine = m_token.line;
    }
    const std::string full = word();
    std::size_t begin = 0;
    for (std::size_t end = full.find('.'); begin <= full.size(); end = full.find('.', begin)) {
        std::string part = full.substr(begin, end == full.npos ? full.npos : end - begin);
        if (begin == 0) instruction.opcode = std::move(part);
        else if (!part.empty()) instruction.modifiers.push_back(std::move(part));
        if (end == full.npos) break;
        begin = end + 1;
    }
    const bool labels = instruction.opcode == "bra" || instruction.opcode == "brx";
    while (!at(";")) {
        instruction.operands.push_back(operand(function, labels));
        if (!accept(",")) break;
    }
    expect(";");
    if (labels) checkBranch(instruction);
    function.instructions.push_back(std::move(instruction));
    resolveLabelOperands(function, function.instructions.back());
}

void Parser::checkBranch(const Instruction &instruction) const {
    const std::size_t target = instruction.opcode == "bra" ? 0 : 1;
    if (instruction.operands.size() <= target || instruction.operands[target].kind != Operand::Kind::Label) fail("a branch whose target is no label");
    for (std::size_t i = 0; i < instruction.operands.size(); ++i)
        if (i != target && instruction.operands[i].kind == Operand::Kind::Label) fail("'" + instruction.operands[i].symbol + "' is not declared");
}

void Parser::resolveLabelOperands(Function &function, Instruction &instruction) {
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        Operand &item = instruction.operands[i];
        if (item.kind != Operand::Kind::Label) continue;
        if (instruction.opcode == "brx") {
            const auto table = findTable(item.symbol);
            if (!table) fail("branch table '" + item.symbol + "' is not defined");
            item.index = *table;
        } else {
            m_scopes.back().labelUses.push_back({function.instructions.size() - 1, i, item.symbol});
        }
    }
}

Operand Parser::number(bool negative) {
    Operand result;
    const std::string text(m_token.text);
    if (m_token.kind != Token::Kind::Number) fail("expected a number before '" + text + "'");
    advance();
    const auto hexadecimal = [&](std::size_t from, std::size_t digits) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data() + from, text.data() + text.size(), value, 16);
        if (error != std::errc{} || (digits != 0 && text.size() - from != digits)) fail("malformed number '" + text + "'");
        return value;
    };
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'f' || text[1] == 'F')) {
        result.kind = Operand::Kind::Float32;
        result.bits = hexadecimal(2, 8) ^ (negative ? 0x8000'0000u : 0u);
        return result;
    }
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'd' || text[1] == 'D')) {
        result.kind = Operand::Kind::Float64;
        result.bits = hexadecimal(2, 16) ^ (negative ? 0x8000'0000'0000'0000u : 0u);
        return result;
    }
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        result.bits = hexadecimal(2, 0);
    } else if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
        for (std::size_t i = 2; i < text.size() && (text[i] == '0' || text[i] == '1'); ++i)
            result.bits = result.bits * 2 + static_cast<std::uint64_t>(text[i] - '0');
    } else if (text.find_first_of(".eE") != text.npos) {
        const double value = std::strtod(text.c_str(), nullptr);
        result.kind = Operand::Kind::Float64;
        result.bits = std::bit_cast<std::uint64_t>(negative ? -value : value);
        return result;
    } else {
        const int base = text.size() > 1 && text[0] == '0' ? 8 : 10;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.bits, base);
        if (error != std::errc{}) fail("malformed number '" + text + "'");
    }
    if (negative) result.bits = 0 - result.bits;
    return result;
}

Operand Parser::named(const std::string &name, bool labelAllowed) {
    Operand result;
    result.symbol = name;
    if (name == "_") {
        result.kind = Operand::Kind::Sink;
    } else if (const auto found = findRegister(name)) {
        result.kind = Operand::Kind::Register;
        result.index = *found;
    } else if (const auto part = name.rfind('.'); part != name.npos && isSelector(std::string_view(name).substr(part + 1)) && findRegister(name.substr(0, part))) {
        result = named(name.substr(0, part), false);
        result.selector = name.substr(part + 1);
    } else if (name.starts_with('%')) {
        result.kind = Operand::Kind::Special;
    } else if (const auto variable = findVariable(name)) {
        result.kind = Operand::Kind::Variable;
        result.index = *variable;
    } else if (name == "WARP_SZ") {
        result.kind = Operand::Kind::Integer;
        result.bits = 32;
    } else {
        result.kind = labelAllowed ? Operand::Kind::Label : Operand::Kind::Symbol;
    }
    return result;
}

Operand Parser::address(Function &function) {
    Operand result;
    result.kind = Operand::Kind::Address;
    result.elements.push_back(operand(function, false));
    // the displacement may have been taken by the base already ("symbol+4")
    result.offset = result.elements.front().offset;
    result.elements.front().offset = 0;
    while (at("+") || at("-")) {
        if (accept("+")) result.offset += integer();
        else result.offset += integer(); // integer() takes the minus sign
    }
    while (accept(",")) result.elements.push_back(operand(function, false)); // coordinates of a tensor
    expect("]");
    return result;
}

Operand Parser::operand(Function &function, bool labelAllowed) {
    const Nesting nesting(*this);
    Operand result;
    if (accept("[")) {
        result = address(function);
    } else if (accept("{") || at("(")) {
        const bool list = accept("(");
        result.kind = list ? Operand::Kind::List : Operand::Kind::Vector;
        while (!at(list ? ")" : "}")) {
            result.elements.push_back(operand(function, false));
            if (!accept(",")) break;
        }
        expect(list ? ")" : "}");
    } else if (accept("!")) {
        result = named(word(), false);
        result.negated = true;
    } else if (accept("-")) {
        if (m_token.kind == Token::Kind::Word) {
            result = named(word(), false);
            result.negated = true;
        } else {
            result = number(true);
        }
    } else if (m_token.kind == Token::Kind::Number) {
        result = number(false);
    } else {
        result = named(word(), labelAllowed);
        if ((result.kind == Operand::Kind::Symbol || result.kind == Operand::Kind::Variable) && (at("+") || at("-"))) {
            accept("+");
            result.offset = integer();
        }
    }
    if (accept("|")) result.paired.push_back(operand(function, false));
    return result;
}

} // namespace kernelskill::simulator::ptx
