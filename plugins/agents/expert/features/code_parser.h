// SPDX-License-Identifier: Apache-2.0
// The fallback front end: a tolerant parser of the CUDA C++ that kernels are written in. It never fails; what it cannot
// read becomes an unnamed node and costs only what that node would have said.
#pragma once

#include "features/code_tree.h"
#include "features/preprocessor.h"

#include <QSet>

namespace kernelskill::expert {

[[nodiscard]] CodeProgram parseTokens(const QString &source);

// The parser proper. The AST front uses it too, for expressions that libclang does not take apart.
class CodeParser
{
public:
    explicit CodeParser(Tokens tokens) : m_tokens(std::move(tokens)) {}
    CodeProgram program();
    NodePtr expression();
    void addTypes(const QSet<QString> &names) { m_types += names; }

private:
    // Files
    void topLevel(CodeProgram &program, qsizetype end);
    void declarationAt(CodeProgram &program, qsizetype end);
    void readStruct(CodeProgram &program);
    void readMembers(CodeProgram &program, CodeStruct &made, qsizetype end);
    void readAlias(CodeProgram &program);
    void readTypedef(CodeProgram &program);
    bool readFunction(CodeProgram &program, qsizetype start, qsizetype open, const QString &owner);
    [[nodiscard]] QList<CodeParameter> parametersIn(qsizetype from, qsizetype to) const;
    QStringList templateHeader();
    // Statements
    NodePtr block();
    NodePtr statement();
    NodePtr ifStatement();
    NodePtr forStatement();
    NodePtr switchStatement();
    void declarations(std::vector<NodePtr> &into);
    NodePtr declarator(const QString &type, bool shared);
    [[nodiscard]] bool startsDeclaration() const;
    [[nodiscard]] qsizetype typeEnd(qsizetype from) const; // after the type, or `from` when there is none
    // Expressions
    NodePtr assignment();
    NodePtr conditional();
    NodePtr binary(int least);
    NodePtr unary();
    NodePtr postfix();
    NodePtr primary();
    NodePtr named();
    NodePtr lambda();
    NodePtr assembly();
    NodePtr list(const QString &type);
    void arguments(Node &into);                                         // at "(": reads up to and over ")"
    [[nodiscard]] qsizetype templateArgumentsEnd(qsizetype open) const; // after ">", or `open`
    [[nodiscard]] QStringList templateArguments(qsizetype end) const;
    [[nodiscard]] QString binaryOperator() const;
    [[nodiscard]] bool isType(const QString &word) const;
    [[nodiscard]] bool isCast() const;

    [[nodiscard]] const QString &text(qsizetype ahead = 0) const
    {
        static const QString none;
        const qsizetype at = m_at + ahead;
        return at >= 0 && at < m_tokens.size() ? m_tokens.at(at).text : none;
    }
    [[nodiscard]] bool isName(qsizetype ahead = 0) const
    {
        const qsizetype at = m_at + ahead;
        return at < m_tokens.size() && m_tokens.at(at).kind == CodeToken::Kind::Identifier;
    }
    [[nodiscard]] bool atEnd() const { return m_at >= m_tokens.size(); }
    bool take(const char16_t *word)
    {
        if (text() != QStringView(word)) return false;
        ++m_at;
        return true;
    }
    [[nodiscard]] QString words(qsizetype from, qsizetype to) const;

    Tokens m_tokens;
    qsizetype m_at = 0;
    int m_depth = 0;
    QSet<QString> m_types; // declared in the source
};

} // namespace kernelskill::expert
