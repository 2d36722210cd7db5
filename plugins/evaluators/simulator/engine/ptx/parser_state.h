// SPDX-License-Identifier: Apache-2.0
// The parser's inside: token window, scopes of names, and the pieces parser.cpp and parser_body.cpp share.
#pragma once

#include "engine/ptx/lexer.h"
#include "engine/ptx/parser.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace kernelskill::simulator::ptx {

class Parser {
public:
    explicit Parser(std::string_view text);
    Module run(); // throws ParseError, caught in parse()

private:
    // A braced block of a function: names declared inside hide outer ones until its end.
    struct LabelUse { std::size_t instruction; std::size_t operand; std::string name; };
    struct TableUse { std::size_t table; std::size_t entry; std::string name; };
    struct Scope {
        std::unordered_map<std::string, std::uint32_t> registers, variables, labels, tables;
        std::vector<LabelUse> labelUses;
        std::vector<TableUse> tableUses;
    };

    // tokens
    [[noreturn]] void fail(const std::string &message) const;
    void advance();
    [[nodiscard]] bool at(std::string_view text) const { return m_token.is(text); }
    bool accept(std::string_view text);
    void expect(std::string_view text);
    std::string word();
    std::int64_t integer();
    void skipTo(std::string_view text);
    void skipBraces();

    // module level (parser.cpp)
    void directive();
    void location();
    void fileDirective();
    void variables(Space space, bool isExternal, std::vector<Variable> &into, Scope *scope);
    Variable variableHead(Space space);
    void arraySize(Variable &variable);
    void initialiser(Variable &variable);
    void initialiserElement(Variable &variable, std::size_t &offset);
    void function(bool isKernel, bool isExternal);
    std::vector<std::uint32_t> parameterList(Function &function, Scope &scope);
    bool functionAttribute(Function &function);

    // bodies (parser_body.cpp)
    void body(Function &function);
    void statement(Function &function);
    void bodyDirective(Function &function);
    void registers(Function &function);
    void closeScope(Function &function);
    void label(Function &function, const std::string &name);
    void branchTargets(Function &function, const std::string &name);
    void instruction(Function &function);
    Operand operand(Function &function, bool labelAllowed);
    Operand number(bool negative);
    Operand address(Function &function);
    Operand named(const std::string &name, bool labelAllowed);
    [[nodiscard]] std::optional<std::uint32_t> findRegister(const std::string &name) const;
    [[nodiscard]] std::optional<std::uint32_t> findVariable(const std::string &name) const;
    [[nodiscard]] std::optional<std::uint32_t> findTable(const std::string &name) const;
    void resolveLabelOperands(Function &function, Instruction &instruction);

    // Text may nest brackets as deep as it likes; the parser's own stack may not.
    struct Nesting {
        explicit Nesting(Parser &parser) : m_parser(parser) { if (++m_parser.m_depth > 32) m_parser.fail("brackets are nested too deep"); }
        ~Nesting() { --m_parser.m_depth; }
        Nesting(const Nesting &) = delete;
        Nesting &operator=(const Nesting &) = delete;
        Parser &m_parser;
    };
    void checkBranch(const Instruction &instruction) const;

    Lexer m_lexer;
    int m_depth = 0;
    Token m_token, m_ahead;
    Module m_module;
    std::vector<Scope> m_scopes;
    std::int32_t m_place = -1;
    std::map<std::tuple<int, int, int>, int> m_placeOfLocation; // last place at a file, line and column
};

} // namespace kernelskill::simulator::ptx
