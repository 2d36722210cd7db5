// SPDX-License-Identifier: Apache-2.0
#include "engine/ptx/parser_state.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace kernelskill::simulator::ptx {
namespace {

// Bounds for what text can ask for: far above what a device has, far below what would exhaust the host.
constexpr std::size_t mostThreadBytes = std::size_t{1} << 20, mostVariableBytes = std::size_t{4} << 30, mostInitialiserBytes = std::size_t{256} << 20;

} // namespace


Parser::Parser(std::string_view text) : m_lexer(text) {
    m_token = m_lexer.next();
    m_ahead = m_lexer.next();
}

void Parser::fail(const std::string &message) const { throw ParseError{message, m_token.line}; }

void Parser::advance() {
    m_token = m_ahead;
    m_ahead = m_lexer.next();
}

bool Parser::accept(std::string_view text) {
    if (!at(text)) return false;
    advance();
    return true;
}

void Parser::expect(std::string_view text) {
    if (!accept(text)) fail("expected '" + std::string(text) + "' before '" + std::string(m_token.text) + "'");
}

std::string Parser::word() {
    if (m_token.kind != Token::Kind::Word) fail("expected a name before '" + std::string(m_token.text) + "'");
    std::string text(m_token.text);
    advance();
    return text;
}

std::int64_t Parser::integer() {
    const bool negative = accept("-");
    const Operand value = number(negative);
    if (value.kind != Operand::Kind::Integer) fail("expected a whole number");
    return static_cast<std::int64_t>(value.bits);
}

void Parser::skipTo(std::string_view text) {
    while (m_token.kind != Token::Kind::End && !at(text)) advance();
    expect(text);
}

void Parser::skipBraces() {
    expect("{");
    for (int depth = 1; depth > 0;) {
        if (m_token.kind == Token::Kind::End) fail("a section is not closed");
        if (at("{")) ++depth;
        if (at("}")) --depth;
        advance();
    }
}

Module Parser::run() {
    while (m_token.kind != Token::Kind::End) directive();
    return std::move(m_module);
}

void Parser::directive() {
    bool isExternal = false;
    while (at(".visible") || at(".extern") || at(".weak") || at(".common")) {
        isExternal = isExternal || at(".extern");
        advance();
    }
    if (accept(";")) return;
    const std::string name = word();
    if (name == ".version") { advance(); return; }
    if (name == ".target") {
        m_module.target = word();
        while (accept(",")) advance();
        return;
    }
    if (name == ".address_size") {
        if (integer() != 64) fail("only 64-bit addresses are supported");
        return;
    }
    if (name == ".file") return fileDirective();
    if (name == ".loc") return location();
    if (name == ".section") {
        while (m_token.kind != Token::Kind::End && !at("{")) advance();
        return skipBraces();
    }
    if (name == ".pragma" || name == ".alias") return skipTo(";");
    if (name == ".entry") return function(true, isExternal);
    if (name == ".func") return function(false, isExternal);
    if (name == ".global") return variables(Space::Global, isExternal, m_module.variables, nullptr);
    if (name == ".const") return variables(Space::Constant, isExternal, m_module.variables, nullptr);
    if (name == ".shared") return variables(Space::Shared, isExternal, m_module.variables, nullptr);
    fail("unknown directive '" + name + "'");
}

void Parser::fileDirective() {
    const auto number = static_cast<std::size_t>(integer());
    if (number > 100000) fail("file number out of range");
    if (m_module.files.size() <= number) m_module.files.resize(number + 1);
    m_module.files[number] = std::string(m_token.text);
    advance();
    while (accept(",")) advance(); // time stamp and size
}

void Parser::location() {
    SourcePlace place;
    place.file = static_cast<int>(integer());
    place.line = static_cast<int>(integer());
    place.column = static_cast<int>(integer());
    while (accept(",")) {
        const std::string what = word();
        if (what == "function_name") {
            advance();
            if (accept("+")) advance();
        } else if (what == "inlined_at") {
            const int file = static_cast<int>(integer());
            const int line = static_cast<int>(integer());
            const int column = static_cast<int>(integer());
            auto known = m_placeOfLocation.find({file, line, column});
            if (known == m_placeOfLocation.end()) {
                m_module.places.push_back({file, line, column, -1});
                known = m_placeOfLocation.emplace(std::tuple{file, line, column}, static_cast<int>(m_module.places.size()) - 1).first;
            }
            place.inlinedAt = known->second;
        }
    }
    m_module.places.push_back(place);
    m_place = static_cast<std::int32_t>(m_module.places.size()) - 1;
    if (place.inlinedAt != m_place) m_placeOfLocation[{place.file, place.line, place.column}] = m_place;
}

Variable Parser::variableHead(Space space) {
    Variable variable;
    variable.space = space;
    bool aligned = false;
    for (;;) {
        if (accept(".align")) {
            const std::int64_t alignment = integer();
            if (alignment < 1 || alignment > 4096 || !std::has_single_bit(static_cast<std::uint64_t>(alignment))) fail("an alignment that is no power of two up to 4096");
            variable.alignment = static_cast<std::size_t>(alignment);
            aligned = true;
        } else if (accept(".attribute")) {
            while (!at(")") && m_token.kind != Token::Kind::End) advance();
            expect(")");
        } else if (accept(".ptr")) {
            // .ptr .global .align 4: what a pointer parameter points to; nothing here depends on it
            if (at(".global") || at(".shared") || at(".local") || at(".const")) advance();
            if (accept(".align")) (void)integer();
        } else if (at(".texref") || at(".surfref") || at(".samplerref")) {
            variable.type = Type::B64;
            advance();
        } else if (m_token.kind == Token::Kind::Word && m_token.text.starts_with('.')) {
            const auto type = typeFromName(m_token.text.substr(1));
            if (!type) {
                if (m_token.text == ".v2" || m_token.text == ".v4") fail("vector variables are not supported");
                fail("unknown type '" + std::string(m_token.text) + "'");
            }
            variable.type = *type;
            advance();
        } else break;
    }
    variable.name = word();
    variable.bytes = static_cast<std::size_t>(typeBytes(variable.type));
    if (!aligned) variable.alignment = std::max<std::size_t>(1, variable.bytes);
    return variable;
}

void Parser::arraySize(Variable &variable) {
    bool unsized = false;
    std::size_t count = 1;
    while (accept("[")) {
        if (accept("]")) { unsized = true; continue; }
        count *= static_cast<std::size_t>(integer());
        if (count > (std::size_t{1} << 34)) fail("variable '" + variable.name + "' is too large");
        expect("]");
    }
    variable.bytes *= unsized ? 0 : count;
    const bool ofThread = variable.space == Space::Local || variable.space == Space::Parameter;
    if (variable.bytes > (ofThread ? mostThreadBytes : mostVariableBytes)) fail("variable '" + variable.name + "' is too large");
    if (unsized && variable.space == Space::Shared) variable.dynamicShared = true;
}

void Parser::initialiserElement(Variable &variable, std::size_t &offset) {
    const Nesting nesting(*this);
    if (offset > mostInitialiserBytes) fail("the initialiser of '" + variable.name + "' is too long");
    if (accept("{")) {
        while (!at("}")) {
            initialiserElement(variable, offset);
            if (!accept(",")) break;
        }
        expect("}");
        return;
    }
    const std::size_t width = static_cast<std::size_t>(typeBytes(variable.type));
    if (variable.initialiser.size() < offset + width) variable.initialiser.resize(offset + width);
    if (m_token.kind == Token::Kind::Word) {
        Relocation relocation{offset, word(), 0, false};
        if (relocation.symbol == "generic") {
            expect("(");
            relocation.symbol = word();
            relocation.generic = true;
            expect(")");
        }
        if (accept("+")) relocation.addend = integer();
        else if (at("-")) relocation.addend = integer();
        variable.relocations.push_back(std::move(relocation));
    } else {
        const bool negative = accept("-");
        const Operand value = number(negative);
        std::uint64_t bits = value.bits;
        if (value.kind == Operand::Kind::Float64 && width == 4)
            bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
        std::memcpy(variable.initialiser.data() + offset, &bits, std::min<std::size_t>(width, 8));
    }
    offset += width;
}

void Parser::initialiser(Variable &variable) {
    std::size_t offset = 0;
    initialiserElement(variable, offset);
    if (variable.bytes == 0) variable.bytes = offset;
    if (offset > variable.bytes) fail("initialiser of '" + variable.name + "' is longer than it");
    constexpr std::size_t paddedBytes = std::size_t{1} << 20;
    variable.initialiser.resize(variable.bytes <= paddedBytes ? variable.bytes : offset); // the rest of a large one is zero all the same
}

void Parser::variables(Space space, bool isExternal, std::vector<Variable> &into, Scope *scope) {
    Variable first = variableHead(space);
    const Variable head = first;
    for (;;) {
        first.isExternal = isExternal;
        arraySize(first);
        if (accept("=")) initialiser(first);
        if (scope != nullptr) scope->variables[first.name] = static_cast<std::uint32_t>(into.size());
        into.push_back(std::move(first));
        if (!accept(",")) break;
        first = head;
        first.name = word();
    }
    expect(";");
}

std::vector<std::uint32_t> Parser::parameterList(Function &function, Scope &scope) {
    std::vector<std::uint32_t> indices;
    expect("(");
    while (!at(")")) {
        if (at(".reg")) fail("register parameters are not supported");
        expect(".param");
        Variable variable = variableHead(Space::Parameter);
        arraySize(variable);
        indices.push_back(static_cast<std::uint32_t>(function.variables.size()));
        scope.variables[variable.name] = indices.back();
        function.variables.push_back(std::move(variable));
        if (!accept(",")) break;
    }
    expect(")");
    return indices;
}

bool Parser::functionAttribute(Function &function) {
    const auto product = [this] {
        const auto next = [this] { return std::clamp<std::int64_t>(integer(), 0, 1 << 20); };
        std::int64_t value = next();
        while (accept(",")) value = std::min<std::int64_t>(value * next(), 1 << 20);
        return static_cast<int>(value);
    };
    if (accept(".maxntid") || accept(".reqntid")) function.maxThreads = product();
    else if (accept(".maxnreg")) function.maxRegisters = product();
    else if (accept(".minnctapersm")) function.minBlocksPerSm = product();
    else if (accept(".maxnctapersm") || accept(".maxclusterrank"))
        (void)product();
    else if (accept(".reqnctapercluster")) {
        for (auto &blocks : function.cluster) {
            blocks = static_cast<std::uint32_t>(std::clamp<std::int64_t>(integer(), 1, 1 << 10));
            if (!accept(",")) break;
        }
    } else if (accept(".explicitcluster") || accept(".noreturn") || accept(".blocksareclusters")) return true;
    else if (accept(".pragma")) skipTo(";");
    else if (accept(".abi_preserve") || accept(".abi_preserve_control")) (void)product();
    else return false;
    return true;
}

void Parser::function(bool isKernel, bool isExternal) {
    Function function;
    function.isKernel = isKernel;
    m_scopes.assign(1, {});
    while (accept(".attribute")) skipTo(")");
    if (!isKernel && at("(")) function.results = parameterList(function, m_scopes.front());
    function.name = word();
    if (at("(")) function.parameters = parameterList(function, m_scopes.front());
    while (functionAttribute(function)) {}
    m_place = -1;
    if (accept(";") || isExternal) {
        function.isExternal = true;
        accept(";");
    } else {
        body(function);
    }
    for (auto &existing : m_module.functions) {
        if (existing.name != function.name) continue;
        if (existing.isExternal) existing = std::move(function); // the body after its declaration
        return;
    }
    m_module.functions.push_back(std::move(function));
}

std::expected<Module, ParseError> parse(std::string_view text) {
    try {
        return Parser(text).run();
    } catch (const ParseError &error) {
        return std::unexpected(error);
    }
}

} // namespace kernelskill::simulator::ptx
